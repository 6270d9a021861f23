import { type Metric as Measure, Registry } from 'prom-client';
import type { Aggregation } from './metric.js';

export interface ReadValue {
  /** Set if it differs from the metric's name, such as `…_bucket`. */
  metricName?: string;
  labels: Readonly<Record<string, string | number>>;
  value: number;
}

/** Can be sent to another process. */
export interface Reading {
  name: string;
  help: string;
  type: string;
  across: Aggregation;
  values: readonly ReadValue[];
}

/**
 * @param byProcess by the label `process`; of an ended process, pass only metrics of the aggregation `sum`, because a
 *   falling sum would look like a restart to Prometheus
 */
export function mergeReadings(byProcess: ReadonlyMap<string, readonly Reading[]>): Reading[] {
  const merged = new Map<string, Reading & { values: ReadValue[] }>();
  const sums = new Map<string, ReadValue & { value: number }>();
  for (const [process, readings] of byProcess) {
    for (const { values, ...described } of readings) {
      const { name, across } = described;
      const existing = merged.get(name);
      const target = existing ?? { ...described, values: [] };
      merged.set(name, target);
      if (across === 'each') {
        target.values.push(...values.map((each) => ({ ...each, labels: { ...each.labels, process } })));
      } else if (across === 'one') {
        if (target.values.length === 0) target.values.push(...values);
      } else {
        for (const each of values) addToSum(each, name, target.values, sums);
      }
    }
  }
  return [...merged.values()];
}

function addToSum(value: ReadValue, name: string, target: ReadValue[], sums: Map<string, { value: number }>): void {
  const labels = Object.entries(value.labels).sort(([a], [b]) => (a < b ? -1 : 1));
  const key = JSON.stringify([name, value.metricName, labels]);
  const existing = sums.get(key);
  if (existing) {
    existing.value += value.value;
    return;
  }
  const sum = { ...value };
  sums.set(key, sum);
  target.push(sum);
}

export function sumReadings(endedProcesses: readonly (readonly Reading[])[]): Reading[] {
  const summed = endedProcesses.map((readings) => readings.filter(({ across }) => across === 'sum'));
  return mergeReadings(new Map(summed.map((readings, index) => [String(index), readings])));
}

export function formatReadings(readings: readonly Reading[]): Promise<string> {
  const registry = new Registry();
  for (const reading of readings) {
    registry.registerMetric({ name: reading.name, get: async () => reading } as unknown as Measure<string>);
  }
  return registry.metrics();
}

export const CONTENT_TYPE = new Registry().contentType;
