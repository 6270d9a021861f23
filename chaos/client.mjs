/** How long a client repeats a request. */
const PATIENCE_MS = 90_000;
const PAUSE_MS = 250;
const TIMEOUT_MS = 20_000;

/** Sends requests to any running process, and repeats those that are safe to repeat after 5xx, 429 or no response. */
export class Client {
  /** Timeout of a request. Some faults shorten it. */
  timeoutMs = TIMEOUT_MS;
  /** When requests that change something succeeded, by `Date.now()`. */
  #accepted = [];
  #urls;
  #choices;

  /** @param {() => string[]} urls */
  constructor(urls, choices) {
    this.#urls = urls;
    this.#choices = choices;
  }

  /**
   * @returns {Promise<{status: number, data: unknown, tries: number, wasUnknown: boolean}>} the last response; status 0: none arrived.
   *   `wasUnknown`: an attempt may have been carried out although its response was lost
   */
  async ask(method, path, { headers, body, repeats }) {
    const until = Date.now() + PATIENCE_MS;
    let wasUnknown = false;
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#once(method, path, headers, body);
      const isDefinite = answer.status !== 0 && answer.status < 500 && answer.status !== 429;
      if (isDefinite || !repeats || Date.now() > until) return { ...answer, tries, wasUnknown };
      if (answer.status !== 429) wasUnknown = true;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** The longest time, in milliseconds, in which no request that changes something succeeded. */
  longestWithout(from, to) {
    return longestBetween(this.#accepted, from, to);
  }

  async #once(method, path, headers, body) {
    try {
      const answer = await fetch(this.#choices.pick(this.#urls()) + path, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      const data = await answer.json();
      if (answer.status === 200 && method === 'POST') this.#accepted.push(Date.now());
      return { status: answer.status, data };
    } catch {
      return { status: 0, data: null };
    }
  }
}

/** In milliseconds, including the gaps at both ends of the time span. */
export function longestBetween(moments, from, to) {
  const within = moments.filter((at) => at > from && at < to).sort((one, other) => one - other);
  const times = [from, ...within, to];
  return Math.max(...times.slice(1).map((at, index) => at - times[index]));
}
