import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Loop } from '../../platform/background/loop.js';
import type { Clock } from '../../platform/clock.js';
import { isStoreUnreachable } from '../../platform/store/failures.js';
import type { CarrierSinks } from '../carrier.js';
import { toSubject } from './answer/outcome.js';
import { readReports } from './callbacks/reports.js';
import type { Plan, PollPlan, ReportKind } from './plan.js';
import type { Variables } from './request/variables.js';
import type { VendorClient } from './vendor-client.js';

const MAX_ACTIVE = 4;
const MAX_WAITING = 1_000;
const STORE_RETRY_MS = 500;
const MAX_STORE_ATTEMPTS = 5;

export interface PollingOptions {
  name: string;
  plan: Plan;
  log: Logger;
  clock: Clock;
  client: VendorClient;
}

export class Polling {
  readonly #options: PollingOptions;
  readonly #loops: Loop[] = [];
  readonly #messagePoll: PollPlan | null;
  readonly #polledAt = new Map<string, number>();
  readonly #waitingIds: string[] = [];
  #activePolls = 0;
  #sinks: CarrierSinks | null = null;
  #closed = false;
  /** Signal that fires when `close` must no longer wait for the database. */
  #deadline: AbortSignal | null = null;
  #onIdle: (() => void) | null = null;

  constructor(options: PollingOptions) {
    this.#options = options;
    this.#messagePoll = options.plan.polls.find(({ perMessage }) => perMessage) ?? null;
  }

  get pollsMessages(): boolean {
    return this.#messagePoll !== null;
  }

  start(sinks: CarrierSinks): void {
    this.#sinks = sinks;
    for (const poll of this.#options.plan.polls.filter(({ perMessage }) => !perMessage)) {
      const loop = new Loop({
        poll: () => this.#poll(poll, null),
        everyMs: poll.everySeconds * 1000,
        log: this.#options.log,
        failure: 'the vendor cannot be polled for reports',
      });
      loop.start();
      this.#loops.push(loop);
    }
  }

  requestReceipts(messages: readonly { carrierMessageId: string }[]): void {
    const poll = this.#messagePoll;
    if (!poll || !this.#sinks || this.#closed) return;
    const now = performance.now();
    for (const [id, polledAt] of this.#polledAt)
      if (polledAt + poll.everySeconds * 1000 <= now) this.#polledAt.delete(id);
    for (const { carrierMessageId: id } of messages) {
      if (this.#polledAt.has(id) || this.#waitingIds.length >= MAX_WAITING) continue;
      this.#polledAt.set(id, now);
      this.#waitingIds.push(id);
    }
    while (this.#activePolls < MAX_ACTIVE && this.#waitingIds.length > 0) void this.#pollWaiting(poll);
  }

  /**
   * Waits until pending responses are stored, because a vendor may return each report only once. Stops waiting for the
   * database when the signal fires.
   */
  async close(signal: AbortSignal): Promise<void> {
    this.#closed = true;
    this.#deadline = signal;
    this.#waitingIds.length = 0;
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    if (this.#activePolls > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    this.#sinks = null;
  }

  async #pollWaiting(poll: PollPlan): Promise<void> {
    this.#activePolls += 1;
    for (let id = this.#waitingIds.shift(); id !== undefined; id = this.#waitingIds.shift()) {
      await this.#poll(poll, id).catch((error) => {
        this.#options.log.warn({ err: error }, 'the vendor cannot be polled for the status of a message');
      });
    }
    this.#activePolls -= 1;
    if (this.#activePolls === 0) this.#onIdle?.();
  }

  async #poll({ kind, request }: PollPlan, carrierMessageId: string | null): Promise<void> {
    const { name, plan, clock, client, log } = this.#options;
    const call = await client.prepare(request, createEmptyVariables(carrierMessageId));
    if (this.#closed) return;
    const answer = await client.call(call);
    if (answer.status < 200 || answer.status > 299) {
      log.warn({ kind, status: answer.status }, 'the vendor returned no reports');
      return;
    }
    const { value: body } = toSubject(answer);
    const source = { carrier: name, kind, query: { id: carrierMessageId }, body, receivedAt: clock.now() };
    const { receipts, inbound, unmatched } = readReports(plan, source);
    const sinks = this.#sinks;
    if (!sinks) return;
    await Promise.all([
      this.#store(kind, receipts, (batch) => sinks.receipts(batch)),
      this.#store(kind, inbound, (batch) => sinks.inbound(batch)),
    ]);
    if (unmatched.length > 0)
      log.warn({ kind, unused: unmatched.length }, 'some reports of the vendor could not be read');
  }

  /** If storing a batch fails, each item is stored separately, so that a bad item cannot block the others. */
  async #store<Item>(kind: ReportKind, items: readonly Item[], sink: (items: readonly Item[]) => Promise<void>) {
    if (items.length === 0) return;
    const { log } = this.#options;
    let isLogged = false;
    for (let attempt = 1; ; ) {
      try {
        await sink(items);
        return;
      } catch (error) {
        const isClosing = this.#deadline?.aborted === true;
        if (!isClosing && attempt >= MAX_STORE_ATTEMPTS && items.length > 1) break;
        if (isClosing || attempt >= MAX_STORE_ATTEMPTS) {
          log.error({ err: error, kind, lost: items.length }, 'reports of the vendor could not be stored and are lost');
          return;
        }
        if (!isLogged) log.warn({ err: error, kind }, 'reports of the vendor cannot be stored yet; retrying');
        isLogged = true;
        if (!isStoreUnreachable(error)) attempt += 1;
      }
      await pause(STORE_RETRY_MS);
    }
    await Promise.all(items.map((item) => this.#store(kind, [item], sink)));
  }
}

export function createEmptyVariables(carrierMessageId: string | null = null): Variables {
  return {
    ...{ id: '', attempt_id: '', to: '', to_plus: '', from: '', from_plus: '', text: '', segments: 0, encoding: '' },
    receipt_url: null,
    ...{ hex: '', validity_seconds: 1, validity_minutes: 1, valid_until: '', expires_at: '' },
    carrier_id: carrierMessageId,
  };
}
