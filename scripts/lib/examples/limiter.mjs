/** Runs tasks concurrently, but at most `limit` at once; the others wait. */
export class Limiter {
  #free;
  /** @type {(() => void)[]} */
  #waiting = [];

  /** @param {number} limit */
  constructor(limit) {
    this.#free = limit;
  }

  /** @template T @param {() => Promise<T>} task @returns {Promise<T>} */
  async run(task) {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
