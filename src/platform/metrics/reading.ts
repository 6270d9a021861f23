import { type Metric as Measure, Registry } from 'prom-client';
import type { Aggregation } from './metric.js';

export interface ReadValue {
  /** Set if the sample's name differs from the metric's name, such as `…_bucket`. */
  metricName?: string;
  labels: Readonly<Record<string, string | number>>;
  value: number;
}

/** A metric in a form that can be sent to another process. */
export interface Reading {
  name: string;
  help: string;
  type: string;
  aggregation: Aggregation;
  values: readonly ReadValue[];
}

/**
 * @param byProcess readings by process. For an ended process, pass only the metrics that are added up, because Prometheus would
 *   take a falling sum for a restart.
 */
export function mergeReadings(byProcess: ReadonlyMap<string, readonly Reading[]>): Reading[] {
  const merged = new Map<string, Reading & { values: ReadValue[] }>();
  const sums = new Map<string, ReadValue & { value: number }>();
  for (const [process, readings] of byProcess) {
    for (const { values, ...description } of readings) {
      const { name, aggregation } = description;
      const existing = merged.get(name);
      const target = existing ?? { ...description, values: [] };
      merged.set(name, target);
      if (aggregation === 'each') {
        target.values.push(...values.map((value) => ({ ...value, labels: { ...value.labels, process } })));
      } else if (aggregation === 'one') {
        if (target.values.length === 0) target.values.push(...values);
      } else {
        for (const value of values) addToSum(value, name, target.values, sums);
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
  const summable = endedProcesses.map((readings) => readings.filter(({ aggregation }) => aggregation === 'sum'));
  return mergeReadings(new Map(summable.map((readings, index) => [String(index), readings])));
}

export function formatReadings(readings: readonly Reading[]): Promise<string> {
  const registry = new Registry();
  for (const reading of readings) {
    registry.registerMetric({ name: reading.name, get: async () => reading } as unknown as Measure<string>);
  }
  return registry.metrics();
}

export const CONTENT_TYPE = new Registry().contentType;
