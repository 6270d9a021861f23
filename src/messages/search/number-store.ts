import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { filterValues, type MessageFilter, type Stretch, WANTED } from './list-store.js';

/** A message to the number that is looked for. */
export interface NumberRow {
  id: string;
  /** The filter lets it pass. */
  wanted: boolean;
}

type Find = (pool: pg.Pool, filter: MessageFilter, stretch: Stretch, limit: number) => Promise<NumberRow[]>;

const BORDERS: PlannedStatement = {
  text: `SELECT (SELECT relkind = 'p' FROM pg_class WHERE oid = to_regclass('messages')) AS "isDivided",
                (SELECT id FROM messages ORDER BY id LIMIT 1) AS first,
                (SELECT id FROM messages ORDER BY id DESC LIMIT 1) AS last`,
};

/** The oldest and the newest id of the store, and whether messages are divided by months. */
export interface Borders {
  first: string;
  last: string;
  isDivided: boolean;
}

/** The borders of the store; null when it is empty. */
export async function bordersOfStore(pool: pg.Pool): Promise<Borders | null> {
  const { rows } = await pool.query<Omit<Borders, 'first'> & { first: string | null }>(BORDERS);
  const [row] = rows;
  return row?.first ? { ...row, first: row.first } : null;
}

/** The number of the filter, as both indexes know it. */
const TO_NUMBER = `number_key(m.account_id, m.recipient) = number_key($4::uuid, $6::text)
  AND m.account_id = $4::uuid AND m.recipient = $6 AND m.id >= $1 AND m.id < $2`;

const WAITING: PlannedStatement = {
  text: `SELECT m.id, (${WANTED}) AS wanted FROM messages m WHERE m.next_look IS NOT NULL AND ${TO_NUMBER} LIMIT $3`,
};

/** Messages to a number that are under way, in no order. */
export const findWaiting: Find = (...question) => find(WAITING, ...question);

/** The ids of a period, in other words: by these PostgreSQL knows which month has them, and leaves the others alone. */
const OF_PERIOD = `
  AND m.id >= (lpad(to_hex(period.no::bigint << 6), 8, '0') || '-0000-0000-0000-000000000000')::uuid
  AND m.id <= (lpad(to_hex(period.no::bigint << 6 | 63), 8, '0') || '-ffff-ffff-ffff-ffffffffffff')::uuid`;

/** Period by period from the newest on: as soon as there are enough rows, the older periods are not looked at. */
const settled = (ofPeriod: string): PlannedStatement => ({
  text: `SELECT found.id, found.wanted FROM generate_series(message_period($2::uuid), message_period($1::uuid), -1) AS period(no)
         CROSS JOIN LATERAL (
           SELECT m.id, (${WANTED}) AS wanted FROM messages m
           WHERE m.next_look IS NULL AND message_period(m.id) = period.no AND ${TO_NUMBER}${ofPeriod}
           ORDER BY m.id DESC LIMIT $3) AS found
         LIMIT $3`,
});
const SETTLED = settled('');
const SETTLED_BY_MONTH = settled(OF_PERIOD);

/** Messages to a number that nothing more can happen to, or no more than `read`: the newest first. */
export const findSettled = ({ isDivided }: Pick<Borders, 'isDivided'>, ...question: Parameters<Find>) =>
  find(isDivided ? SETTLED_BY_MONTH : SETTLED, ...question);

async function find(
  statement: PlannedStatement,
  ...[pool, filter, { floor, ceiling }, limit]: Parameters<Find>
): Promise<NumberRow[]> {
  const values = [floor, ceiling, limit, ...filterValues(filter)];
  const { rows } = await pool.query<NumberRow>({ ...statement, values });
  return rows;
}
