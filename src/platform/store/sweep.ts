import type pg from 'pg';
import { lowestIdAt } from '../ids.js';
import { LONG_PATIENCE_MS } from './pool.js';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface SweepOptions {
  pool: pg.Pool;
  /** Business time. */
  now: Date;
  /** Rows that one statement deletes, so that none holds its locks for long. */
  step: number;
  /** Asked after each statement. */
  stopped(): boolean;
  /** Told of what each statement deleted. */
  onDeleted?(table: string, rows: number): void;
}

export interface RetentionOptions extends SweepOptions {
  /** After how many days a message or a run that nothing more can happen to is deleted; 0 keeps all. */
  retentionDays: number;
}

/**
 * A statement that deletes $1 rows at the most. It is not prepared: once a minute a plan that fits the table as it is
 * now is worth its making.
 */
export interface Deletion {
  text: string;
  /** $2 and so on. */
  values: readonly unknown[];
}

/** Deletes all that each statement finds, one step after the other, until it is stopped. */
export async function deleteInSteps(
  { pool, step, stopped, onDeleted }: SweepOptions,
  deletions: readonly Deletion[],
): Promise<void> {
  for (const { text, values } of deletions) {
    const table = /\bDELETE FROM (\w+)/.exec(text)?.[1];
    if (!table) throw new Error(`a statement of a sweep deletes from no table: ${text}`);
    for (;;) {
      const { rowCount } = await pool.query({
        text,
        values: [step, ...values],
        patienceMs: LONG_PATIENCE_MS,
      } as pg.QueryConfig);
      if (rowCount) onDeleted?.(table, rowCount);
      if (stopped()) return;
      if ((rowCount ?? 0) < step) break;
    }
  }
}

/** The moment so many days before now, as a statement takes it. */
export function daysAgo(now: Date, days: number): string {
  return new Date(now.getTime() - days * DAY_MS).toISOString();
}

/** The smallest id of the moment so many days before now: what has a smaller one was made before it. */
export function idDaysAgo(now: Date, days: number): string {
  return lowestIdAt(new Date(now.getTime() - days * DAY_MS));
}
