import type pg from 'pg';
import { CALLING_CODE_LENGTHS, CALLING_CODES_BY_REGION } from '../../carriers/numbers/phone-numbers.js';
import { plainArray } from '../../platform/store/array-literals.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

/** Rows that one statement folds at the most; others follow at once. */
export const FOLD_ROWS = 20_000;

/** The id of the channel in `hourly_counts` of messages that have none. */
export const NO_CHANNEL = '00000000-0000-0000-0000-000000000000';

/** Lengths of calling codes, as `callingCodeIn` takes them. */
export const CODE_LENGTHS_ARRAY = plainArray([...CALLING_CODE_LENGTHS]);

/** Calling codes of countries, by which a user id begins. */
const CODES_OF_COUNTRIES = `'${JSON.stringify(Object.fromEntries(CALLING_CODES_BY_REGION))}'::jsonb`;

/**
 * The calling code that a `prefix` begins with, as SQL; empty where it begins with none.
 * @param lengths CODE_LENGTHS_ARRAY
 */
export function callingCodeIn(prefix: string, lengths: string): string {
  return `CASE WHEN ${prefix} ~ '^\\d{3}$' THEN left(${prefix}, (${lengths}::smallint[])[${prefix}::int + 1])
    WHEN ${prefix} ~ '^[A-Z]' THEN coalesce(${CODES_OF_COUNTRIES} ->> left(${prefix}, 2), '') ELSE ${prefix} END`;
}

/**
 * Of the events that a row of `count_deltas` stands for, `delivered` alone has a time to delivery. As SQL over
 * `unnest(events) AS reached(event)`.
 */
export const ofDelivered = (column: string): string =>
  `CASE WHEN reached.event = 'delivered' THEN ${column} ELSE 0 END`;

/**
 * One process folds at a time; another that would goes on at once. The rows are found by where they lie, since nobody
 * changes them, and one that a fold has deleted since is passed over: so each counts once. Counts are locked in the order
 * of their key.
 */
const FOLD: PlannedStatement = {
  text: `
WITH taken AS (
  DELETE FROM count_deltas WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM count_deltas WHERE (SELECT pg_try_advisory_xact_lock(hashtext('heliograph:fold-counts'))) LIMIT $1))
  RETURNING *
), folded AS (
  INSERT INTO hourly_counts AS kept (account_id, hour, channel_id, kind, carrier, calling_code, event, slot, messages,
    micros, milliseconds)
  SELECT account_id, hour, coalesce(channel_id, '${NO_CHANNEL}'), kind, carrier, ${callingCodeIn('prefix', '$2')},
         reached.event, ${ofDelivered('slot')}, sum(messages), sum(micros), sum(${ofDelivered('milliseconds')})
  FROM taken CROSS JOIN LATERAL unnest(events) AS reached(event) GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
  ON CONFLICT (account_id, hour, channel_id, kind, carrier, calling_code, event, slot) DO UPDATE SET
    messages = kept.messages + excluded.messages, micros = kept.micros + excluded.micros,
    milliseconds = kept.milliseconds + excluded.milliseconds
)
SELECT count(*)::int AS rows FROM taken`,
};

/** Adds what statements counted to the counts by hour. @returns how many of their rows it folded */
export async function foldCounts(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ rows: number }>({ ...FOLD, values: [FOLD_ROWS, CODE_LENGTHS_ARRAY] });
  return rows[0]?.rows ?? 0;
}
