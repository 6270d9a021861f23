/** How long a client repeats a failed request, in milliseconds. */
const REPEAT_FOR_MS = 90_000;
const PAUSE_MS = 250;
const TIMEOUT_MS = 20_000;

/** Sends each request to a random process. Requests that are safe to repeat are repeated after 5xx, 429 or no response. */
export class Client {
  /** Timeout of a request in milliseconds, which some faults shorten. */
  timeoutMs = TIMEOUT_MS;
  /** Times of successful POST requests, as returned by `Date.now()`. */
  #successTimes = [];
  #urls;
  #random;

  /** @param {() => string[]} urls */
  constructor(urls, random) {
    this.#urls = urls;
    this.#random = random;
  }

  /**
   * Resolves to the last response, with status 0 if there was none. `wasUnknown` is true if an attempt without a response may
   * have been carried out.
   * @returns {Promise<{status: number, data: unknown, tries: number, wasUnknown: boolean}>}
   */
  async request(method, path, { headers, body, repeats }) {
    const until = Date.now() + REPEAT_FOR_MS;
    let wasUnknown = false;
    for (let tries = 1; ; tries += 1) {
      const response = await this.#requestOnce(method, path, headers, body);
      const isDefinite = response.status !== 0 && response.status < 500 && response.status !== 429;
      if (isDefinite || !repeats || Date.now() > until) return { ...response, tries, wasUnknown };
      if (response.status !== 429) wasUnknown = true;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** Returns the longest time in which no POST request succeeded, in milliseconds. */
  findLongestOutage(from, to) {
    return findLongestGap(this.#successTimes, from, to);
  }

  async #requestOnce(method, path, headers, body) {
    try {
      const response = await fetch(this.#random.pick(this.#urls()) + path, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      const data = await response.json();
      if (response.status === 200 && method === 'POST') this.#successTimes.push(Date.now());
      return { status: response.status, data };
    } catch {
      return { status: 0, data: null };
    }
  }
}

/** Returns the longest gap between `times`, `from` and `to`, in milliseconds. */
export function findLongestGap(times, from, to) {
  const inPeriod = times.filter((time) => time > from && time < to).sort((a, b) => a - b);
  const bounds = [from, ...inPeriod, to];
  return Math.max(...bounds.slice(1).map((time, index) => time - bounds[index]));
}
