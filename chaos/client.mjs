/** A client gives up so long after it began, whatever the answers say. */
const PATIENCE_MS = 90_000;
const PAUSE_MS = 250;
const TIMEOUT_MS = 20_000;

/**
 * What a client asks of whichever process answers. It repeats what may be repeated: whatever has an Idempotency-Key or changes
 * nothing, after 5xx, 429 and no answer at all.
 */
export class Client {
  /** How long an answer is waited for; a fault makes it short. */
  timeoutMs = TIMEOUT_MS;
  /** When requests that change something were answered with success, by `Date.now()`. */
  #accepted = [];
  #urls;
  #choices;

  /** @param {() => string[]} urls */
  constructor(urls, choices) {
    this.#urls = urls;
    this.#choices = choices;
  }

  /**
   * @returns {Promise<{status: number, data: unknown, tries: number, wasUnknown: boolean}>} the last answer; status 0: none came.
   *   `wasUnknown`: a try may have been carried out although nobody was told
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

  /** The longest time, in milliseconds, in which no request that changes something was answered with success. */
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

/** The longest time between two of some moments, and between them and the ends of a span, in milliseconds. */
export function longestBetween(moments, from, to) {
  const within = moments.filter((at) => at > from && at < to).sort((one, other) => one - other);
  const times = [from, ...within, to];
  return Math.max(...times.slice(1).map((at, index) => at - times[index]));
}
