import type pg from 'pg';
import { withTimeout } from '../../timeout.js';

/** Longest time for which the result of a connection's last check is reused. */
const CHECK_INTERVAL_MS = 500;
const CHECKS_PER_MAX_AGE = 4;
const MAX_POSITIONS = 60;
const HISTORY_FACTOR = 2;
/** Longest wait for the log position of the primary, after which earlier positions are used. */
const PRIMARY_TIMEOUT_MS = 1_000;

/** Thrown if the replica is too old or its age is unknown. */
export class TooOldError extends Error {
  constructor(maxAgeMs: number) {
    super(`the replica is more than ${maxAgeMs} ms behind, or its age is unknown`);
    this.name = 'TooOldError';
  }
}

/** A position in the write-ahead log in bytes, with its time from `performance.now()`. */
interface Position {
  lsn: number;
  at: number;
}

/** Result of a check: the replica's data is from `asOf` or later. */
interface AgeCheck {
  asOf: number;
  checkedAt: number;
}

interface ServerState {
  /** Applied log position in bytes; null if the server has applied nothing yet. */
  lsn: number | null;
  isReplica: boolean;
  server: string;
}

const NEVER = Number.NEGATIVE_INFINITY;

/** Identifies a server until its next restart. */
export const SERVER_ID = 'extract(epoch FROM pg_postmaster_start_time())::text AS server';

/**
 * Checks how old the data of a replica may be. If a replica has applied all that the primary had written at some moment, its
 * data is from that moment or later. The comparison of log positions needs no synchronized clocks, and works while the primary
 * is idle.
 *
 * Each connection is checked separately, because an address may lead to different servers and a killed replica may return with
 * older data. A server is not used if it has applied changes that the primary never wrote.
 */
export class ReplicaAge {
  readonly maxAgeMs: number;
  readonly checkIntervalMs: number;
  readonly #primary: Pick<pg.Pool, 'query'>;
  readonly #positionEveryMs: number;
  #positions: readonly Position[] = [];
  #server = '';
  #primaryCheck: Promise<void> | null = null;
  readonly #checks = new WeakMap<object, AgeCheck>();
  #lastCheck: AgeCheck = { asOf: NEVER, checkedAt: NEVER };
  #lastKnownTime = NEVER;
  /** Highest log position that each replica has applied since the primary was last queried, in bytes. */
  readonly #applied = new Map<string, number>();
  readonly #divergedReplicas = new Set<string>();

  constructor(primary: Pick<pg.Pool, 'query'>, maxAgeMs: number) {
    this.#primary = primary;
    this.maxAgeMs = maxAgeMs;
    this.checkIntervalMs = Math.min(CHECK_INTERVAL_MS, maxAgeMs / CHECKS_PER_MAX_AGE);
    this.#positionEveryMs = Math.max(this.checkIntervalMs, (HISTORY_FACTOR * maxAgeMs) / MAX_POSITIONS);
  }

  /** Age of the replica's data; infinite if it was never known. */
  get ageMs(): number {
    return performance.now() - this.#lastKnownTime;
  }

  /** Whether the data is recent on the connection that was checked last. */
  get isRecent(): boolean {
    return this.#isRecent(this.#lastCheck);
  }

  /** @throws {TooOldError} */
  readonly requireRecent = async (client: Pick<pg.PoolClient, 'query'>): Promise<void> => {
    let check = this.#checks.get(client);
    if (!check || performance.now() - check.checkedAt > this.checkIntervalMs || !this.#isRecent(check)) {
      check = await this.#check(client, check?.asOf ?? NEVER);
      this.#checks.set(client, check);
      if (check.asOf !== NEVER) this.#lastKnownTime = check.asOf;
    }
    this.#lastCheck = check;
    if (!this.#isRecent(check)) throw new TooOldError(this.maxAgeMs);
  };

  #isRecent({ asOf }: AgeCheck): boolean {
    return performance.now() - asOf <= this.maxAgeMs;
  }

  async #check(client: Pick<pg.PoolClient, 'query'>, previousTime: number): Promise<AgeCheck> {
    if (performance.now() - (this.#positions.at(-1)?.at ?? NEVER) > this.#positionEveryMs) {
      this.#primaryCheck ??= this.#recordPosition().finally(() => {
        this.#primaryCheck = null;
      });
      // While the primary is unreachable, earlier log positions show how long the replica may still be used.
      await withTimeout(this.#primaryCheck, PRIMARY_TIMEOUT_MS).catch(() => undefined);
    }
    const checkedAt = performance.now();
    const { rows } = await client.query<ServerState>(
      `SELECT pg_is_in_recovery() AS "isReplica", ${SERVER_ID}, pg_wal_lsn_diff(
         CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, '0/0')::float8 AS lsn`,
    );
    const { lsn, isReplica, server } = rows[0] ?? { lsn: null, isReplica: true, server: '' };
    if (isReplica ? this.#divergedReplicas.has(server) : server !== this.#server) return { asOf: NEVER, checkedAt };
    const appliedLsn = lsn ?? NEVER;
    if (isReplica) this.#applied.set(server, Math.max(appliedLsn, this.#applied.get(server) ?? NEVER));
    const latestApplied = this.#positions.findLast((position) => position.lsn <= appliedLsn);
    return { asOf: Math.max(previousTime, latestApplied?.at ?? NEVER), checkedAt };
  }

  async #recordPosition(): Promise<void> {
    const recordedAt = performance.now();
    // Changes that a replica applies during the query may be newer than the primary's response.
    const appliedLsns = [...this.#applied];
    this.#applied.clear();
    const { rows } = await this.#primary.query<{ lsn: number; server: string }>(
      `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS lsn, ${SERVER_ID}`,
    );
    const { lsn, server } = rows[0] ?? { lsn: 0, server: '' };
    // Log positions of another primary cannot be compared with those of the current primary.
    const earlierPositions = server === this.#server ? this.#positions.slice(1 - MAX_POSITIONS) : [];
    this.#server = server;
    this.#positions = [...earlierPositions, { lsn, at: recordedAt }];
    for (const [replica, appliedLsn] of appliedLsns) if (appliedLsn > lsn) this.#divergedReplicas.add(replica);
  }
}
