import type pg from 'pg';
import { readIdTime } from '../../platform/ids.js';
import { startOfMonth } from './months.js';

/** Tables for messages that are older or newer than all months that have a table. */
export const BEFORE_TABLE = 'messages_before';
export const LATER_TABLE = 'messages_later';

/** Check constraint that lets PostgreSQL attach the undivided table as `BEFORE_TABLE` without reading its rows. */
export const BORDER_CHECK = 'messages_before_check';

/** Check constraint that lets PostgreSQL attach `LATER_TABLE` as the table of several months without reading its rows. */
export const LATER_CHECK = 'messages_later_check';

/** Advisory lock for changes to the set of tables, held by a session or a transaction. */
export const LAYOUT_LOCK = 0x68656c71;

export interface Partition {
  name: string;
  /** Inclusive, or null. */
  from: string | null;
  /** Exclusive, or null. */
  to: string | null;
  /** PostgreSQL's estimate. */
  rows: number;
  /** Including indexes. */
  bytes: number;
}

/**
 * `plain` is a single table, possibly prepared for division by a check constraint. `other` is a table divided by other
 * software, which must also create and drop its partitions.
 */
export type Layout =
  | { kind: 'plain'; border: { id: string; isValidated: boolean } | null }
  | { kind: 'months'; partitions: Partition[] }
  | { kind: 'other' };

interface Row extends Omit<Partition, 'from' | 'to'> {
  bound: string;
}

const READ_TABLE = `
SELECT c.relkind = 'p' AS "isDivided", pg_get_constraintdef(k.oid) AS border, k.convalidated AS "isValidated"
FROM pg_class c LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.conname = '${BORDER_CHECK}'
WHERE c.oid = to_regclass('messages')`;

const READ_PARTITIONS = `
SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound, 
       coalesce(nullif(pg_stat_get_live_tuples(c.oid), 0), greatest(c.reltuples, 0))::float8 AS rows,
       pg_total_relation_size(c.oid)::float8 AS bytes
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass('messages')`;

const ID_PATTERN = /'([0-9a-f-]{36})'/;
const BOUND_PATTERN = /^FOR VALUES FROM \((MINVALUE|'[0-9a-f-]{36}')\) TO \((MAXVALUE|'[0-9a-f-]{36}')\)$/;

export async function readLayout(queries: Pick<pg.Pool, 'query'>): Promise<Layout> {
  const { rows: tables } = await queries.query<{ isDivided: boolean; border: string | null; isValidated: boolean }>(
    READ_TABLE,
  );
  const [table] = tables;
  if (!table?.isDivided) {
    const id = ID_PATTERN.exec(table?.border ?? '')?.[1];
    return { kind: 'plain', border: id ? { id, isValidated: table?.isValidated === true } : null };
  }
  const { rows } = await queries.query<Row>(READ_PARTITIONS);
  const partitions = rows.flatMap(({ bound, ...rest }) => {
    const [, from = '', to = ''] = BOUND_PATTERN.exec(bound) ?? [];
    return from === ''
      ? []
      : [{ ...rest, from: ID_PATTERN.exec(from)?.[1] ?? null, to: ID_PATTERN.exec(to)?.[1] ?? null }];
  });
  if (partitions.length < rows.length || !partitions.some(({ name }) => name === LATER_TABLE)) return { kind: 'other' };
  return { kind: 'months', partitions: partitions.sort((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1)) };
}

export function endOfMonths(partitions: readonly Partition[]): Date {
  const from = partitions.at(-1)?.from;
  if (!from) throw new Error(`the table ${LATER_TABLE} has no lower bound`);
  return readIdTime(from);
}

/** Returns a negative number if the current month has no table. */
export function monthsAhead(partitions: readonly Partition[], now: Date): number {
  const end = endOfMonths(partitions);
  const present = startOfMonth(now);
  return (end.getUTCFullYear() - present.getUTCFullYear()) * 12 + end.getUTCMonth() - present.getUTCMonth() - 1;
}
