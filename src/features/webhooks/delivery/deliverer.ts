import type { KeyedWorkOptions } from '../../../platform/background/background-work.js';
import { Loop } from '../../../platform/background/loop.js';
import { type FormatFacts, findFormatFacts } from '../formats.js';
import { type AttemptOptions, Attempts, isPassing } from './attempts/attempts.js';
import { planClaims } from './claim-plan.js';
import { type ClaimedDelivery, claim, findDue, release } from './delivery-store.js';
import { Endpoint } from './endpoint.js';
import { ResultWriter, type ResultWriterOptions } from './results/result-writer.js';

/** How often the outbox is looked at; at the least this often a share of the time that a look takes. */
const LOOK_EVERY_MS = 250;
const LOOK_SHARE = 5;
/** The shortest time between two looks, however often it is woken. */
const LOOK_GAP_MS = 20;
/** What is known of an endpoint is forgotten after this time, once there are many of them. */
const FORGET_AFTER_MS = 10 * 60_000;
const MANY_ENDPOINTS = 1_000;

export interface DelivererOptions extends KeyedWorkOptions, AttemptOptions {
  /** What addresses in bodies begin with. */
  publicUrl: string;
  /** Tries at once to endpoints that answer well; see planClaims. */
  concurrency: number;
  /** Of them to one endpoint; MAX_AT_ONCE unless told. */
  endpointConcurrency?: number;
  /** Leases that end by then are those of dead processes and need not be waited for; null where there are none. */
  leasesVoidUntil: Date | null;
  /** Called with the accounts whose deliveries were tried, after each write of results and of the state of webhooks. */
  onWritten?: ResultWriterOptions['onWritten'];
}

/**
 * Sends what the outbox holds. Any number of processes may run one: a delivery is leased to one of them, and a process
 * that dies leaves its deliveries to the others once their leases end.
 */
export class WebhookDeliverer {
  readonly #options: DelivererOptions;
  readonly #attempts: Attempts;
  readonly #writer: ResultWriter;
  readonly #endpoints = new Map<string, Endpoint>();
  /** Webhooks that may have more to send now. */
  readonly #due = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #brokenOff: string[] = [];
  readonly #breakOff = new AbortController();
  readonly #loop: Loop;
  /** Some endpoint waits for slots that others hold. */
  #short = false;
  /** How many tries came to what. */
  readonly tries = { delivered: 0, retried: 0, given_up: 0 };
  /** When the last look began, by `performance.now()`, and after how many milliseconds the next one is due. */
  #lastLook = 0;
  #lookAfterMs = 0;
  /** Something new may have come since the last look began. */
  #news = false;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options);
    this.#writer = new ResultWriter(options);
    this.#loop = new Loop({
      look: () => this.#turn(),
      everyMs: LOOK_EVERY_MS,
      log: options.log,
      failure: 'the outbox of the webhooks could not be read',
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Tells that the outbox may hold something new. Cheap: many calls make one look. */
  wake(): void {
    this.#news = true;
    this.#loop.wake();
  }

  /** Claims nothing more, and lets what is under way finish for so many milliseconds before it breaks it off. */
  async stop(patienceMs: number): Promise<void> {
    await this.#loop.stop();
    const timer = setTimeout(() => this.#breakOff.abort(), patienceMs);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    clearTimeout(timer);
    if (this.#brokenOff.length > 0) {
      await release(this.#options.pool, this.#brokenOff).catch((error) => {
        this.#options.log.warn({ err: error }, 'webhook deliveries could not be given back');
      });
    }
    await this.#writer.close();
  }

  /** Tries that wait for the answer of their endpoint. */
  get inFlight(): number {
    return this.#underWay.size;
  }

  /** Looks, if it is time to, and claims what there is room for. Resolves to the milliseconds until the next look. */
  async #turn(): Promise<number> {
    if (this.#untilLook() <= 0) await this.#look();
    await this.#claim();
    return this.#untilLook();
  }

  #untilLook(): number {
    const afterMs = this.#news ? Math.min(LOOK_GAP_MS, this.#lookAfterMs) : this.#lookAfterMs;
    return this.#lastLook + afterMs - performance.now();
  }

  async #look(): Promise<void> {
    const began = performance.now();
    this.#lastLook = began;
    // One that fails is due again at once.
    this.#lookAfterMs = 0;
    this.#news = false;
    const found = await findDue(this.#options.pool);
    const now = performance.now();
    this.#lookAfterMs = now - began + Math.max(LOOK_EVERY_MS, (now - began) * LOOK_SHARE);
    this.#due.clear();
    for (const { webhookId, failing } of found) {
      this.#due.add(webhookId);
      if (!this.#endpoints.has(webhookId))
        this.#endpoints.set(webhookId, new Endpoint(failing, this.#options.endpointConcurrency));
    }
    if (this.#endpoints.size > MANY_ENDPOINTS) this.#forgetIdle(now);
  }

  #forgetIdle(now: number): void {
    for (const [webhookId, endpoint] of this.#endpoints) {
      const idle = endpoint.underWay === 0 && !this.#due.has(webhookId) && now - endpoint.servedAt > FORGET_AFTER_MS;
      if (idle) this.#endpoints.delete(webhookId);
    }
  }

  async #claim(): Promise<void> {
    const now = performance.now();
    const due = [...this.#due].map((webhookId) => [webhookId, this.#endpoints.get(webhookId) as Endpoint] as const);
    const { concurrency, pool, faults, leasesVoidUntil } = this.#options;
    const { wishes, short } = planClaims(this.#endpoints.values(), due, { concurrency, now });
    this.#short = short;
    if (wishes.length === 0) return;
    const claimed = await claim(pool, wishes, leasesVoidUntil);
    await faults.hit('webhook:claimed');
    const facts = await this.#findFacts(claimed);

    const got = new Map<string, number>();
    for (const delivery of claimed) {
      got.set(delivery.webhookId, (got.get(delivery.webhookId) ?? 0) + 1);
      this.#begin(delivery, facts.get(delivery.id));
    }
    for (const { webhookId, count } of wishes) {
      const endpoint = this.#endpoints.get(webhookId);
      if (endpoint) endpoint.servedAt = now;
      if ((got.get(webhookId) ?? 0) < count) this.#due.delete(webhookId);
    }
  }

  /** Those that cannot be read together are read alone, so that one event holds up no other. */
  async #findFacts(claimed: readonly ClaimedDelivery[]): Promise<ReadonlyMap<string, FormatFacts | Error>> {
    const { pool, publicUrl } = this.#options;
    try {
      return await findFormatFacts({ pool, publicUrl }, claimed);
    } catch (error) {
      if (isPassing(error)) throw error;
    }
    const facts = new Map<string, FormatFacts | Error>();
    for (const delivery of claimed) {
      try {
        for (const [id, found] of await findFormatFacts({ pool, publicUrl }, [delivery])) facts.set(id, found);
      } catch (error) {
        if (isPassing(error)) throw error;
        facts.set(delivery.id, error as Error);
      }
    }
    return facts;
  }

  #begin(delivery: ClaimedDelivery, facts: FormatFacts | Error | undefined): void {
    let endpoint = this.#endpoints.get(delivery.webhookId);
    // What was learnt of one URL says nothing about another.
    if (!endpoint || (endpoint.url !== null && endpoint.url !== delivery.endpointUrl)) {
      endpoint = new Endpoint(delivery.failing, this.#options.endpointConcurrency);
      this.#endpoints.set(delivery.webhookId, endpoint);
    }
    endpoint.url = delivery.endpointUrl;
    // Its lease ran out while this very process is still at it.
    if (endpoint.has(delivery.id)) return;
    endpoint.begin(delivery.id, performance.now());
    const attempt = this.#attempt(delivery, facts, endpoint).finally(() => this.#underWay.delete(attempt));
    this.#underWay.add(attempt);
  }

  async #attempt(delivery: ClaimedDelivery, facts: FormatFacts | Error | undefined, endpoint: Endpoint): Promise<void> {
    const { id, webhookId } = delivery;
    try {
      const { result, isSent } = await this.#attempts.make(delivery, facts, this.#breakOff.signal);
      if (!result) {
        endpoint.drop(id);
        this.#brokenOff.push(id);
        return;
      }
      if (isSent) endpoint.end(id, result.ok, performance.now());
      else endpoint.drop(id);
      this.tries[result.ok ? 'delivered' : result.delayMs === null ? 'given_up' : 'retried'] += 1;
      // Not waited for: while the store is away it would hold up the stop, which ends the writer's patience.
      void this.#writer.write(result);
      if (this.#short || (this.#due.has(webhookId) && endpoint.hasRoom(performance.now()))) this.#loop.wake();
    } catch (error) {
      endpoint.drop(id);
      this.#options.log.error({ err: error, webhookId, deliveryId: id }, 'a webhook delivery failed in this server');
    }
  }
}
