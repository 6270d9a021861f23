import { type Metric as Measure, Registry } from 'prom-client';
import type { Across } from './metric.js';

/** A number with its labels, as prom-client writes it down. */
export interface ReadValue {
  /** Where it is not the metric's own, such as `…_bucket`. */
  metricName?: string;
  labels: Readonly<Record<string, string | number>>;
  value: number;
}

/** What a process has read of one metric; plain data, which processes hand each other. */
export interface Reading {
  name: string;
  help: string;
  type: string;
  across: Across;
  values: readonly ReadValue[];
}

/**
 * One answer out of those of several processes, as `across` of each metric says.
 * @param byProcess what each said, by what its label `process` is to be. Who has ended is among them with what is added up
 *   only: a sum must never fall, for Prometheus would take that for a restart of all
 */
export function mergeReadings(byProcess: ReadonlyMap<string, readonly Reading[]>): Reading[] {
  const merged = new Map<string, Reading & { values: ReadValue[] }>();
  const sums = new Map<string, ReadValue & { value: number }>();
  for (const [process, readings] of byProcess) {
    for (const { values, ...described } of readings) {
      const { name, across } = described;
      const before = merged.get(name);
      const into = before ?? { ...described, values: [] };
      merged.set(name, into);
      if (across === 'each') {
        into.values.push(...values.map((each) => ({ ...each, labels: { ...each.labels, process } })));
      } else if (across === 'one') {
        if (into.values.length === 0) into.values.push(...values);
      } else {
        for (const each of values) addUp(each, name, into.values, sums);
      }
    }
  }
  return [...merged.values()];
}

function addUp(each: ReadValue, name: string, into: ReadValue[], sums: Map<string, { value: number }>): void {
  const labels = Object.entries(each.labels).sort(([a], [b]) => (a < b ? -1 : 1));
  const key = JSON.stringify([name, each.metricName, labels]);
  const known = sums.get(key);
  if (known) {
    known.value += each.value;
    return;
  }
  const sum = { ...each };
  sums.set(key, sum);
  into.push(sum);
}

/** What is added up of what processes that have ended said last, as one process's. */
export function sumOf(ended: readonly (readonly Reading[])[]): Reading[] {
  const summed = ended.map((readings) => readings.filter(({ across }) => across === 'sum'));
  return mergeReadings(new Map(summed.map((readings, index) => [String(index), readings])));
}

/** Prometheus' text format. */
export function textOf(readings: readonly Reading[]): Promise<string> {
  const registry = new Registry();
  // The registry takes whatever answers `get` as its own metrics do.
  for (const reading of readings) {
    registry.registerMetric({ name: reading.name, get: async () => reading } as unknown as Measure<string>);
  }
  return registry.metrics();
}

/** What `toText` is to be answered as. */
export const CONTENT_TYPE = new Registry().contentType;
