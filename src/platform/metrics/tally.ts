import type { Metric } from './metric.js';

export class Tally {
  readonly #firstLabel: string;
  readonly #secondLabel: string;
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(...[first, second]: readonly [first: string, second: string]) {
    this.#firstLabel = first;
    this.#secondLabel = second;
  }

  add(first: string, second: string, count = 1): void {
    let counts = this.#counts.get(first);
    if (!counts) {
      counts = new Map();
      this.#counts.set(first, counts);
    }
    counts.set(second, (counts.get(second) ?? 0) + count);
  }

  toMetric(name: string, help: string): Metric {
    const toSamples = ([first, counts]: readonly [string, Map<string, number>]) =>
      [...counts].map(([second, value]) => ({
        labels: { [this.#firstLabel]: first, [this.#secondLabel]: second },
        value,
      }));
    const labels = [this.#firstLabel, this.#secondLabel];
    return { name, help, type: 'counter', labels, read: () => [...this.#counts].flatMap(toSamples) };
  }
}
