import type pg from 'pg';
import type { Logger } from 'pino';
import { setDeadline } from '../../platform/deadline.js';
import { onAbort } from '../../platform/on-abort.js';
import { type ClaimedMessage, LEASE_SECONDS, renewLeases } from './send-store.js';

/** Leases are renewed at this interval, and nothing is submitted in the last LEASE_MARGIN_MS of a lease. */
const RENEW_AFTER_MS = 10_000;
const LEASE_MARGIN_MS = 5_000;

export interface LeaseOptions {
  pool: pg.Pool;
  log: Logger;
}

export class Lease {
  readonly #options: LeaseOptions;
  readonly #controller = new AbortController();
  /** Messages whose outcome has not been written. The value is true once the outcome is known. */
  readonly #unwritten = new Map<ClaimedMessage, boolean>();
  /**
   * Signal that is aborted when no further message may be submitted. The lease also has a deadline (see `isPastDeadline`),
   * because a timer fires late if the process has been suspended.
   */
  readonly signal = this.#controller.signal;
  readonly #unlisten: () => void;
  #renewal: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #until = 0;

  /** @param signal the caller's signal; no listener stays on it after `end` */
  constructor(options: LeaseOptions, signal: AbortSignal) {
    this.#options = options;
    this.#unlisten = onAbort(signal, () => this.#controller.abort(signal.reason));
    // The lease is counted from a time before the claim, so it ends in this process before it ends in PostgreSQL.
    this.#extend(performance.now());
  }

  startRenewing(messages: readonly ClaimedMessage[]): void {
    for (const message of messages) this.#unwritten.set(message, false);
    this.#renewal = setInterval(() => void this.#renew(), RENEW_AFTER_MS);
  }

  /** Must be called before the outcome is written, because from then on a lost lease does no harm. */
  markOutcomeKnown(message: ClaimedMessage): void {
    this.#unwritten.set(message, true);
  }

  release(message: ClaimedMessage): void {
    this.#unwritten.delete(message);
  }

  /** Stops renewing the lease, so the relay takes over messages that were not released. */
  end(): void {
    clearInterval(this.#renewal);
    clearTimeout(this.#expiry);
    this.#unlisten();
  }

  /** @param from when the lease was requested; PostgreSQL starts counting later, never earlier */
  #extend(from: number): void {
    const until = from + LEASE_SECONDS * 1000 - LEASE_MARGIN_MS;
    // Responses to lease renewals may arrive out of order.
    if (until <= this.#until) return;
    this.#until = until;
    setDeadline(this.signal, until);
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => this.#controller.abort(), Math.max(0, until - performance.now()));
  }

  async #renew(): Promise<void> {
    const messages = [...this.#unwritten.keys()];
    if (messages.length === 0) return;
    const started = performance.now();
    try {
      const renewed = await renewLeases(this.#options.pool, messages);
      const lostMessages = messages.filter(
        (message) => this.#unwritten.get(message) === false && !renewed.has(message.id),
      );
      if (lostMessages.length === 0) return this.#extend(started);
      // This process has misjudged how long its leases last, so it may have lost other leases too.
      this.#controller.abort();
      this.#options.log.warn(
        { messages: lostMessages.length },
        'another worker took over messages that were waiting for their carrier',
      );
    } catch (error) {
      this.#options.log.warn({ err: error }, 'cannot renew leases');
    }
  }
}
