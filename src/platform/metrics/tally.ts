import type { Metric } from './metric.js';

/** Counts by two labels, of few values each. */
export class Tally {
  readonly #first: string;
  readonly #second: string;
  readonly #counts = new Map<string, Map<string, number>>();

  /** @param labels their names */
  constructor(...[first, second]: readonly [first: string, second: string]) {
    this.#first = first;
    this.#second = second;
  }

  /** Counts one of these values of the labels. */
  add(first: string, second: string, count = 1): void {
    let counts = this.#counts.get(first);
    if (!counts) {
      counts = new Map();
      this.#counts.set(first, counts);
    }
    counts.set(second, (counts.get(second) ?? 0) + count);
  }

  /** What was counted, as a metric with both labels. */
  metric(name: string, help: string): Metric {
    const labelled = ([first, counts]: readonly [string, Map<string, number>]) =>
      [...counts].map(([second, value]) => ({ labels: { [this.#first]: first, [this.#second]: second }, value }));
    const labels = [this.#first, this.#second];
    return { name, help, type: 'counter', labels, read: () => [...this.#counts].flatMap(labelled) };
  }
}
