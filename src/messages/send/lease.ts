import type pg from 'pg';
import type { Logger } from 'pino';
import { setDeadline } from '../../platform/deadline.js';
import { onAbort } from '../../platform/on-abort.js';
import { type ClaimedMessage, LEASE_SECONDS, renewLeases } from './send-store.js';

/** A lease is renewed this long after it was taken, and no message leaves in the last part of it. */
const RENEW_AFTER_MS = 10_000;
const LEASE_MARGIN_MS = 5_000;

export interface LeaseOptions {
  pool: pg.Pool;
  log: Logger;
}

/** The lease of a batch in this process: renewed while work goes on, and the end of submissions when it is not. */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #controller = new AbortController();
  /** Whose outcomes are not written; true of those whose outcome is known: they leave no more. */
  readonly #held = new Map<ClaimedMessage, boolean>();
  /**
   * Aborts when no message may leave any more: the caller stops, the lease could not be renewed in time, or another worker
   * has a message of it. It has a deadline (see `isOver`), for its timer comes too late where the process stood still.
   */
  readonly signal = this.#controller.signal;
  readonly #unlisten: () => void;
  #renewal: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #until = 0;

  /** @param signal the caller's, which may live as long as the process: nothing of the lease stays with it after `end` */
  constructor(options: LeaseOptions, signal: AbortSignal) {
    this.#options = options;
    this.#unlisten = onAbort(signal, () => this.#controller.abort(signal.reason));
    // Taken before the claim is made, so it ends here before it ends in PostgreSQL.
    this.#extend(performance.now());
  }

  /** From now on these messages are renewed, until each is released. */
  hold(messages: readonly ClaimedMessage[]): void {
    for (const message of messages) this.#held.set(message, false);
    this.#renewal = setInterval(() => void this.#renew(), RENEW_AFTER_MS);
  }

  /** The outcome of a message is known, and is to be written: from now on it may be found to be another's, or nobody's. */
  settle(message: ClaimedMessage): void {
    this.#held.set(message, true);
  }

  /** The outcome of a message is written: its lease is over. */
  release(message: ClaimedMessage): void {
    this.#held.delete(message);
  }

  /** Ends the renewals. A message that was not released is left to the relay. */
  end(): void {
    clearInterval(this.#renewal);
    clearTimeout(this.#expiry);
    this.#unlisten();
  }

  /** @param from when PostgreSQL was asked for the lease, or for more of it: there it ends later, not earlier */
  #extend(from: number): void {
    const until = from + LEASE_SECONDS * 1000 - LEASE_MARGIN_MS;
    // Answers of renewals may overtake each other.
    if (until <= this.#until) return;
    this.#until = until;
    setDeadline(this.signal, until);
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => this.#controller.abort(), Math.max(0, until - performance.now()));
  }

  async #renew(): Promise<void> {
    const begun = [...this.#held.keys()];
    if (begun.length === 0) return;
    const started = performance.now();
    try {
      const renewed = await renewLeases(this.#options.pool, begun);
      const lost = begun.filter((message) => this.#held.get(message) === false && !renewed.has(message.id));
      if (lost.length === 0) return this.#extend(started);
      // This process was wrong about how long its lease lasts: that of the others is as doubtful.
      this.#controller.abort();
      this.#options.log.warn({ messages: lost.length }, 'messages were taken over while they waited for their carrier');
    } catch (error) {
      this.#options.log.warn({ err: error }, 'leases could not be renewed');
    }
  }
}
