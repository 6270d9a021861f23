import { ShortCache } from '../short-cache.js';
import type { Spread } from './spread.js';

/** Values of labels by their names. Never an id of an account, a message or a number: each combination is kept for ever. */
export type Labels = Readonly<Record<string, string>>;

interface Described {
  /** By Prometheus' conventions: prefix `heliograph_`, base units, `_total` for what only counts up. */
  name: string;
  /** A sentence for whoever reads it in Prometheus, without a full stop. */
  help: string;
}

/** A number with its labels. */
export interface Sample {
  labels?: Labels;
  value: number;
}

/**
 * How what several processes of one start measured becomes one answer: added up; each for itself, with its number as the
 * label `process`; or told by one of them, because all would say the same.
 */
export type Across = 'sum' | 'each' | 'one';

/**
 * Something that is measured. Whoever measures keeps plain numbers, which cost next to nothing; they are read when somebody
 * asks, and only then is anything made of them.
 */
export type Metric =
  | (Described & {
      type: 'counter' | 'gauge';
      labels?: readonly string[];
      /** Of a gauge, `one` where it is the installation's or the machine's; each process's own unless told. */
      across?: 'one';
      /** May ask the store; one that rejects leaves out its samples of this time. */
      read(): Iterable<Sample> | Promise<Iterable<Sample>>;
    })
  | (Described & {
      type: 'histogram';
      labels?: readonly string[];
      read(): Iterable<{ labels?: Labels; spread: Spread }>;
    });

/**
 * Gauges of the installation that one reading of the store fills, which is believed for a second.
 * @param gauges help and value of each, by its name
 */
export function gaugesOf<T>(
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

/** How what processes measured of it becomes one. */
export function acrossOf(metric: Metric): Across {
  if (metric.type !== 'gauge') return 'sum';
  return metric.across ?? 'each';
}

/** The samples of counts by one label. */
export function samplesBy(label: string, counts: Iterable<readonly [value: string, count: number]>): Sample[] {
  return [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }));
}
