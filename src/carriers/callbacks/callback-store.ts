import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';

/** By PostgreSQL's clock. */
const LEASE_SECONDS = 60;

export interface Callback {
  carrier: string;
  body: Buffer;
}

export interface ClaimedCallback extends Callback {
  id: string;
  receivedAt: Date;
  attempts: number;
}

/** All bodies are sent as one bytea value, because a bytea array would be sent as text. */
const INSERT: Statement = {
  name: 'callbacks-insert',
  text: `INSERT INTO carrier_callbacks (carrier, body)
         SELECT c.carrier, substring($1::bytea FROM c.start FOR c.length)
         FROM unnest($2::text[], $3::int[], $4::int[]) WITH ORDINALITY AS c(carrier, start, length, position)
         ORDER BY c.position`,
};

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

/** The subquery fills an array, because PostgreSQL could execute a joined subquery again for each row. */
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

/** In bytes. Maximum total size of the callbacks that are leased together. */
export const CLAIM_BYTES = 1024 * 1024;

/** Returns the oldest callbacks first. The oldest due callback is returned even if it is larger than CLAIM_BYTES. */
export async function claimCallbacks(pool: pg.Pool, limit: number): Promise<ClaimedCallback[]> {
  const { rows } = await pool.query<ClaimedCallback>({ ...CLAIM, values: [limit, LEASE_SECONDS, CLAIM_BYTES] });
  return rows.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
}

const DELETE: Statement = {
  name: 'callbacks-delete',
  text: 'DELETE FROM carrier_callbacks WHERE id = ANY($1::bigint[])',
};

export async function deleteCallbacks(connection: pg.Pool | pg.PoolClient, ids: readonly string[]): Promise<void> {
  await connection.query({ ...DELETE, values: [ids] });
}

const POSTPONE: Statement = {
  name: 'callbacks-postpone',
  text: `UPDATE carrier_callbacks SET lease_until = now() + $2 * interval '1 millisecond' WHERE id = $1`,
};

export async function postponeCallback(pool: pg.Pool, id: string, delayMs: number): Promise<void> {
  await pool.query({ ...POSTPONE, values: [id, delayMs] });
}

const SET_ASIDE: Statement = {
  name: 'callbacks-set-aside',
  text: 'UPDATE carrier_callbacks SET set_aside_at = now() WHERE id = $1',
};

export async function setCallbackAside(pool: pg.Pool, id: string): Promise<void> {
  await pool.query({ ...SET_ASIDE, values: [id] });
}

const RELEASE_ALL: Statement = {
  name: 'callbacks-release-all',
  text: 'UPDATE carrier_callbacks SET lease_until = NULL WHERE lease_until IS NOT NULL',
};

export async function releaseCallbacks(pool: pg.Pool): Promise<void> {
  await pool.query(RELEASE_ALL);
}
