import { ShortCache } from '../short-cache.js';
import type { Histogram } from './histogram.js';

/** Never use an ID or a phone number as a label value, because every combination of values is kept forever. */
export type Labels = Readonly<Record<string, string>>;

interface MetricDescription {
  /** Metric name by Prometheus' conventions: prefix `heliograph_`, base units, `_total` for counters. */
  name: string;
  help: string;
}

export interface Sample {
  labels?: Labels;
  value: number;
}

/**
 * How values of several processes are combined: added up, labelled with `process`, or taken from one process because all are
 * equal.
 */
export type Aggregation = 'sum' | 'each' | 'one';

export type Metric =
  | (MetricDescription & {
      type: 'counter' | 'gauge';
      labels?: readonly string[];
      aggregation?: 'one';
      /** If `read` rejects, the metric is left out. */
      read(): Iterable<Sample> | Promise<Iterable<Sample>>;
    })
  | (MetricDescription & {
      type: 'histogram';
      labels?: readonly string[];
      read(): Iterable<{ labels?: Labels; histogram: Histogram }>;
    });

/** Creates gauges that share one query, whose result is cached for a second. */
export function createStoreGauges<T>(
  read: () => Promise<T>,
  gauges: Readonly<Record<string, readonly [help: string, value: (reading: T) => number]>>,
): Metric[] {
  const readings = new ShortCache<T>();
  return Object.entries(gauges).map(([name, [help, value]]) => ({
    name,
    help,
    type: 'gauge',
    aggregation: 'one',
    read: async () => [{ value: value(await readings.get('', read)) }],
  }));
}

export function getAggregation(metric: Metric): Aggregation {
  if (metric.type !== 'gauge') return 'sum';
  return metric.aggregation ?? 'each';
}

export function toSamples(label: string, counts: Iterable<readonly [value: string, count: number]>): Sample[] {
  return [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }));
}
