import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { type IdRange, MATCHES_FILTER, type MessageFilter, toFilterValues } from './list-store.js';

export interface NumberRow {
  id: string;
  matches: boolean;
}

type FindRows = (pool: pg.Pool, filter: MessageFilter, stretch: IdRange, limit: number) => Promise<NumberRow[]>;

const READ_BORDERS: PlannedStatement = {
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

/** Returns null if the table is empty. */
export async function readBorders(pool: pg.Pool): Promise<Borders | null> {
  const { rows } = await pool.query<{ first: string | null; last: string; starts: (string | null)[] }>(READ_BORDERS);
  const [row] = rows;
  if (!row?.first) return null;
  return { first: row.first, last: row.last, starts: row.starts.filter((start) => start !== null) };
}

const matchesNumberSql = (
  floor = '$1',
  ceiling = '$2',
) => `number_key(m.account_id, m.recipient) = number_key($4::uuid, $6::text)
  AND m.account_id = $4::uuid AND m.recipient = $6 AND m.id >= ${floor}::uuid AND m.id < ${ceiling}::uuid`;

const FIND_OPEN: PlannedStatement = {
  text: `SELECT m.id, (${MATCHES_FILTER}) AS matches FROM messages m WHERE m.next_look IS NOT NULL AND ${matchesNumberSql()} LIMIT $3`,
};

/** In any order. */
export async function findOpen(
  ...[pool, filter, { floor, ceiling }, limit]: Parameters<FindRows>
): Promise<NumberRow[]> {
  const { rows } = await pool.query<NumberRow>({
    ...FIND_OPEN,
    values: [floor, ceiling, limit, ...toFilterValues(filter)],
  });
  return rows;
}

const finalMessagesSql = (floor: string, ceiling: string) => `
  (SELECT found.id, found.matches
   FROM generate_series(message_period(${ceiling}::uuid), message_period(${floor}::uuid), -1) AS period(no)
   CROSS JOIN LATERAL (
     SELECT m.id, (${MATCHES_FILTER}) AS matches FROM messages m
     WHERE m.next_look IS NULL AND message_period(m.id) = period.no AND ${matchesNumberSql(floor, ceiling)}
     ORDER BY m.id DESC LIMIT $3) AS found
   LIMIT $3)`;

/** The first range uses the parameters $1 and $2, the second range $16 and $17, and so on. */
const buildFindFinal = (rangeCount: number): PlannedStatement => ({
  text: Array.from({ length: rangeCount }, (_, index) =>
    index === 0 ? finalMessagesSql('$1', '$2') : finalMessagesSql(`$${14 + 2 * index}`, `$${15 + 2 * index}`),
  ).join(' UNION ALL'),
});

/** Newest first. Each query covers whole monthly tables, so that PostgreSQL chooses the tables during planning. */
export async function findFinal(
  { starts }: Pick<Borders, 'starts'>,
  ...[pool, filter, { floor, ceiling }, limit]: Parameters<FindRows>
): Promise<NumberRow[]> {
  const borders = [ceiling, ...starts.filter((start) => start > floor && start < ceiling).reverse(), floor];
  const messages: NumberRow[] = [];
  for (let start = 0, count = 1; start < borders.length - 1 && messages.length < limit; start += count, count *= 2) {
    const bounds = borders.slice(start, start + count + 1);
    const [first, ...furtherRanges] = bounds.slice(1).map((lowest, index) => [lowest, bounds[index] as string]);
    const values = [...(first ?? []), limit, ...toFilterValues(filter), ...furtherRanges.flat()];
    const { rows } = await pool.query<NumberRow>({ ...buildFindFinal(bounds.length - 1), values });
    messages.push(...rows.sort((a, b) => (a.id < b.id ? 1 : -1)));
  }
  return messages.slice(0, limit);
}
