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
 * Something that is measured. Whoever measures keeps plain numbers, which cost next to nothing; they are read when somebody
 * asks, and only then is anything made of them.
 */
export type Metric =
  | (Described & {
      type: 'counter' | 'gauge';
      labels?: readonly string[];
      /** May ask the store; one that rejects leaves out its samples of this time. */
      read(): Iterable<Sample> | Promise<Iterable<Sample>>;
    })
  | (Described & {
      type: 'histogram';
      labels?: readonly string[];
      read(): Iterable<{ labels?: Labels; spread: Spread }>;
    });

/**
 * Gauges that one reading of the store fills, which is believed for a second.
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
    read: async () => [{ value: value(await readings.get('', read)) }],
  }));
}

/** The samples of counts by one label. */
export function samplesBy(label: string, counts: Iterable<readonly [value: string, count: number]>): Sample[] {
  return [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }));
}
