import type pg from 'pg';
import { lowestIdAt } from '../ids.js';
import { LONG_PATIENCE_MS } from './connections/pool.js';

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
  /** Whether messages leave by whole months as far as nothing more can happen to them; false unless told. */
  inWholeMonths?: boolean;
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

/**
 * Repeats a statement, which settles $1 rows at the most, until it finds fewer or is stopped.
 * @param onRows told of how many each settled
 * @returns whether it was stopped
 */
export async function inSteps(
  { pool, step, stopped }: Pick<SweepOptions, 'pool' | 'step' | 'stopped'>,
  { text, values }: Deletion,
  onRows?: (rows: number) => void,
): Promise<boolean> {
  for (;;) {
    const { rowCount } = await pool.query({
      text,
      values: [step, ...values],
      patienceMs: LONG_PATIENCE_MS,
    } as pg.QueryConfig);
    if (rowCount) onRows?.(rowCount);
    if (stopped()) return true;
    if ((rowCount ?? 0) < step) return false;
  }
}

/** Deletes all that each statement finds, one step after the other, until it is stopped. */
export async function deleteInSteps(options: SweepOptions, deletions: readonly Deletion[]): Promise<void> {
  const { onDeleted } = options;
  for (const { text, values } of deletions) {
    const table = /\bDELETE FROM (\w+)/.exec(text)?.[1];
    if (!table) throw new Error(`a statement of a sweep deletes from no table: ${text}`);
    if (await inSteps(options, { text, values }, (rows) => onDeleted?.(table, rows))) return;
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
