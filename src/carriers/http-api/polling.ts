import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Loop } from '../../platform/background/loop.js';
import type { Clock } from '../../platform/clock.js';
import { isStoreAway } from '../../platform/store/failures.js';
import type { CarrierSinks } from '../carrier.js';
import { subjectOf } from './answer/outcome.js';
import { readReports } from './callbacks/reports.js';
import type { Plan, PollPlan, ReportKind } from './plan.js';
import type { Variables } from './request/variables.js';
import type { VendorClient } from './vendor-client.js';

/** Messages that are asked for at once, and those that wait to be. More are asked for another time. */
const AT_ONCE = 4;
const MOST_WAITING = 1_000;
/** What could not be stored is handed over again after so long; so often at the most where the store is there. */
const STORE_AGAIN_MS = 500;
const MOST_TRIES = 5;

export interface PollingOptions {
  name: string;
  plan: Plan;
  log: Logger;
  clock: Clock;
  client: VendorClient;
}

/** Asks a vendor for what it has to report, where it does not call us. */
export class Polling {
  readonly #options: PollingOptions;
  readonly #loops: Loop[] = [];
  readonly #perMessage: PollPlan | null;
  /** When a message was asked for last, by `performance.now()`. */
  readonly #asked = new Map<string, number>();
  readonly #waiting: string[] = [];
  #asking = 0;
  #sinks: CarrierSinks | null = null;
  #closed = false;
  /** Fires when closing has waited for the store long enough. */
  #deadline: AbortSignal | null = null;
  #idle: (() => void) | null = null;

  constructor(options: PollingOptions) {
    this.#options = options;
    this.#perMessage = options.plan.polls.find(({ perMessage }) => perMessage) ?? null;
  }

  /** Whether the vendor is asked for single messages. */
  get asksForMessages(): boolean {
    return this.#perMessage !== null;
  }

  start(sinks: CarrierSinks): void {
    this.#sinks = sinks;
    for (const poll of this.#options.plan.polls.filter(({ perMessage }) => !perMessage)) {
      const loop = new Loop({
        look: () => this.#ask(poll, null),
        everyMs: poll.everySeconds * 1000,
        log: this.#options.log,
        failure: 'a vendor could not be asked for its reports',
      });
      loop.start();
      this.#loops.push(loop);
    }
  }

  /** Asks what became of messages, each at most once in the plan's time. */
  askFor(messages: readonly { carrierMessageId: string }[]): void {
    const poll = this.#perMessage;
    if (!poll || !this.#sinks || this.#closed) return;
    const now = performance.now();
    for (const [id, at] of this.#asked) if (at + poll.everySeconds * 1000 <= now) this.#asked.delete(id);
    for (const { carrierMessageId: id } of messages) {
      if (this.#asked.has(id) || this.#waiting.length >= MOST_WAITING) continue;
      this.#asked.set(id, now);
      this.#waiting.push(id);
    }
    while (this.#asking < AT_ONCE && this.#waiting.length > 0) void this.#askOn(poll);
  }

  /**
   * Asks no more. Resolves once what was asked is answered and stored: a vendor may tell each report once.
   * @param signal once it fires, a store that is away is waited for no longer
   */
  async close(signal: AbortSignal): Promise<void> {
    this.#closed = true;
    this.#deadline = signal;
    this.#waiting.length = 0;
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    if (this.#asking > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    this.#sinks = null;
  }

  async #askOn(poll: PollPlan): Promise<void> {
    this.#asking += 1;
    for (let id = this.#waiting.shift(); id !== undefined; id = this.#waiting.shift()) {
      await this.#ask(poll, id).catch((error) => {
        this.#options.log.warn({ err: error }, 'a vendor could not be asked what became of a message');
      });
    }
    this.#asking -= 1;
    if (this.#asking === 0) this.#idle?.();
  }

  async #ask({ kind, request }: PollPlan, carrierMessageId: string | null): Promise<void> {
    const { name, plan, clock, client, log } = this.#options;
    const call = await client.prepare(request, blank(carrierMessageId));
    // A token may have been waited for.
    if (this.#closed) return;
    const answer = await client.ask(call);
    if (answer.status < 200 || answer.status > 299) {
      log.warn({ kind, status: answer.status }, 'a vendor did not tell its reports');
      return;
    }
    const { value: body } = subjectOf(answer);
    const source = { carrier: name, kind, query: { id: carrierMessageId }, body, receivedAt: clock.now() };
    const { receipts, inbound, unused } = readReports(plan, source);
    const sinks = this.#sinks;
    if (!sinks) return;
    await Promise.all([
      this.#store(kind, receipts, (batch) => sinks.receipts(batch)),
      this.#store(kind, inbound, (batch) => sinks.inbound(batch)),
    ]);
    if (unused.length > 0) log.warn({ kind, unused: unused.length }, 'reports of a vendor could not be read');
  }

  /** All together; when that fails though the store is there, each by itself: one must not cost the others. */
  async #store<Item>(kind: ReportKind, items: readonly Item[], sink: (items: readonly Item[]) => Promise<void>) {
    if (items.length === 0) return;
    const { log } = this.#options;
    let isSaid = false;
    for (let tries = 1; ; ) {
      try {
        await sink(items);
        return;
      } catch (error) {
        const isOver = this.#deadline?.aborted === true;
        if (!isOver && tries >= MOST_TRIES && items.length > 1) break;
        if (isOver || tries >= MOST_TRIES) {
          log.error({ err: error, kind, lost: items.length }, 'reports of a vendor could not be stored, and are lost');
          return;
        }
        if (!isSaid) log.warn({ err: error, kind }, 'reports of a vendor wait for the store');
        isSaid = true;
        if (!isStoreAway(error)) tries += 1;
      }
      await pause(STORE_AGAIN_MS);
    }
    await Promise.all(items.map((item) => this.#store(kind, [item], sink)));
  }
}

/** A request that is about no message to be sent. */
export function blank(carrierMessageId: string | null = null): Variables {
  return {
    ...{ id: '', attempt_id: '', to: '', to_plus: '', from: '', from_plus: '', text: '', segments: 0, encoding: '' },
    receipt_url: null,
    ...{ hex: '', validity_seconds: 1, validity_minutes: 1, valid_until: '', expires_at: '' },
    carrier_id: carrierMessageId,
  };
}
