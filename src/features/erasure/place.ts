import type pg from 'pg';
import type { HeldAccounts } from '../../accounts/held-accounts.js';
import type { Clock } from '../../platform/clock.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import { repeated } from '../../platform/store/repeat.js';
import type { Person } from './person.js';

export interface ErasureOptions {
  pool: pg.Pool;
  held: Pick<HeldAccounts, 'run'>;
  clock: Clock;
}

/** Rows that one transaction erases, and entries that one statement of a search reads. */
export const SLICE_ROWS = 200;
export const SCAN_ROWS = 5_000;

export interface Visit {
  /** Where rows are found by reading a log from an id on: that id. */
  floor: string;
  /** Otherwise they are counted alone. */
  erases: boolean;
  /** Rows that were counted before, and are not counted again; those that are counted are added. */
  seen?: Set<string>;
  /** Told of each slice that is done. */
  onRows?(kind: string, rows: number): void;
}

/** A kind of rows that tell of a person. */
export interface Place {
  kind: string;
  /** Returns how many rows it found. */
  visit(options: ErasureOptions, person: Person, visit: Visit): Promise<number>;
}

/** How the rows of a place are found, slice by slice, and erased. Rows that are erased are not found again. */
export interface Finding<Row> {
  find(pool: pg.Pool, person: Person, floor: string): AsyncGenerator<Row[]>;
  /** In a transaction of its own, which is repeated after a deadlock. */
  erase(client: pg.PoolClient, person: Person, rows: readonly Row[]): Promise<void>;
}

/** A place of rows that are erased a slice at a time. @param kind as the command calls them */
export function place<Row>(kind: string, { find, erase }: Finding<Row>): Place {
  return {
    kind,
    visit: async ({ pool }, person, { floor, erases, seen, onRows }) => {
      let count = 0;
      for await (const found of find(pool, person, floor)) {
        const rows = seen ? found.filter((row) => isNew(seen, `${kind} ${JSON.stringify(row)}`)) : found;
        if (rows.length === 0) continue;
        if (erases) await repeated(() => inTransaction(pool, (client) => erase(client, person, rows)));
        count += rows.length;
        onRows?.(kind, count);
      }
      return count;
    },
  };
}

function isNew(seen: Set<string>, key: string): boolean {
  const size = seen.size;
  return seen.add(key).size > size;
}

/** Slices of what a statement finds behind the last key of the slice before, from a first key on, until it finds nothing. */
export async function* slices<Row>(
  start: string,
  ask: (after: string) => Promise<{ rows: Row[]; next: string | null }>,
): AsyncGenerator<Row[]> {
  for (let after: string | null = start; after !== null; ) {
    const found: { rows: Row[]; next: string | null } = await ask(after);
    yield found.rows;
    after = found.next;
  }
}
