import type pg from 'pg';
import type { LockedAccounts } from '../../accounts/locked-accounts.js';
import type { Clock } from '../../platform/clock.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import { retryTransaction } from '../../platform/store/repeat.js';
import type { Person } from './person.js';

export interface ErasureOptions {
  pool: pg.Pool;
  lockedAccounts: Pick<LockedAccounts, 'run'>;
  clock: Clock;
}

export const SLICE_ROWS = 200;
/** Maximum number of log entries that one statement searches. */
export const SCAN_ROWS = 5_000;

export interface VisitOptions {
  /** Lowest ID of log entries to read. */
  floor: string;
  erases: boolean;
  /** Keys of rows that were already counted and must not be counted again. */
  seen?: Set<string>;
  onRows?(kind: string, rows: number): void;
  /** Gets the keys of the rows that were found. Not called for automation runs and contacts, which `Person` leads to. */
  onFound?(rows: readonly unknown[]): void;
}

export interface Trace {
  kind: string;
  visit(options: ErasureOptions, person: Person, visit: VisitOptions): Promise<number>;
}

interface TraceRows<Row> {
  /** `find` must not return erased rows again, because passes repeat until they find nothing. */
  find(pool: pg.Pool, person: Person, floor: string): AsyncGenerator<Row[]>;
  /** Each slice is erased in its own transaction, which is repeated after a deadlock. */
  erase(client: pg.PoolClient, person: Person, rows: readonly Row[]): Promise<void>;
}

export function makeTrace<Row>(kind: string, { find, erase }: TraceRows<Row>): Trace {
  return {
    kind,
    visit: async ({ pool }, person, { floor, erases, seen, onRows, onFound }) => {
      let count = 0;
      for await (const slice of find(pool, person, floor)) {
        const rows = seen ? slice.filter((row) => addKey(seen, `${kind} ${JSON.stringify(row)}`)) : slice;
        if (rows.length === 0) continue;
        if (erases) await retryTransaction(() => inTransaction(pool, (client) => erase(client, person, rows)));
        onFound?.(rows);
        count += rows.length;
        onRows?.(kind, count);
      }
      return count;
    },
  };
}

function addKey(keys: Set<string>, key: string): boolean {
  const size = keys.size;
  return keys.add(key).size > size;
}

/** `next` is the key after which the next slice starts, or null after the last slice. */
export async function* readSlices<Row>(
  start: string,
  readAfter: (key: string) => Promise<{ rows: Row[]; next: string | null }>,
): AsyncGenerator<Row[]> {
  for (let key: string | null = start; key !== null; ) {
    const slice: { rows: Row[]; next: string | null } = await readAfter(key);
    yield slice.rows;
    key = slice.next;
  }
}
