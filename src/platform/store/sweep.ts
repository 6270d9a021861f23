import type pg from 'pg';
import { lowestIdAt } from '../ids.js';
import { LONG_TIMEOUT_MS } from './connections/pool.js';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface SweepOptions {
  pool: pg.Pool;
  now: Date;
  /** Maximum rows per statement, so that no statement holds its locks for long. */
  step: number;
  /** Checked after each statement. */
  isStopped(): boolean;
  onDeleted?(table: string, rows: number): void;
}

export interface RetentionOptions extends SweepOptions {
  /** 0 keeps finished messages and automation runs forever. */
  retentionDays: number;
  /** For finished messages only. */
  inWholeMonths?: boolean;
}

/** Statement that deletes at most $1 rows. */
export interface Deletion {
  text: string;
  /** For $2 onwards. */
  values: readonly unknown[];
}

/** @returns whether stopped early */
export async function runInSteps(
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

export async function deleteInSteps(options: SweepOptions, deletions: readonly Deletion[]): Promise<void> {
  const { onDeleted } = options;
  for (const { text, values } of deletions) {
    const table = /\bDELETE FROM (\w+)/.exec(text)?.[1];
    if (!table) throw new Error(`a statement of a sweep has no DELETE FROM: ${text}`);
    if (await runInSteps(options, { text, values }, (rows) => onDeleted?.(table, rows))) return;
  }
}

export function daysAgo(now: Date, days: number): string {
  return new Date(now.getTime() - days * DAY_MS).toISOString();
}

export function idDaysAgo(now: Date, days: number): string {
  return lowestIdAt(new Date(now.getTime() - days * DAY_MS));
}
