import type pg from 'pg';
import { lowestIdAt } from '../ids.js';
import { LONG_TIMEOUT_MS } from './connections/pool.js';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface SweepOptions {
  pool: pg.Pool;
  now: Date;
  /** Rows per statement, so that no statement holds its locks for long. */
  step: number;
  /** Checked after each statement. */
  isStopped(): boolean;
  /** Called with the rows that a statement deleted. */
  onDeleted?(table: string, rows: number): void;
}

export interface RetentionOptions extends SweepOptions {
  /** Days after which finished messages and runs are deleted; 0 keeps all. */
  retentionDays: number;
  /** Whether finished messages are deleted by whole months. Default: false. */
  inWholeMonths?: boolean;
}

/**
 * A statement that deletes at most $1 rows. It is not prepared: once a minute, planning it for the table's current size
 * pays off.
 */
export interface Deletion {
  text: string;
  /** For $2 and so on. */
  values: readonly unknown[];
}

/**
 * Repeats a statement that handles at most $1 rows, until it finds fewer or is stopped.
 * @param onRows called with the number of rows of each statement
 * @returns whether it was stopped
 */
export async function inSteps(
  { pool, step, isStopped }: Pick<SweepOptions, 'pool' | 'step' | 'isStopped'>,
  { text, values }: Deletion,
  onRows?: (rows: number) => void,
): Promise<boolean> {
  for (;;) {
    const { rowCount } = await pool.query({
      text,
      values: [step, ...values],
      patienceMs: LONG_TIMEOUT_MS,
    } as pg.QueryConfig);
    if (rowCount) onRows?.(rowCount);
    if (isStopped()) return true;
    if ((rowCount ?? 0) < step) return false;
  }
}

/** Deletes all rows that each statement finds, in steps, until it is stopped. */
export async function deleteInSteps(options: SweepOptions, deletions: readonly Deletion[]): Promise<void> {
  const { onDeleted } = options;
  for (const { text, values } of deletions) {
    const table = /\bDELETE FROM (\w+)/.exec(text)?.[1];
    if (!table) throw new Error(`a statement of a sweep has no DELETE FROM: ${text}`);
    if (await inSteps(options, { text, values }, (rows) => onDeleted?.(table, rows))) return;
  }
}

/** Returns the time this many days ago, for a statement. */
export function daysAgo(now: Date, days: number): string {
  return new Date(now.getTime() - days * DAY_MS).toISOString();
}

/** Returns the smallest ID of the time this many days ago; older rows have smaller IDs. */
export function idDaysAgo(now: Date, days: number): string {
  return lowestIdAt(new Date(now.getTime() - days * DAY_MS));
}
