import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { filterValues, type MessageFilter, type Stretch, WANTED } from './list-store.js';

export interface NumberRow {
  id: string;
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

export interface Borders {
  first: string;
  last: string;
  /** The lowest ID of each monthly table, in order; empty if the table is not divided by month. */
  starts: string[];
}

/** Null if the table is empty. */
export async function readBorders(pool: pg.Pool): Promise<Borders | null> {
  const { rows } = await pool.query<{ first: string | null; last: string; starts: (string | null)[] }>(BORDERS);
  const [row] = rows;
  if (!row?.first) return null;
  return { first: row.first, last: row.last, starts: row.starts.filter((start) => start !== null) };
}

const toNumber = (
  floor = '$1',
  ceiling = '$2',
) => `number_key(m.account_id, m.recipient) = number_key($4::uuid, $6::text)
  AND m.account_id = $4::uuid AND m.recipient = $6 AND m.id >= ${floor}::uuid AND m.id < ${ceiling}::uuid`;

const OPEN: PlannedStatement = {
  text: `SELECT m.id, (${WANTED}) AS matches FROM messages m WHERE m.next_look IS NOT NULL AND ${toNumber()} LIMIT $3`,
};

/** In no particular order. */
export async function findOpen(...[pool, filter, { floor, ceiling }, limit]: Parameters<Find>): Promise<NumberRow[]> {
  const { rows } = await pool.query<NumberRow>({
    ...OPEN,
    values: [floor, ceiling, limit, ...filterValues(filter)],
  });
  return rows;
}

const finalMessages = (floor: string, ceiling: string) => `
  (SELECT found.id, found.matches
   FROM generate_series(message_period(${ceiling}::uuid), message_period(${floor}::uuid), -1) AS period(no)
   CROSS JOIN LATERAL (
     SELECT m.id, (${WANTED}) AS matches FROM messages m
     WHERE m.next_look IS NULL AND message_period(m.id) = period.no AND ${toNumber(floor, ceiling)}
     ORDER BY m.id DESC LIMIT $3) AS found
   LIMIT $3)`;

/** The first range uses $1 and $2, the others $16 and $17, and so on. */
const finalMessagesIn = (stretches: number): PlannedStatement => ({
  text: Array.from({ length: stretches }, (_, index) =>
    index === 0 ? finalMessages('$1', '$2') : finalMessages(`$${14 + 2 * index}`, `$${15 + 2 * index}`),
  ).join(' UNION ALL'),
});

/**
 * Newest first. Each query covers whole tables, because PostgreSQL then chooses the table when it plans, not for every
 * period.
 */
export async function findFinal(
  { starts }: Pick<Borders, 'starts'>,
  ...[pool, filter, { floor, ceiling }, limit]: Parameters<Find>
): Promise<NumberRow[]> {
  const borders = [ceiling, ...starts.filter((start) => start > floor && start < ceiling).reverse(), floor];
  const messages: NumberRow[] = [];
  for (let start = 0, count = 1; start < borders.length - 1 && messages.length < limit; start += count, count *= 2) {
    const stretches = borders.slice(start, start + count + 1);
    const [first, ...furtherRanges] = stretches.slice(1).map((lowest, index) => [lowest, stretches[index] as string]);
    const values = [...(first ?? []), limit, ...filterValues(filter), ...furtherRanges.flat()];
    const { rows } = await pool.query<NumberRow>({ ...finalMessagesIn(stretches.length - 1), values });
    messages.push(...rows.sort((a, b) => (a.id < b.id ? 1 : -1)));
  }
  return messages.slice(0, limit);
}
