import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Tally } from '../../metrics/tally.js';
import type { Readable, Reads } from '../../reads/reads.js';
import { withTimeout } from '../../timeout.js';
import { isStoreAway, sqlState } from '../failures.js';
import { type ReplicaAge, TooOldError } from './replica-age.js';

export interface ReplicaOptions {
  primary: Readable;
  /** Its pool admits a connection by `age`. */
  replica: Readable;
  age: ReplicaAge;
  log: Logger;
}

/** How long a read waits until it is known how old the replica is; one that says so later is away. */
const ANSWER_MS = 2_000;

/** How often `settledAgeMs` asks again. */
const SETTLING = 3;

/**
 * Why reads go where they go: the replica is `young` enough, `too_old`, or does not answer (`away`); or it answered, and
 * gave this one statement up (`given_up`).
 */
export type ReadReason = 'young' | 'too_old' | 'away' | 'given_up';

/** SQLSTATE of a replica that must apply what a statement stands in the way of (serialization_failure), or has none to give. */
const GIVEN_UP = new Set(['40001', '40P01', '25006', '57014', '42P01', '42703']);

/** Reads from a replica for as long as it is young enough; how old it is, each of its connections tells (`ReplicaAge`). */
export class ReplicaReads {
  readonly #options: ReplicaOptions;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;
  #isUsed = true;
  #isAway = false;
  /** Where reads went, and why. */
  readonly tally = new Tally('from', 'reason');

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  readonly read: Reads = async (work) => {
    const { replica, age } = this.#options;
    await this.#known();
    if (this.#isAway || !age.isYoung) return await this.#fromPrimary(work, this.#isAway ? 'away' : 'too_old');
    try {
      const answer = await work(replica);
      this.#say(true);
      this.tally.add('replica', 'young' satisfies ReadReason);
      return answer;
    } catch (error) {
      if (error instanceof TooOldError) return await this.#fromPrimary(work, 'too_old', error);
      const isAway = isStoreAway(error);
      if (!isAway && !GIVEN_UP.has(stateOf(error))) throw error;
      this.#isAway = isAway;
      return await this.#fromPrimary(work, isAway ? 'away' : 'given_up', error);
    }
  };

  #fromPrimary<T>(work: (store: Readable) => Promise<T>, reason: ReadReason, error?: unknown): Promise<T> {
    this.#say(false, error);
    this.tally.add('primary', reason);
    return work(this.#options.primary);
  }

  /** Whether it did not answer when it was asked last, or does not yet. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** How old what is read from it may be, in milliseconds. */
  get maxAgeMs(): number {
    return this.#options.age.maxAgeMs;
  }

  /**
   * The same as `ageMs`, for somebody who looks seldom: what was written a moment ago is given a second and a half to arrive,
   * since of the time before nothing is known.
   */
  async settledAgeMs(): Promise<number> {
    await this.#answered();
    let ageMs = await this.ageMs();
    for (let asked = 0; ageMs > this.maxAgeMs && !this.#isAway && asked < SETTLING; asked += 1) {
      await pause(this.#options.age.askEveryMs + 1);
      ageMs = await this.ageMs();
    }
    return ageMs;
  }

  /** How old what the replica shows may be, in milliseconds; infinite where that is not known. */
  async ageMs(): Promise<number> {
    await this.#known();
    return this.#isAway ? Number.POSITIVE_INFINITY : this.#options.age.ageMs;
  }

  /**
   * Once it is known whether it may be read. One that is away is asked all the while, and waited for no more: it may stand still,
   * and then every read would wait.
   */
  async #known(): Promise<void> {
    if (this.#isAway) void this.#answered();
    else await this.#answered();
  }

  /** Asks it, unless that was done a moment ago, and waits for the answer for so long as a read may. */
  async #answered(): Promise<void> {
    if (performance.now() - this.#askedAt <= this.#options.age.askEveryMs) return;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    await withTimeout(this.#asking, ANSWER_MS).catch(() => {
      this.#isAway = true;
    });
  }

  async #ask(): Promise<void> {
    try {
      const client = await this.#options.replica.pool.connect();
      client.release();
      this.#isAway = false;
    } catch (error) {
      this.#isAway = !(error instanceof TooOldError);
      if (this.#isAway) this.#say(false, error);
    } finally {
      this.#askedAt = performance.now();
    }
  }

  /** Says once what has changed. */
  #say(isUsed: boolean, error?: unknown): void {
    if (this.#isUsed === isUsed) return;
    this.#isUsed = isUsed;
    const { log } = this.#options;
    if (isUsed) log.info('the replica is read from again');
    else
      log.warn({ err: error }, `the replica is older than ${this.maxAgeMs} ms, or away: all is read from the primary`);
  }
}

/** Of `pg`, and of Prisma, which has it deeper inside, beneath a code of its own of the same form. */
function stateOf(error: unknown): string {
  const { meta } = (error ?? {}) as { meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } } };
  return String(meta?.driverAdapterError?.cause?.originalCode ?? sqlState(error) ?? '');
}
