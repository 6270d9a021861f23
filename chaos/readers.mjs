import { setTimeout as pause } from 'node:timers/promises';

const READERS = 2;
const PAUSE_MS = 100;
/** Readers search for a random message among this number of newest messages. */
const NEWEST = 20;
const TIMEOUT_MS = 20_000;
/** Maximum time until processes use a recovered replica, in milliseconds. */
const REPLICA_TIMEOUT_MS = 15_000;
/** Statuses of requests without a response (0), and of a server or store that is unavailable or overloaded. */
const UNAVAILABLE = new Set([0, 429, 503]);
const REPLICA_READS = /^heliograph_replica_reads_total\{from="replica",reason="young"\} (\d+)/m;

/**
 * Simulates operators who search for acknowledged messages in the console's list, as soon as the list must show them. Records
 * `{to, id, afterMs, isShown}`, or `{to, id, afterMs, status}` after an unexpected response.
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
   * @param {{fleet: any, account: string, random: any, link: string}} world `link`: a one-time sign-in link
   * @param {{to: string, outcome: string, id: string | null, at: number}[]} journal of the senders
   * @param {number} maxAgeMs how long an acknowledged message may be missing from the list
   */
  constructor(world, journal, maxAgeMs) {
    this.#world = world;
    this.#journal = journal;
    this.#maxAgeMs = maxAgeMs;
  }

  async start() {
    this.#cookie = await this.#signIn();
    this.#running = Array.from({ length: READERS }, () => this.#readRepeatedly());
  }

  async stop() {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  /** Returns false if processes still do not read from the replica after REPLICA_TIMEOUT_MS. */
  async waitForReplicaReads() {
    const before = await this.#countReplicaReads();
    for (const until = Date.now() + REPLICA_TIMEOUT_MS; Date.now() < until; await pause(PAUSE_MS)) {
      if ((await this.#countReplicaReads()) > before) return true;
    }
    return false;
  }

  async #countReplicaReads() {
    const counts = this.#world.fleet.metricsUrls().map(async (url) => {
      const text = await (await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })).text();
      return Number(REPLICA_READS.exec(text)?.[1] ?? 0);
    });
    return (await Promise.all(counts)).reduce((total, count) => total + count, 0);
  }

  async #signIn() {
    const { fleet, link } = this.#world;
    const [base] = fleet.urls();
    const headers = { 'content-type': 'application/json', origin: base };
    const body = JSON.stringify({ token: new URLSearchParams(new URL(link).hash.slice(1)).get('token') });
    const response = await fetch(`${base}/admin/v1/session/link`, { method: 'POST', headers, body });
    const cookie = response.headers.get('set-cookie')?.split(';')[0];
    if (!cookie) throw new Error(`signing in as an operator failed: ${response.status} ${await response.text()}`);
    return cookie;
  }

  async #readRepeatedly() {
    while (!this.#stopping) {
      await this.#readOnce();
      await pause(PAUSE_MS);
    }
  }

  async #readOnce() {
    const message = this.#pickMessage();
    if (!message) return;
    const afterMs = performance.now() - message.at;
    const result = await this.#search(message);
    if (result) this.reads.push({ to: message.to, id: message.id, afterMs, ...result });
  }

  #pickMessage() {
    const { random } = this.#world;
    const visibleUntil = performance.now() - this.#maxAgeMs;
    let index = this.#journal.length - 1;
    while (index >= 0 && this.#journal[index].at > visibleUntil) index -= 1;
    const candidate = this.#journal[index - random.below(NEWEST)];
    return candidate?.outcome === 'acknowledged' ? candidate : null;
  }

  /**
   * Returns null if there was no response.
   * @returns {Promise<{isShown: boolean} | {status: number} | null>}
   */
  async #search({ to, id }) {
    const { fleet, account, random } = this.#world;
    const base = random.pick(fleet.urls());
    for (let next = ''; next !== null; ) {
      const query = new URLSearchParams({ to, ...(next && { cursor: next }) });
      const { status, page } = await this.#fetchPage(`${base}/admin/v1/accounts/${account}/messages?${query}`);
      if (!page) return UNAVAILABLE.has(status) ? null : { status };
      if (page.data.some((message) => message.id === id)) return { isShown: true };
      next = page.next;
    }
    return { isShown: false };
  }

  async #fetchPage(url) {
    try {
      const response = await fetch(url, { headers: { cookie: this.#cookie }, signal: AbortSignal.timeout(TIMEOUT_MS) });
      return { status: response.status, page: response.status === 200 ? await response.json() : null };
    } catch {
      return { status: 0, page: null };
    }
  }
}
