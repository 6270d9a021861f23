import { ShortCache } from '../short-cache.js';
import type { Histogram } from './histogram.js';

/** Never use an ID or a phone number: every combination is kept forever. */
export type Labels = Readonly<Record<string, string>>;

interface MetricDescription {
  /** By Prometheus' conventions: prefix `heliograph_`, base units, `_total` for counters. */
  name: string;
  help: string;
}

export interface Sample {
  labels?: Labels;
  value: number;
}

/** Added up, kept per process with the label `process`, or taken from any process because all report the same. */
export type Aggregation = 'sum' | 'each' | 'one';

export type Metric =
  | (MetricDescription & {
      type: 'counter' | 'gauge';
      labels?: readonly string[];
      across?: 'one';
      /** If it rejects, the metric is left out. */
      read(): Iterable<Sample> | Promise<Iterable<Sample>>;
    })
  | (MetricDescription & {
      type: 'histogram';
      labels?: readonly string[];
      read(): Iterable<{ labels?: Labels; spread: Histogram }>;
    });

/** The gauges share one query, which is cached for a second. */
export function createStoreGauges<T>(
  read: () => Promise<T>,
  gauges: Readonly<Record<string, readonly [help: string, value: (reading: T) => number]>>,
): Metric[] {
  const readings = new ShortCache<T>();
  return Object.entries(gauges).map(([name, [help, value]]) => ({
    name,
    help,
    type: 'gauge',
    across: 'one',
    read: async () => [{ value: value(await readings.get('', read)) }],
  }));
}

export function getAggregation(metric: Metric): Aggregation {
  if (metric.type !== 'gauge') return 'sum';
  return metric.across ?? 'each';
}

export function toSamples(label: string, counts: Iterable<readonly [value: string, count: number]>): Sample[] {
  return [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }));
}
