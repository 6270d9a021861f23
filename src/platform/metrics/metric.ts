import { ShortCache } from '../short-cache.js';
import type { Histogram } from './histogram.js';

/** Label values by name. Never use an ID of an account, a message or a number: every combination is kept forever. */
export type Labels = Readonly<Record<string, string>>;

interface MetricDescription {
  /** By Prometheus' conventions: prefix `heliograph_`, base units, `_total` for counters. */
  name: string;
  /** A sentence for Prometheus users, without a full stop. */
  help: string;
}

export interface Sample {
  labels?: Labels;
  value: number;
}

/**
 * How the values of several processes are merged: added up, kept per process with the label `process`, or taken from
 * one process because all report the same.
 */
export type Aggregation = 'sum' | 'each' | 'one';

/**
 * A metric. The code that measures keeps plain numbers, which is cheap; they are converted only when someone reads the
 * metric.
 */
export type Metric =
  | (MetricDescription & {
      type: 'counter' | 'gauge';
      labels?: readonly string[];
      /** `one` for a gauge of the installation or the machine. Default: each process has its own value. */
      across?: 'one';
      /** May query the store. If it rejects, the metric is left out of this response. */
      read(): Iterable<Sample> | Promise<Iterable<Sample>>;
    })
  | (MetricDescription & {
      type: 'histogram';
      labels?: readonly string[];
      read(): Iterable<{ labels?: Labels; spread: Histogram }>;
    });

/**
 * Creates gauges of the installation that share one query of the store, which is cached for a second.
 * @param gauges the help text and value of each, by name
 */
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

/** Converts counts by one label to samples. */
export function toSamples(label: string, counts: Iterable<readonly [value: string, count: number]>): Sample[] {
  return [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }));
}
