import type pg from 'pg';

/** How long what a connection says of its server is believed, in milliseconds, of which that then is so much older. */
export const ASK_EVERY_MS = 500;
/** Positions of the primary that are kept. */
const KEPT = 60;
/** How often as long as the replica may be old they reach back. */
const REACH = 2;

/** What a connection leads to is older than it may be, or nobody knows how old it is. */
export class TooOldError extends Error {
  constructor(maxAgeMs: number) {
    super(`the replica is more than ${maxAgeMs} ms old, or its age is not known`);
    this.name = 'TooOldError';
  }
}

/** A position in the write-ahead log of the primary, and when it was there by `performance.now()`. */
interface Position {
  lsn: string;
  at: number;
}

/** What a connection shows is of `asOf` or later; it was asked at `askedAt`. Both by `performance.now()`. */
interface Seen {
  asOf: number;
  askedAt: number;
}

const NEVER = Number.NEGATIVE_INFINITY;

/**
 * How old what is read over a connection to a replica may be.
 *
 * It follows from positions in the write-ahead log: what the primary had written at a moment, and the server of the connection
 * has applied by now, is of that moment or later. So neither clocks nor a primary at rest deceive, and nothing is written for
 * it.
 *
 * Each connection is asked itself, for what one says holds for its own server alone, and for that only until it ends: one
 * address may lead to several replicas, of which one is older, and a replica that was killed shows, when it is back, what it had
 * applied some time before it was.
 */
export class ReplicaAge {
  readonly maxAgeMs: number;
  readonly #primary: Pick<pg.Pool, 'query'>;
  readonly #positionEveryMs: number;
  #positions: readonly Position[] = [];
  /** The primary: by when it was started, which no other server was in the same microsecond. */
  #server = '';
  #asking: Promise<void> | null = null;
  readonly #seen = new WeakMap<object, Seen>();
  #last: Seen = { asOf: NEVER, askedAt: NEVER };

  constructor(primary: Pick<pg.Pool, 'query'>, maxAgeMs: number) {
    this.#primary = primary;
    this.maxAgeMs = maxAgeMs;
    this.#positionEveryMs = Math.max(ASK_EVERY_MS, (REACH * maxAgeMs) / KEPT);
  }

  /** What was read just now over the connection that was asked last, at the most, in milliseconds; infinite where unknown. */
  get ageMs(): number {
    return performance.now() - this.#last.asOf;
  }

  /**
   * Lets a connection be used for what may be as old as it is.
   * @throws {TooOldError} where that is too old; another error where the connection or the primary fails
   */
  readonly admit = async (client: Pick<pg.PoolClient, 'query'>): Promise<void> => {
    let seen = this.#seen.get(client);
    if (!seen || performance.now() - seen.askedAt > ASK_EVERY_MS) {
      seen = await this.#ask(client, seen?.asOf ?? NEVER);
      this.#seen.set(client, seen);
    }
    this.#last = seen;
    if (performance.now() - seen.asOf > this.maxAgeMs) throw new TooOldError(this.maxAgeMs);
  };

  async #ask(client: Pick<pg.PoolClient, 'query'>, before: number): Promise<Seen> {
    if (performance.now() - (this.#positions.at(-1)?.at ?? NEVER) > this.#positionEveryMs) {
      this.#asking ??= this.#askPrimary().finally(() => {
        this.#asking = null;
      });
      await this.#asking;
    }
    const positions = this.#positions;
    const askedAt = performance.now();
    // One that was made a primary applies nothing any more; where it is not the one that we know, it has gone its own way.
    const { rows } = await client.query<{ place: number }>(
      `SELECT count(*)::int AS place FROM unnest($1::pg_lsn[]) AS position
       WHERE position <= CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
                              WHEN extract(epoch FROM pg_postmaster_start_time())::text = $2 THEN pg_current_wal_lsn() END`,
      [positions.map(({ lsn }) => lsn), this.#server],
    );
    const place = rows[0]?.place ?? 0;
    return { asOf: Math.max(before, positions[place - 1]?.at ?? NEVER), askedAt };
  }

  async #askPrimary(): Promise<void> {
    const at = performance.now();
    const { rows } = await this.#primary.query<{ lsn: string; server: string }>(
      'SELECT pg_current_wal_lsn()::text AS lsn, extract(epoch FROM pg_postmaster_start_time())::text AS server',
    );
    const { lsn, server } = rows[0] ?? { lsn: '0/0', server: '' };
    this.#server = server;
    this.#positions = [...this.#positions.slice(1 - KEPT), { lsn, at }];
  }
}
