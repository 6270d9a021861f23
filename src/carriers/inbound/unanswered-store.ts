import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

/** How long an SMSC may take to send again what a killed process did not answer. */
const KEEP = "interval '10 minutes'";

/** An inbound message without an id of the SMSC's. */
export interface Arrival {
  carrier: string;
  /** Of all that it says of itself. */
  fingerprint: string;
  /** The id that was made for it here, at every try the same. */
  id: string;
}

/**
 * A message that another process has noted and not answered is the same one: it is taken over with its id. Of several
 * that read alike each takes another, so two that were written are never one.
 */
const NOTE: PlannedStatement = {
  text: `
WITH given AS (
  SELECT * FROM unnest($2::text[], $3::text[], $4::text[]) AS g(carrier, fingerprint, id)
), own AS (
  SELECT g.id AS given, u.carrier_message_id AS id
  FROM given g JOIN unanswered_inbound u
    ON u.carrier = g.carrier AND u.fingerprint = g.fingerprint AND u.process_id = $1 AND u.claim = g.id
), fresh AS (
  SELECT g.*, row_number() OVER (PARTITION BY g.carrier, g.fingerprint ORDER BY g.id) AS n
  FROM given g WHERE g.id NOT IN (SELECT given FROM own)
), left_over AS (
  SELECT u.*, row_number() OVER (PARTITION BY u.carrier, u.fingerprint ORDER BY u.carrier_message_id) AS n
  FROM unanswered_inbound u JOIN (SELECT DISTINCT carrier, fingerprint FROM fresh) f USING (carrier, fingerprint)
  WHERE u.process_id <> $1 AND u.arrived_at > now() - ${KEEP}
), taken AS (
  UPDATE unanswered_inbound u SET process_id = $1, claim = f.id
  FROM left_over l JOIN fresh f USING (carrier, fingerprint, n)
  WHERE u.carrier = l.carrier AND u.fingerprint = l.fingerprint AND u.carrier_message_id = l.carrier_message_id
    AND u.claim = l.claim AND u.process_id = l.process_id
  RETURNING f.id AS given, u.carrier_message_id AS id
), made AS (
  INSERT INTO unanswered_inbound (carrier, fingerprint, carrier_message_id, claim, process_id)
  SELECT carrier, fingerprint, id, id, $1 FROM fresh WHERE id NOT IN (SELECT given FROM taken)
  ON CONFLICT DO NOTHING
)
SELECT given, id FROM own UNION ALL SELECT given, id FROM taken`,
};

/**
 * Notes that messages are being stored, before they are.
 * @param processId of this run of the process
 * @returns by the id that was made for a message, the one that it is to be stored under where that is another
 */
export async function noteArrivals(
  pool: pg.Pool,
  processId: string,
  arrivals: readonly Arrival[],
): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ given: string; id: string }>({
    ...NOTE,
    values: [
      processId,
      arrivals.map(({ carrier }) => carrier),
      arrivals.map(({ fingerprint }) => fingerprint),
      arrivals.map(({ id }) => id),
    ],
  });
  return new Map(rows.map(({ given, id }) => [given, id]));
}

const FORGET: PlannedStatement = {
  text: `DELETE FROM unanswered_inbound
         WHERE (process_id = $1 AND claim = ANY($2::text[])) OR arrived_at <= now() - ${KEEP}`,
};

/**
 * Forgets messages that were answered: what reads alike from now on was written again.
 * @param ids those that were made for them
 */
export async function forgetAnswered(pool: pg.Pool, processId: string, ids: readonly string[]): Promise<void> {
  await pool.query({ ...FORGET, values: [processId, ids] });
}
