import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';

/** Seconds for which a claim owns a callback, by PostgreSQL's clock. */
const LEASE_SECONDS = 60;

/** What a carrier reported by calling us. */
export interface Callback {
  /** Name of the carrier. */
  carrier: string;
  /** As it came. */
  body: Buffer;
}

export interface ClaimedCallback extends Callback {
  id: string;
  receivedAt: Date;
  /** 1 at the first claim. */
  attempts: number;
}

/** The bodies travel as one value, whose parts PostgreSQL cuts out: an array of them would be written out as text. */
const INSERT: Statement = {
  name: 'callbacks-insert',
  text: `INSERT INTO carrier_callbacks (carrier, body)
         SELECT c.carrier, substring($1::bytea FROM c.start FOR c.length)
         FROM unnest($2::text[], $3::int[], $4::int[]) WITH ORDINALITY AS c(carrier, start, length, place)
         ORDER BY c.place`,
};

/** Stores callbacks in one commit. */
export async function insertCallbacks(pool: pg.Pool, callbacks: readonly Callback[]): Promise<void> {
  const starts: number[] = [];
  let length = 0;
  for (const { body } of callbacks) {
    starts.push(length + 1);
    length += body.length;
  }
  await pool.query({
    ...INSERT,
    values: [
      Buffer.concat(callbacks.map(({ body }) => body)),
      callbacks.map(({ carrier }) => carrier),
      starts,
      callbacks.map(({ body }) => body.length),
    ],
  });
}

/**
 * The rows are chosen first, once, into an array. As a subquery to join with they could be chosen anew for each row of the
 * table: so reads a plan that was made while the table was empty.
 */
const CLAIM: Statement = {
  name: 'callbacks-claim',
  text: `
UPDATE carrier_callbacks SET lease_until = now() + $2 * interval '1 second', attempts = attempts + 1
WHERE id = ANY (ARRAY(
  WITH due AS MATERIALIZED (
    SELECT id, octet_length(body) AS bytes FROM carrier_callbacks
    WHERE (lease_until IS NULL OR lease_until <= now()) AND set_aside_at IS NULL
    ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM due) AS sized WHERE before < $3))
RETURNING id, carrier, body, received_at AS "receivedAt", attempts`,
};

/** Bytes of their bodies after which no further one is claimed: what takes long to work off is so of a lease alone. */
export const CLAIM_BYTES = 1024 * 1024;

/** Claims what is due and under no lease, the oldest first; at most `limit`, and of large ones as few as one. */
export async function claimCallbacks(pool: pg.Pool, limit: number): Promise<ClaimedCallback[]> {
  const { rows } = await pool.query<ClaimedCallback>({ ...CLAIM, values: [limit, LEASE_SECONDS, CLAIM_BYTES] });
  return rows.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
}

const DELETE: Statement = {
  name: 'callbacks-delete',
  text: 'DELETE FROM carrier_callbacks WHERE id = ANY($1::bigint[])',
};

/** Removes callbacks that are worked off, of which everything was used. */
export async function deleteCallbacks(connection: pg.Pool | pg.PoolClient, ids: readonly string[]): Promise<void> {
  await connection.query({ ...DELETE, values: [ids] });
}

const POSTPONE: Statement = {
  name: 'callbacks-postpone',
  text: `UPDATE carrier_callbacks SET lease_until = now() + $2 * interval '1 millisecond' WHERE id = $1`,
};

/** Gives a callback back, to be tried again so many milliseconds later. */
export async function postponeCallback(pool: pg.Pool, id: string, delayMs: number): Promise<void> {
  await pool.query({ ...POSTPONE, values: [id, delayMs] });
}

const SET_ASIDE: Statement = {
  name: 'callbacks-set-aside',
  text: 'UPDATE carrier_callbacks SET set_aside_at = now() WHERE id = $1',
};

/** Gives a callback up. It is kept, for an operator to look at. */
export async function setCallbackAside(pool: pg.Pool, id: string): Promise<void> {
  await pool.query({ ...SET_ASIDE, values: [id] });
}

const RELEASE_ALL: Statement = {
  name: 'callbacks-release-all',
  text: 'UPDATE carrier_callbacks SET lease_until = NULL WHERE lease_until IS NOT NULL',
};

/** Ends every lease; see src/process/startup/release-leases.ts. */
export async function releaseCallbacks(pool: pg.Pool): Promise<void> {
  await pool.query(RELEASE_ALL);
}
