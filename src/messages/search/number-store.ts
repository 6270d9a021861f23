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
  text: `SELECT ARRAY(SELECT substring(pg_get_expr(c.relpartbound, c.oid) FROM $$FROM \\('([0-9a-f-]{36})'\\)$$) AS start
                      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass('messages')
                      ORDER BY start) AS starts,
                (SELECT id FROM messages ORDER BY id LIMIT 1) AS first,
                (SELECT id FROM messages ORDER BY id DESC LIMIT 1) AS last`,
};

/** The oldest and the newest id of the store, and where its tables begin. */
export interface Borders {
  first: string;
  last: string;
  /** Where messages are divided by months: the lowest id of each table that is not open below, in order. */
  starts: string[];
}

/** The borders of the store; null when it is empty. */
export async function bordersOfStore(pool: pg.Pool): Promise<Borders | null> {
  const { rows } = await pool.query<{ first: string | null; last: string; starts: (string | null)[] }>(BORDERS);
  const [row] = rows;
  if (!row?.first) return null;
  return { first: row.first, last: row.last, starts: row.starts.filter((start) => start !== null) };
}

/** The number of the filter, as both indexes know it, among the ids of a stretch. */
const toNumber = (
  floor = '$1',
  ceiling = '$2',
) => `number_key(m.account_id, m.recipient) = number_key($4::uuid, $6::text)
  AND m.account_id = $4::uuid AND m.recipient = $6 AND m.id >= ${floor}::uuid AND m.id < ${ceiling}::uuid`;

const WAITING: PlannedStatement = {
  text: `SELECT m.id, (${WANTED}) AS wanted FROM messages m WHERE m.next_look IS NOT NULL AND ${toNumber()} LIMIT $3`,
};

/** Messages to a number that are under way, in no order. */
export async function findWaiting(
  ...[pool, filter, { floor, ceiling }, limit]: Parameters<Find>
): Promise<NumberRow[]> {
  const { rows } = await pool.query<NumberRow>({
    ...WAITING,
    values: [floor, ceiling, limit, ...filterValues(filter)],
  });
  return rows;
}

/** Period by period from the newest on: as soon as there are enough rows, the older periods are not looked at. */
const settled = (floor: string, ceiling: string) => `
  (SELECT found.id, found.wanted
   FROM generate_series(message_period(${ceiling}::uuid), message_period(${floor}::uuid), -1) AS period(no)
   CROSS JOIN LATERAL (
     SELECT m.id, (${WANTED}) AS wanted FROM messages m
     WHERE m.next_look IS NULL AND message_period(m.id) = period.no AND ${toNumber(floor, ceiling)}
     ORDER BY m.id DESC LIMIT $3) AS found
   LIMIT $3)`;

/** The same in several stretches: the first from $1 to $2, the others from $16 to $17 and so on. */
const settledIn = (stretches: number): PlannedStatement => ({
  text: Array.from({ length: stretches }, (_, at) =>
    at === 0 ? settled('$1', '$2') : settled(`$${14 + 2 * at}`, `$${15 + 2 * at}`),
  ).join(' UNION ALL'),
});

/**
 * Messages to a number that nothing more can happen to, or no more than `limit`: the newest first. Of a stretch that lies in one
 * table PostgreSQL knows so when it plans, and not anew for each period, so each table has one of its own: that of the newest
 * messages is asked first, then two together, then four.
 */
export async function findSettled(
  { starts }: Pick<Borders, 'starts'>,
  ...[pool, filter, { floor, ceiling }, limit]: Parameters<Find>
): Promise<NumberRow[]> {
  const borders = [ceiling, ...starts.filter((start) => start > floor && start < ceiling).reverse(), floor];
  const found: NumberRow[] = [];
  for (let at = 0, count = 1; at < borders.length - 1 && found.length < limit; at += count, count *= 2) {
    const stretches = borders.slice(at, at + count + 1);
    const [first, ...others] = stretches.slice(1).map((lowest, index) => [lowest, stretches[index] as string]);
    const values = [...(first ?? []), limit, ...filterValues(filter), ...others.flat()];
    const { rows } = await pool.query<NumberRow>({ ...settledIn(stretches.length - 1), values });
    found.push(...rows.sort((a, b) => (a.id < b.id ? 1 : -1)));
  }
  return found.slice(0, limit);
}
