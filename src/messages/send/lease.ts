import type pg from 'pg';
import type { Logger } from 'pino';
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
  readonly #held = new Map<string, ClaimedMessage>();
  /** Aborts when no message may leave any more: the caller stops, or the lease could not be renewed in time. */
  readonly signal = this.#controller.signal;
  readonly #unlisten: () => void;
  #renewal: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;

  /** @param signal the caller's, which may live as long as the process: nothing of the lease stays with it after `end` */
  constructor(options: LeaseOptions, signal: AbortSignal) {
    this.#options = options;
    this.#unlisten = onAbort(signal, () => this.#controller.abort(signal.reason));
    // Taken before the claim is made, so it ends here before it ends in PostgreSQL.
    this.#watch();
  }

  /** From now on these messages are renewed, until each is released. */
  hold(messages: readonly ClaimedMessage[]): void {
    for (const message of messages) this.#held.set(message.id, message);
    this.#renewal = setInterval(() => void this.#renew(), RENEW_AFTER_MS);
  }

  /** The outcome of a message is written: its lease is over. */
  release(message: ClaimedMessage): void {
    this.#held.delete(message.id);
  }

  /** Ends the renewals. A message that was not released is left to the relay. */
  end(): void {
    clearInterval(this.#renewal);
    clearTimeout(this.#expiry);
    this.#unlisten();
  }

  #watch(): void {
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => this.#controller.abort(), LEASE_SECONDS * 1000 - LEASE_MARGIN_MS);
  }

  async #renew(): Promise<void> {
    const begun = [...this.#held.values()];
    if (begun.length === 0) return;
    const started = performance.now();
    try {
      await renewLeases(this.#options.pool, begun);
      if (performance.now() - started < RENEW_AFTER_MS) this.#watch();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'leases could not be renewed');
    }
  }
}
