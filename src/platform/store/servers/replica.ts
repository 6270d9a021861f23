import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Tally } from '../../metrics/tally.js';
import type { ReadableStore, Reads } from '../../reads/reads.js';
import { withTimeout } from '../../timeout.js';
import { getSqlState, isStoreUnreachable } from '../failures.js';
import { type ReplicaAge, TooOldError } from './replica-age.js';

export interface ReplicaOptions {
  primary: ReadableStore;
  /** Replica whose pool checks connections with `age`. */
  replica: ReadableStore;
  age: ReplicaAge;
  log: Logger;
}

/** A replica that does not respond within two seconds counts as unavailable. */
const RESPONSE_TIMEOUT_MS = 2_000;

/** How often `settledAgeMs` checks. */
const SETTLING_CHECKS = 3;

/** `away` means that the replica is unavailable, and `given_up` that it canceled a single statement. */
export type ReadReason = 'young' | 'too_old' | 'away' | 'given_up';

/** SQLSTATEs of a replica that canceled a statement in favor of replication, or that lacks a new table or column. */
const GIVEN_UP_STATES = new Set(['40001', '40P01', '25006', '57014', '42P01', '42703']);

export class ReplicaReads {
  readonly #options: ReplicaOptions;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #pendingCheck: Promise<void> | null = null;
  #isUsed = true;
  #isAway = false;
  readonly tally = new Tally('from', 'reason');

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  readonly read: Reads = async (work) => {
    const { replica, age } = this.#options;
    await this.#ensureChecked();
    if (this.#isAway || !age.isRecent) return await this.#readFromPrimary(work, this.#isAway ? 'away' : 'too_old');
    try {
      const result = await work(replica);
      this.#logChange(true);
      this.tally.add('replica', 'young' satisfies ReadReason);
      return result;
    } catch (error) {
      if (error instanceof TooOldError) return await this.#readFromPrimary(work, 'too_old', error);
      const isAway = isStoreUnreachable(error);
      if (!isAway && !GIVEN_UP_STATES.has(findSqlState(error))) throw error;
      this.#isAway = isAway;
      return await this.#readFromPrimary(work, isAway ? 'away' : 'given_up', error);
    }
  };

  #readFromPrimary<T>(work: (store: ReadableStore) => Promise<T>, reason: ReadReason, error?: unknown): Promise<T> {
    this.#logChange(false, error);
    this.tally.add('primary', reason);
    return work(this.#options.primary);
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  get maxAgeMs(): number {
    return this.#options.age.maxAgeMs;
  }

  /** Checks the age several times, so that the replica can catch up if the last check was long ago. */
  async settledAgeMs(): Promise<number> {
    await this.#checkIfDue();
    let ageMs = await this.ageMs();
    for (let checks = 0; ageMs > this.maxAgeMs && !this.#isAway && checks < SETTLING_CHECKS; checks += 1) {
      await pause(this.#options.age.checkIntervalMs + 1);
      ageMs = await this.ageMs();
    }
    return ageMs;
  }

  async ageMs(): Promise<number> {
    await this.#ensureChecked();
    return this.#isAway ? Number.POSITIVE_INFINITY : this.#options.age.ageMs;
  }

  /** Checks an unavailable replica in the background, because otherwise every read would wait for a hanging replica. */
  async #ensureChecked(): Promise<void> {
    if (this.#isAway) void this.#checkIfDue();
    else await this.#checkIfDue();
  }

  async #checkIfDue(): Promise<void> {
    if (performance.now() - this.#checkedAt <= this.#options.age.checkIntervalMs) return;
    this.#pendingCheck ??= this.#check().finally(() => {
      this.#pendingCheck = null;
    });
    await withTimeout(this.#pendingCheck, RESPONSE_TIMEOUT_MS).catch(() => {
      this.#isAway = true;
    });
  }

  async #check(): Promise<void> {
    try {
      const client = await this.#options.replica.pool.connect();
      client.release();
      this.#isAway = false;
    } catch (error) {
      this.#isAway = !(error instanceof TooOldError);
      if (this.#isAway) this.#logChange(false, error);
    } finally {
      this.#checkedAt = performance.now();
    }
  }

  #logChange(isUsed: boolean, error?: unknown): void {
    if (this.#isUsed === isUsed) return;
    this.#isUsed = isUsed;
    const { log } = this.#options;
    if (isUsed) log.info('reading from the replica again');
    else
      log.warn(
        { err: error },
        `the replica is unavailable or more than ${this.maxAgeMs} ms behind; reading from the primary`,
      );
  }
}

/** Prisma nests the SQLSTATE below its own error code, which has the format of a SQLSTATE. */
function findSqlState(error: unknown): string {
  const { meta } = (error ?? {}) as { meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } } };
  return String(meta?.driverAdapterError?.cause?.originalCode ?? getSqlState(error) ?? '');
}
