import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

/** SMSCs repeat unacknowledged messages within this time. */
const RETENTION = "interval '10 minutes'";

export interface Arrival {
  carrier: string;
  fingerprint: string;
  /** ID that Heliograph generated, which stays the same if storing the message is attempted again. */
  id: string;
}

/**
 * If another process recorded the same message but never acknowledged it, this process takes over the record and its
 * ID. Identical messages are matched one to one, so that two real messages are not merged.
 */
const RECORD: PlannedStatement = {
  text: `
WITH arrivals AS (
  SELECT * FROM unnest($2::text[], $3::text[], $4::text[]) AS a(carrier, fingerprint, id)
), already_recorded AS (
  SELECT a.id AS generated, u.carrier_message_id AS id
  FROM arrivals a JOIN unanswered_inbound u
    ON u.carrier = a.carrier AND u.fingerprint = a.fingerprint AND u.process_id = $1 AND u.claim = a.id
), new_arrivals AS (
  SELECT a.*, row_number() OVER (PARTITION BY a.carrier, a.fingerprint ORDER BY a.id) AS rank
  FROM arrivals a WHERE a.id NOT IN (SELECT generated FROM already_recorded)
), abandoned AS (
  SELECT u.*, row_number() OVER (PARTITION BY u.carrier, u.fingerprint ORDER BY u.carrier_message_id) AS rank
  FROM unanswered_inbound u JOIN (SELECT DISTINCT carrier, fingerprint FROM new_arrivals) n USING (carrier, fingerprint)
  WHERE u.process_id <> $1 AND u.arrived_at > now() - ${RETENTION}
), adopted AS (
  UPDATE unanswered_inbound u SET process_id = $1, claim = n.id
  FROM abandoned o JOIN new_arrivals n USING (carrier, fingerprint, rank)
  WHERE u.carrier = o.carrier AND u.fingerprint = o.fingerprint AND u.carrier_message_id = o.carrier_message_id
    AND u.claim = o.claim AND u.process_id = o.process_id
  RETURNING n.id AS generated, u.carrier_message_id AS id
), inserted AS (
  INSERT INTO unanswered_inbound (carrier, fingerprint, carrier_message_id, claim, process_id)
  SELECT carrier, fingerprint, id, id, $1 FROM new_arrivals WHERE id NOT IN (SELECT generated FROM adopted)
  ON CONFLICT DO NOTHING
)
SELECT generated, id FROM already_recorded UNION ALL SELECT generated, id FROM adopted`,
};

/** Maps each generated ID to the ID under which the message must be stored instead. */
export async function recordArrivals(
  pool: pg.Pool,
  processId: string,
  arrivals: readonly Arrival[],
): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ generated: string; id: string }>({
    ...RECORD,
    values: [
      processId,
      arrivals.map(({ carrier }) => carrier),
      arrivals.map(({ fingerprint }) => fingerprint),
      arrivals.map(({ id }) => id),
    ],
  });
  return new Map(rows.map(({ generated, id }) => [generated, id]));
}

const FORGET: PlannedStatement = {
  text: `DELETE FROM unanswered_inbound
         WHERE (process_id = $1 AND claim = ANY($2::text[])) OR arrived_at <= now() - ${RETENTION}`,
};

export async function forgetAcknowledged(pool: pg.Pool, processId: string, ids: readonly string[]): Promise<void> {
  await pool.query({ ...FORGET, values: [processId, ids] });
}
