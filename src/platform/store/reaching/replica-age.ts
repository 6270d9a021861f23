import type pg from 'pg';
import { withTimeout } from '../../timeout.js';

/** How long what a connection says of its server is believed at the most, in milliseconds, of which that then is so much older. */
const ASK_EVERY_MS = 500;
/** Of the age that is allowed: what is asked takes none of it that matters. */
const ASK_SHARE = 4;
/** Positions of the primary that are kept. */
const KEPT = 60;
/** How often as long as the replica may be old they reach back. */
const REACH = 2;
/** How long the primary is waited for, where positions of before may prove enough. */
const PRIMARY_MS = 1_000;

/** What a connection leads to is older than it may be, or nobody knows how old it is. */
export class TooOldError extends Error {
  constructor(maxAgeMs: number) {
    super(`the replica is more than ${maxAgeMs} ms old, or its age is not known`);
    this.name = 'TooOldError';
  }
}

/** A position in the write-ahead log of the primary, in bytes, and when it was there by `performance.now()`. */
interface Position {
  lsn: number;
  at: number;
}

/** What a connection shows is of `asOf` or later; it was asked at `askedAt`. Both by `performance.now()`. */
interface Seen {
  asOf: number;
  askedAt: number;
}

/** What a server that is read from says of itself. */
interface Standing {
  /** In bytes; null where it has applied nothing yet. */
  lsn: number | null;
  isReplica: boolean;
  server: string;
}

const NEVER = Number.NEGATIVE_INFINITY;

/** By when it was started a server is known: no two are in the same microsecond, and it is not the same after it was killed. */
export const SERVER = 'extract(epoch FROM pg_postmaster_start_time())::text AS server';

/**
 * How old what is read over a connection to a replica may be.
 *
 * It follows from positions in the write-ahead log: what the primary had written at a moment, and the server of the connection
 * has applied by now, is of that moment or later. So neither clocks nor a primary at rest deceive, and nothing is written for
 * it.
 *
 * Each connection is asked itself, for what one says holds for its own server alone, and for that only until it ends: an address
 * may lead to another server than before, and a replica that was killed shows, when it is back, what it had applied some time
 * before it was. Whoever was made a primary, or has applied what the primary never wrote, has gone its own way.
 */
export class ReplicaAge {
  readonly maxAgeMs: number;
  /** How often a connection is asked at the most, in milliseconds. */
  readonly askEveryMs: number;
  readonly #primary: Pick<pg.Pool, 'query'>;
  readonly #positionEveryMs: number;
  #positions: readonly Position[] = [];
  #server = '';
  #asking: Promise<void> | null = null;
  readonly #seen = new WeakMap<object, Seen>();
  #last: Seen = { asOf: NEVER, askedAt: NEVER };
  #lastKnownAsOf = NEVER;
  /** How far servers that are no primaries were found to be since the primary was asked, in bytes. */
  readonly #applied = new Map<string, number>();
  readonly #strays = new Set<string>();

  constructor(primary: Pick<pg.Pool, 'query'>, maxAgeMs: number) {
    this.#primary = primary;
    this.maxAgeMs = maxAgeMs;
    this.askEveryMs = Math.min(ASK_EVERY_MS, maxAgeMs / ASK_SHARE);
    this.#positionEveryMs = Math.max(this.askEveryMs, (REACH * maxAgeMs) / KEPT);
  }

  /** How old what was read last was at the most, in milliseconds, had it been read now; infinite where it was never known. */
  get ageMs(): number {
    return performance.now() - this.#lastKnownAsOf;
  }

  /** Whether the connection that was asked last may still be read from. */
  get isYoung(): boolean {
    return this.#isYoung(this.#last);
  }

  /**
   * Lets a connection be used for what may be as old as it is.
   * @throws {TooOldError} where that is too old; another error where the connection fails
   */
  readonly admit = async (client: Pick<pg.PoolClient, 'query'>): Promise<void> => {
    let seen = this.#seen.get(client);
    if (!seen || performance.now() - seen.askedAt > this.askEveryMs || !this.#isYoung(seen)) {
      seen = await this.#ask(client, seen?.asOf ?? NEVER);
      this.#seen.set(client, seen);
      if (seen.asOf !== NEVER) this.#lastKnownAsOf = seen.asOf;
    }
    this.#last = seen;
    if (!this.#isYoung(seen)) throw new TooOldError(this.maxAgeMs);
  };

  #isYoung({ asOf }: Seen): boolean {
    return performance.now() - asOf <= this.maxAgeMs;
  }

  async #ask(client: Pick<pg.PoolClient, 'query'>, before: number): Promise<Seen> {
    if (performance.now() - (this.#positions.at(-1)?.at ?? NEVER) > this.#positionEveryMs) {
      this.#asking ??= this.#askPrimary().finally(() => {
        this.#asking = null;
      });
      // While it is away, what is known of it tells for how long the replica may be read.
      await withTimeout(this.#asking, PRIMARY_MS).catch(() => undefined);
    }
    const askedAt = performance.now();
    const { rows } = await client.query<Standing>(
      `SELECT pg_is_in_recovery() AS "isReplica", ${SERVER}, pg_wal_lsn_diff(
         CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, '0/0')::float8 AS lsn`,
    );
    const { lsn, isReplica, server } = rows[0] ?? { lsn: null, isReplica: true, server: '' };
    if (isReplica ? this.#strays.has(server) : server !== this.#server) return { asOf: NEVER, askedAt };
    const reached = lsn ?? NEVER;
    if (isReplica) this.#applied.set(server, Math.max(reached, this.#applied.get(server) ?? NEVER));
    const last = this.#positions.findLast((position) => position.lsn <= reached);
    return { asOf: Math.max(before, last?.at ?? NEVER), askedAt };
  }

  async #askPrimary(): Promise<void> {
    const at = performance.now();
    // What is applied while this is asked may be written after it was answered.
    const applied = [...this.#applied];
    this.#applied.clear();
    const { rows } = await this.#primary.query<{ lsn: number; server: string }>(
      `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS lsn, ${SERVER}`,
    );
    const { lsn, server } = rows[0] ?? { lsn: 0, server: '' };
    // Positions of another primary say nothing of this one.
    const before = server === this.#server ? this.#positions.slice(1 - KEPT) : [];
    this.#server = server;
    this.#positions = [...before, { lsn, at }];
    for (const [replica, reached] of applied) if (reached > lsn) this.#strays.add(replica);
  }
}
