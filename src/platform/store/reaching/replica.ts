import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Tally } from '../../metrics/tally.js';
import type { Readable, Reads } from '../../reads/reads.js';
import { withTimeout } from '../../timeout.js';
import { isStoreAway, sqlState } from '../failures.js';

export interface ReplicaOptions {
  primary: Readable;
  replica: Readable;
  /** What is read may be as it was so many milliseconds before. */
  maxAgeMs: number;
  log: Logger;
}

/** How long an answer of the replica about its age is believed, in milliseconds, of which it then is that much older. */
const ASK_EVERY_MS = 500;
/** How long a read waits for that answer; a replica that answers later is away. */
const ANSWER_MS = 2_000;
/** Positions of the primary that the replica may yet reach. */
const KEPT = 60;

/** How often `settledAgeMs` asks again. */
const SETTLING = 3;

/**
 * Why reads go where they go: the replica is `young` enough, `too_old`, or does not answer (`away`); or it answered, and
 * gave this one statement up (`given_up`).
 */
export type ReadReason = 'young' | 'too_old' | 'away' | 'given_up';

/** A position in the write-ahead log of the primary, and when it was there by `performance.now()`. */
interface Position {
  lsn: string;
  at: number;
}

/** SQLSTATE of a replica that must apply what a statement stands in the way of (serialization_failure), or has none to give. */
const GIVEN_UP = new Set(['40001', '40P01', '25006', '57014', '42P01', '42703']);

/**
 * Reads from a replica for as long as it is young enough.
 *
 * How old it is follows from positions in the write-ahead log: what the primary had written at a moment, and the replica has
 * applied by now, is of that moment or later. So neither clocks nor a primary at rest deceive, and nothing is written for it.
 */
export class ReplicaReads {
  readonly #options: ReplicaOptions;
  readonly #positions: Position[] = [];
  /** The replica shows what was at this moment, or later. */
  #asOf = Number.NEGATIVE_INFINITY;
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
    const { replica } = this.#options;
    if ((await this.ageMs()) > this.#options.maxAgeMs) {
      this.#say(false);
      return await this.#fromPrimary(work, this.#isAway ? 'away' : 'too_old');
    }
    this.#say(true);
    try {
      const answer = await work(replica);
      this.tally.add('replica', 'young' satisfies ReadReason);
      return answer;
    } catch (error) {
      const isAway = isStoreAway(error);
      if (!isAway && !GIVEN_UP.has(stateOf(error))) throw error;
      this.#asOf = Number.NEGATIVE_INFINITY;
      this.#isAway = isAway;
      this.#say(false, error);
      return await this.#fromPrimary(work, isAway ? 'away' : 'given_up');
    }
  };

  #fromPrimary<T>(work: (store: Readable) => Promise<T>, reason: ReadReason): Promise<T> {
    this.tally.add('primary', reason);
    return work(this.#options.primary);
  }

  /** Whether it did not answer when it was asked last, or does not yet. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** How old what is read from it may be, in milliseconds. */
  get maxAgeMs(): number {
    return this.#options.maxAgeMs;
  }

  /**
   * The same as `ageMs`, for somebody who looks seldom: what was written a moment ago is given a second and a half to arrive,
   * since of the time before nothing is known.
   */
  async settledAgeMs(): Promise<number> {
    await this.#answered();
    let ageMs = await this.ageMs();
    for (let asked = 0; ageMs > this.maxAgeMs && !this.#isAway && asked < SETTLING; asked += 1) {
      await pause(ASK_EVERY_MS + 1);
      ageMs = await this.ageMs();
    }
    return ageMs;
  }

  /**
   * How old what the replica shows may be, in milliseconds; infinite where that is not known. One that is away is asked all the
   * while, and waited for no more: it may stand still, and then every read would wait.
   */
  async ageMs(): Promise<number> {
    if (this.#isAway) void this.#answered();
    else await this.#answered();
    return this.#isAway ? Number.POSITIVE_INFINITY : performance.now() - this.#asOf;
  }

  /** Asks it, unless that was done a moment ago, and waits for the answer for so long as a read may. */
  async #answered(): Promise<void> {
    if (performance.now() - this.#askedAt <= ASK_EVERY_MS) return;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    await withTimeout(this.#asking, ANSWER_MS).catch(() => {
      this.#isAway = true;
    });
  }

  async #ask(): Promise<void> {
    const { primary, replica } = this.#options;
    const at = performance.now();
    try {
      const { rows } = await primary.pool.query<{ lsn: string }>('SELECT pg_current_wal_lsn()::text AS lsn');
      this.#positions.push({ lsn: rows[0]?.lsn ?? '', at });
      if (this.#positions.length > KEPT) this.#positions.shift();
      // One that has become the primary applies nothing any more.
      const reached = await replica.pool.query<{ place: number }>(
        `SELECT count(*)::int AS place FROM unnest($1::pg_lsn[]) AS position
         WHERE position <= CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END`,
        [this.#positions.map(({ lsn }) => lsn)],
      );
      const place = reached.rows[0]?.place ?? 0;
      const last = this.#positions[place - 1];
      if (last) this.#asOf = Math.max(this.#asOf, last.at);
      this.#positions.splice(0, place);
      this.#isAway = false;
    } catch (error) {
      this.#isAway = true;
      this.#say(false, error);
    } finally {
      this.#askedAt = performance.now();
    }
  }

  /** Says once what has changed. */
  #say(isUsed: boolean, error?: unknown): void {
    if (this.#isUsed === isUsed) return;
    this.#isUsed = isUsed;
    const { log, maxAgeMs } = this.#options;
    if (isUsed) log.info('the replica is read from again');
    else log.warn({ err: error }, `the replica is older than ${maxAgeMs} ms, or away: all is read from the primary`);
  }
}

/** Of `pg`, and of Prisma, which has it deeper inside. */
function stateOf(error: unknown): string {
  const { meta } = (error ?? {}) as { meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } } };
  return sqlState(error) ?? String(meta?.driverAdapterError?.cause?.originalCode ?? '');
}
