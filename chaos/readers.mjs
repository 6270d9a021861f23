import { setTimeout as pause } from 'node:timers/promises';

const READERS = 2;
const EVERY_MS = 100;
/** A reader looks for one of this many newest messages. */
const NEWEST = 20;
const TIMEOUT_MS = 20_000;
/** How long it may take until a recovered replica is used. */
const FOUND_MS = 15_000;
/** No response, or the server or its store is unavailable or overloaded. */
const UNABLE = new Set([0, 429, 503]);
const FROM_REPLICA = /^heliograph_replica_reads_total\{from="replica",reason="young"\} (\d+)/m;

/**
 * Operators who look for messages in the console's list. Each looks for an acknowledged message as soon as it must be visible and
 * records `{to, id, afterMs, isShown}`, or `{to, id, afterMs, status}` after an unexpected response.
 */
export class Readers {
  reads = [];
  #world;
  #journal;
  #maxAgeMs;
  #cookie = '';
  #running = [];
  #stopping = false;

  /**
   * @param {{fleet: any, account: string, choices: any, link: string}} world `link`: a one-time sign-in link
   * @param {{to: string, outcome: string, id: string | null, at: number}[]} journal of the senders
   * @param {number} maxAgeMs how long after its acknowledgement a message may be missing
   */
  constructor(world, journal, maxAgeMs) {
    this.#world = world;
    this.#journal = journal;
    this.#maxAgeMs = maxAgeMs;
  }

  async start() {
    this.#cookie = await this.#signIn();
    this.#running = Array.from({ length: READERS }, () => this.#again());
  }

  async stop() {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  /** The counter of reads from the replica must grow within some seconds. */
  async readTheReplica() {
    const before = await this.#readFromReplica();
    for (const until = Date.now() + FOUND_MS; Date.now() < until; await pause(EVERY_MS)) {
      if ((await this.#readFromReplica()) > before) return true;
    }
    return false;
  }

  async #readFromReplica() {
    const counts = this.#world.fleet.metricsUrls().map(async (url) => {
      const text = await (await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })).text();
      return Number(FROM_REPLICA.exec(text)?.[1] ?? 0);
    });
    return (await Promise.all(counts)).reduce((total, count) => total + count, 0);
  }

  async #signIn() {
    const { fleet, link } = this.#world;
    const [base] = fleet.urls();
    const headers = { 'content-type': 'application/json', origin: base };
    const body = JSON.stringify({ token: new URLSearchParams(new URL(link).hash.slice(1)).get('token') });
    const answer = await fetch(`${base}/admin/v1/session/link`, { method: 'POST', headers, body });
    const cookie = answer.headers.get('set-cookie')?.split(';')[0];
    if (!cookie) throw new Error(`the operator was not signed in: ${answer.status} ${await answer.text()}`);
    return cookie;
  }

  async #again() {
    while (!this.#stopping) {
      await this.#look();
      await pause(EVERY_MS);
    }
  }

  async #look() {
    const message = this.#chosen();
    if (!message) return;
    const afterMs = performance.now() - message.at;
    const result = await this.#isShown(message);
    if (result) this.reads.push({ to: message.to, id: message.id, afterMs, ...result });
  }

  #chosen() {
    const { choices } = this.#world;
    const owed = performance.now() - this.#maxAgeMs;
    let last = this.#journal.length - 1;
    while (last >= 0 && this.#journal[last].at > owed) last -= 1;
    const candidate = this.#journal[last - choices.below(NEWEST)];
    return candidate?.outcome === 'acknowledged' ? candidate : null;
  }

  /** @returns {Promise<{isShown: boolean} | {status: number} | null>} null if there was no response */
  async #isShown({ to, id }) {
    const { fleet, account, choices } = this.#world;
    const base = choices.pick(fleet.urls());
    for (let next = ''; next !== null; ) {
      const query = new URLSearchParams({ to, ...(next && { cursor: next }) });
      const { status, page } = await this.#page(`${base}/admin/v1/accounts/${account}/messages?${query}`);
      if (!page) return UNABLE.has(status) ? null : { status };
      if (page.data.some((message) => message.id === id)) return { isShown: true };
      next = page.next;
    }
    return { isShown: false };
  }

  async #page(url) {
    try {
      const answer = await fetch(url, { headers: { cookie: this.#cookie }, signal: AbortSignal.timeout(TIMEOUT_MS) });
      return { status: answer.status, page: answer.status === 200 ? await answer.json() : null };
    } catch {
      return { status: 0, page: null };
    }
  }
}
