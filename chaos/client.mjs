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

  async #once(method, path, headers, body) {
    try {
      const answer = await fetch(this.#choices.pick(this.#urls()) + path, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      return { status: answer.status, data: await answer.json() };
    } catch {
      return { status: 0, data: null };
    }
  }
}
