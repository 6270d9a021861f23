import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Tally } from '../../metrics/tally.js';
import type { ReadableStore, Reads } from '../../reads/reads.js';
import { withTimeout } from '../../timeout.js';
import { isStoreUnreachable, sqlState } from '../failures.js';
import { type ReplicaAge, TooOldError } from './replica-age.js';

export interface ReplicaOptions {
  primary: ReadableStore;
  /** Its pool checks connections with `age`. */
  replica: ReadableStore;
  age: ReplicaAge;
  log: Logger;
}

/** How long a read waits for the age of the replica, in milliseconds. A slower replica counts as unavailable. */
const ANSWER_MS = 2_000;

/** How often `settledAgeMs` checks again. */
const SETTLING = 3;

/**
 * Why a read goes to the replica or the primary: the replica is recent enough (`young`), too old, unavailable (`away`),
 * or it canceled this one statement (`given_up`).
 */
export type ReadReason = 'young' | 'too_old' | 'away' | 'given_up';

/** SQLSTATEs of a replica that canceled a statement in favor of replication, or that lacks a new table or column. */
const GIVEN_UP = new Set(['40001', '40P01', '25006', '57014', '42P01', '42703']);

/** Reads from a replica while it is recent enough. `ReplicaAge` checks that for each connection. */
export class ReplicaReads {
  readonly #options: ReplicaOptions;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #pendingCheck: Promise<void> | null = null;
  #isUsed = true;
  #isAway = false;
  /** Counts reads by server and reason. */
  readonly tally = new Tally('from', 'reason');

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  readonly read: Reads = async (work) => {
    const { replica, age } = this.#options;
    await this.#ensureChecked();
    if (this.#isAway || !age.isYoung) return await this.#fromPrimary(work, this.#isAway ? 'away' : 'too_old');
    try {
      const answer = await work(replica);
      this.#logChange(true);
      this.tally.add('replica', 'young' satisfies ReadReason);
      return answer;
    } catch (error) {
      if (error instanceof TooOldError) return await this.#fromPrimary(work, 'too_old', error);
      const isAway = isStoreUnreachable(error);
      if (!isAway && !GIVEN_UP.has(findSqlState(error))) throw error;
      this.#isAway = isAway;
      return await this.#fromPrimary(work, isAway ? 'away' : 'given_up', error);
    }
  };

  #fromPrimary<T>(work: (store: ReadableStore) => Promise<T>, reason: ReadReason, error?: unknown): Promise<T> {
    this.#logChange(false, error);
    this.tally.add('primary', reason);
    return work(this.#options.primary);
  }

  /** Whether the replica did not respond to the last check. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Maximum age of the data, in milliseconds. */
  get maxAgeMs(): number {
    return this.#options.age.maxAgeMs;
  }

  /**
   * Returns the age for occasional callers. Without recent checks, changes of the last moment may look missing, so it
   * allows a second and a half for them to arrive.
   */
  async settledAgeMs(): Promise<number> {
    await this.#checkIfDue();
    let ageMs = await this.ageMs();
    for (let checks = 0; ageMs > this.maxAgeMs && !this.#isAway && checks < SETTLING; checks += 1) {
      await pause(this.#options.age.checkIntervalMs + 1);
      ageMs = await this.ageMs();
    }
    return ageMs;
  }

  /** Returns how far the replica may be behind, in milliseconds; infinite if unknown. */
  async ageMs(): Promise<number> {
    await this.#ensureChecked();
    return this.#isAway ? Number.POSITIVE_INFINITY : this.#options.age.ageMs;
  }

  /**
   * Waits until the age is known. An unavailable replica is checked in the background instead: if it hangs, every read
   * would wait for it.
   */
  async #ensureChecked(): Promise<void> {
    if (this.#isAway) void this.#checkIfDue();
    else await this.#checkIfDue();
  }

  /** Checks the replica, unless that was done a moment ago. Waits as long as a read may. */
  async #checkIfDue(): Promise<void> {
    if (performance.now() - this.#checkedAt <= this.#options.age.checkIntervalMs) return;
    this.#pendingCheck ??= this.#check().finally(() => {
      this.#pendingCheck = null;
    });
    await withTimeout(this.#pendingCheck, ANSWER_MS).catch(() => {
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

  /** Logs a change between replica and primary. */
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

/** Finds the SQLSTATE of `pg`, or of Prisma, which nests it below its own code of the same format. */
function findSqlState(error: unknown): string {
  const { meta } = (error ?? {}) as { meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } } };
  return String(meta?.driverAdapterError?.cause?.originalCode ?? sqlState(error) ?? '');
}
