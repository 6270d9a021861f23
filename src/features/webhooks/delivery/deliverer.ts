import type { BackgroundStoreOptions } from '../../../platform/background/background-work.js';
import { Loop } from '../../../platform/background/loop.js';
import { type FormatFacts, findFormatFacts } from '../formats.js';
import { type AttemptOptions, Attempts, isTransientFailure } from './attempts/attempts.js';
import { planClaims } from './claim-plan.js';
import { type ClaimedDelivery, claimDeliveries, findDueWebhooks, releaseDeliveries } from './delivery-store.js';
import { Endpoint } from './endpoint.js';
import { ResultWriter, type ResultWriterOptions } from './results/result-writer.js';

/** After a slow query, the pause lasts QUERY_PAUSE_FACTOR times as long as the query. */
const QUERY_INTERVAL_MS = 250;
const QUERY_PAUSE_FACTOR = 5;
const MIN_QUERY_GAP_MS = 20;
/** Idle endpoints are forgotten after this time if there are more than MANY_ENDPOINTS. */
const FORGET_AFTER_MS = 10 * 60_000;
const MANY_ENDPOINTS = 1_000;

export interface DelivererOptions extends BackgroundStoreOptions, AttemptOptions {
  publicUrl: string;
  /** Limit for concurrent attempts to steady endpoints (see `planClaims`). */
  concurrency: number;
  endpointConcurrency?: number;
  /** Leases that end before this time belong to dead processes and are ignored; null if none are ignored. */
  leasesVoidUntil: Date | null;
  onWritten?: ResultWriterOptions['onWritten'];
}

/** Any number of processes can run a deliverer, because each delivery is leased to one process. */
export class WebhookDeliverer {
  readonly #options: DelivererOptions;
  readonly #attempts: Attempts;
  readonly #writer: ResultWriter;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #due = new Set<string>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #abortedIds: string[] = [];
  readonly #abort = new AbortController();
  readonly #loop: Loop;
  #isShort = false;
  /** Attempts by outcome. */
  readonly tries = { delivered: 0, retried: 0, given_up: 0 };
  /** By `performance.now()`. */
  #lastQueryAt = 0;
  #queryDelayMs = 0;
  #isWoken = false;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options);
    this.#writer = new ResultWriter(options);
    this.#loop = new Loop({
      poll: () => this.#runPass(),
      everyMs: QUERY_INTERVAL_MS,
      log: options.log,
      failure: 'the webhook outbox could not be read',
    });
  }

  start(): void {
    this.#loop.start();
  }

  wake(): void {
    this.#isWoken = true;
    this.#loop.wake();
  }

  async stop(patienceMs: number): Promise<void> {
    await this.#loop.stop();
    const timer = setTimeout(() => this.#abort.abort(), patienceMs);
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
    clearTimeout(timer);
    if (this.#abortedIds.length > 0) {
      await releaseDeliveries(this.#options.pool, this.#abortedIds).catch((error) => {
        this.#options.log.warn({ err: error }, 'the leases of aborted webhook deliveries could not be released');
      });
    }
    await this.#writer.close();
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  async #runPass(): Promise<number> {
    if (this.#msUntilQuery() <= 0) await this.#findDue();
    await this.#claim();
    return this.#msUntilQuery();
  }

  #msUntilQuery(): number {
    const afterMs = this.#isWoken ? Math.min(MIN_QUERY_GAP_MS, this.#queryDelayMs) : this.#queryDelayMs;
    return this.#lastQueryAt + afterMs - performance.now();
  }

  async #findDue(): Promise<void> {
    const startedAt = performance.now();
    this.#lastQueryAt = startedAt;
    // A failed query is repeated immediately.
    this.#queryDelayMs = 0;
    this.#isWoken = false;
    const dueWebhooks = await findDueWebhooks(this.#options.pool);
    const now = performance.now();
    this.#queryDelayMs = now - startedAt + Math.max(QUERY_INTERVAL_MS, (now - startedAt) * QUERY_PAUSE_FACTOR);
    this.#due.clear();
    for (const { webhookId, failing } of dueWebhooks) {
      this.#due.add(webhookId);
      if (!this.#endpoints.has(webhookId))
        this.#endpoints.set(webhookId, new Endpoint(failing, this.#options.endpointConcurrency));
    }
    if (this.#endpoints.size > MANY_ENDPOINTS) this.#forgetIdle(now);
  }

  #forgetIdle(now: number): void {
    for (const [webhookId, endpoint] of this.#endpoints) {
      const isIdle = endpoint.inFlight === 0 && !this.#due.has(webhookId) && now - endpoint.servedAt > FORGET_AFTER_MS;
      if (isIdle) this.#endpoints.delete(webhookId);
    }
  }

  async #claim(): Promise<void> {
    const now = performance.now();
    const due = [...this.#due].map((webhookId) => [webhookId, this.#endpoints.get(webhookId) as Endpoint] as const);
    const { concurrency, pool, faults, leasesVoidUntil } = this.#options;
    const { requests, isShort } = planClaims(this.#endpoints.values(), due, { concurrency, now });
    this.#isShort = isShort;
    if (requests.length === 0) return;
    const claimed = await claimDeliveries(pool, requests, leasesVoidUntil);
    await faults.hit('webhook:claimed');
    const facts = await this.#findFacts(claimed);

    const claimedCounts = new Map<string, number>();
    for (const delivery of claimed) {
      claimedCounts.set(delivery.webhookId, (claimedCounts.get(delivery.webhookId) ?? 0) + 1);
      this.#startAttempt(delivery, facts.get(delivery.id));
    }
    for (const { webhookId, count } of requests) {
      const endpoint = this.#endpoints.get(webhookId);
      if (endpoint) endpoint.servedAt = now;
      if ((claimedCounts.get(webhookId) ?? 0) < count) this.#due.delete(webhookId);
    }
  }

  /**
   * Reads the facts of deliveries one by one if they cannot be read together, so that one delivery does not block the
   * others.
   */
  async #findFacts(claimed: readonly ClaimedDelivery[]): Promise<ReadonlyMap<string, FormatFacts | Error>> {
    const { pool, publicUrl } = this.#options;
    try {
      return await findFormatFacts({ pool, publicUrl }, claimed);
    } catch (error) {
      if (isTransientFailure(error)) throw error;
    }
    const facts = new Map<string, FormatFacts | Error>();
    for (const delivery of claimed) {
      try {
        for (const [id, deliveryFacts] of await findFormatFacts({ pool, publicUrl }, [delivery]))
          facts.set(id, deliveryFacts);
      } catch (error) {
        if (isTransientFailure(error)) throw error;
        facts.set(delivery.id, error as Error);
      }
    }
    return facts;
  }

  #startAttempt(delivery: ClaimedDelivery, facts: FormatFacts | Error | undefined): void {
    let endpoint = this.#endpoints.get(delivery.webhookId);
    // A webhook whose URL has changed gets a new endpoint, because the state of the old URL does not apply.
    if (!endpoint || (endpoint.url !== null && endpoint.url !== delivery.endpointUrl)) {
      endpoint = new Endpoint(delivery.failing, this.#options.endpointConcurrency);
      this.#endpoints.set(delivery.webhookId, endpoint);
    }
    endpoint.url = delivery.endpointUrl;
    // The lease of the delivery expired while this process was still sending it.
    if (endpoint.hasDelivery(delivery.id)) return;
    endpoint.begin(delivery.id, performance.now());
    const attempt = this.#attempt(delivery, facts, endpoint).finally(() => this.#inFlight.delete(attempt));
    this.#inFlight.add(attempt);
  }

  async #attempt(delivery: ClaimedDelivery, facts: FormatFacts | Error | undefined, endpoint: Endpoint): Promise<void> {
    const { id, webhookId } = delivery;
    try {
      const { result, isSent } = await this.#attempts.make(delivery, facts, this.#abort.signal);
      if (!result) {
        endpoint.drop(id);
        this.#abortedIds.push(id);
        return;
      }
      if (isSent) endpoint.end(id, result.ok, performance.now());
      else endpoint.drop(id);
      this.tries[result.ok ? 'delivered' : result.delayMs === null ? 'given_up' : 'retried'] += 1;
      // The write is not awaited, because `stop` would otherwise wait for an unavailable store before it makes the
      // writer give up.
      void this.#writer.write(result);
      if (this.#isShort || (this.#due.has(webhookId) && endpoint.hasRoom(performance.now()))) this.#loop.wake();
    } catch (error) {
      endpoint.drop(id);
      this.#options.log.error({ err: error, webhookId, deliveryId: id }, 'a webhook delivery failed in this server');
    }
  }
}
