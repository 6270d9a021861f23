import type { Metric } from './metric.js';

export class Tally {
  readonly #first: string;
  readonly #second: string;
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(...[first, second]: readonly [first: string, second: string]) {
    this.#first = first;
    this.#second = second;
  }

  add(first: string, second: string, count = 1): void {
    let counts = this.#counts.get(first);
    if (!counts) {
      counts = new Map();
      this.#counts.set(first, counts);
    }
    counts.set(second, (counts.get(second) ?? 0) + count);
  }

  metric(name: string, help: string): Metric {
    const toSamples = ([first, counts]: readonly [string, Map<string, number>]) =>
      [...counts].map(([second, value]) => ({ labels: { [this.#first]: first, [this.#second]: second }, value }));
    const labels = [this.#first, this.#second];
    return { name, help, type: 'counter', labels, read: () => [...this.#counts].flatMap(toSamples) };
  }
}
