export const SHORT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

export class Histogram {
  /** Upper limits in ascending order; larger values have an extra slot. */
  readonly bounds: readonly number[];
  readonly #slots: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#slots = new Array(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const { bounds } = this;
    let slot = 0;
    while (slot < bounds.length && value > (bounds[slot] as number)) slot += 1;
    this.#slots[slot] = (this.#slots[slot] as number) + 1;
    this.#sum += value;
  }

  get sum(): number {
    return this.#sum;
  }

  get count(): number {
    return this.#slots.reduce((sum, slot) => sum + slot, 0);
  }

  cumulativeCounts(): { bound: number; count: number }[] {
    let count = 0;
    return this.bounds.map((bound, index) => {
      count += this.#slots[index] as number;
      return { bound, count };
    });
  }
}
