import type pg from 'pg';
import { CALLING_CODE_LENGTHS, CALLING_CODES_BY_REGION } from '../../carriers/numbers/phone-numbers.js';
import { toPlainArray } from '../../platform/store/array-literals.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

/** Maximum deltas per fold; a full batch is immediately followed by another. */
export const FOLD_ROWS = 20_000;

/** Value of `hourly_counts.channel_id` for messages without a channel. */
export const NO_CHANNEL = '00000000-0000-0000-0000-000000000000';

export const CODE_LENGTHS_ARRAY = toPlainArray([...CALLING_CODE_LENGTHS]);

/** Calling codes by country, needed because WhatsApp user IDs start with a country code instead of a calling code. */
const CALLING_CODES_JSON = `'${JSON.stringify(Object.fromEntries(CALLING_CODES_BY_REGION))}'::jsonb`;

/**
 * @returns '' if the prefix starts with no calling code
 * @param lengths SQL parameter bound to CODE_LENGTHS_ARRAY
 */
export function callingCodeSql(prefix: string, lengths: string): string {
  return `CASE WHEN ${prefix} ~ '^\\d{3}$' THEN left(${prefix}, (${lengths}::smallint[])[${prefix}::int + 1])
    WHEN ${prefix} ~ '^[A-Z]' THEN coalesce(${CALLING_CODES_JSON} ->> left(${prefix}, 2), '') ELSE ${prefix} END`;
}

/** Only the event `delivered` has a delivery time. */
export const ifDeliveredSql = (column: string): string =>
  `CASE WHEN reached.event = 'delivered' THEN ${column} ELSE 0 END`;

/**
 * Only one process folds at a time, and the statement returns immediately in other processes. Deltas can be found by ctid,
 * because they are never updated. To prevent deadlocks, counts are locked in key order.
 */
const FOLD: PlannedStatement = {
  text: `
WITH deleted AS (
  DELETE FROM count_deltas WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM count_deltas WHERE (SELECT pg_try_advisory_xact_lock(hashtext('heliograph:fold-counts'))) LIMIT $1))
  RETURNING *
), folded AS (
  INSERT INTO hourly_counts AS kept (account_id, hour, channel_id, kind, carrier, calling_code, event, slot, messages,
    micros, milliseconds)
  SELECT account_id, hour, coalesce(channel_id, '${NO_CHANNEL}'), kind, carrier, ${callingCodeSql('prefix', '$2')},
         reached.event, ${ifDeliveredSql('slot')}, sum(messages), sum(micros), sum(${ifDeliveredSql('milliseconds')})
  FROM deleted CROSS JOIN LATERAL unnest(events) AS reached(event) GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
  ON CONFLICT (account_id, hour, channel_id, kind, carrier, calling_code, event, slot) DO UPDATE SET
    messages = kept.messages + excluded.messages, micros = kept.micros + excluded.micros,
    milliseconds = kept.milliseconds + excluded.milliseconds
)
SELECT count(*)::int AS rows FROM deleted`,
};

export async function foldCounts(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ rows: number }>({ ...FOLD, values: [FOLD_ROWS, CODE_LENGTHS_ARRAY] });
  return rows[0]?.rows ?? 0;
}
