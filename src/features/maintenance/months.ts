import type pg from 'pg';
import type { Logger } from 'pino';
import { keepMonths } from '../../messages/partitions/keep-store.js';
import { monthsAhead, readLayout } from '../../messages/partitions/layout-store.js';
import { monthStart } from '../../messages/partitions/months.js';
import type { Clock } from '../../platform/clock.js';
import { withConnection } from '../../platform/store/connections/pool.js';
import { isContended } from '../../platform/store/migrations/contention.js';

/**
 * Makes the tables of the months ahead, where messages are divided by months. Where the table is in use just then, or they
 * cannot be made, the next round tries again: until then ids have the table of all later ones, and old rows leave all the same.
 * @returns how many months beyond the present one there are; null where the table is not divided
 */
export async function keepMonthsAhead({
  pool,
  log,
  clock,
}: {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
}): Promise<number | null> {
  const now = clock.now();
  let failure: unknown = null;
  try {
    const made = await withConnection(pool, (client) => keepMonths(client, now));
    if (made.length > 0) log.info({ made }, 'tables of the months ahead were made');
  } catch (error) {
    failure = error;
  }
  // Of a store that is away this says so.
  const layout = await readLayout(pool);
  if (isContended(failure)) log.debug({ err: failure }, 'the months ahead wait for a lock that others hold');
  else if (failure) log.error({ err: failure }, 'tables of the months ahead could not be made');
  return layout.kind === 'months' ? monthsAhead(layout.partitions, now) : null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * How many days before now the last month ended of which all is older than so many days; the fraction counts. 0, which keeps
 * everything, stays 0.
 */
export function daysInWholeMonths(now: Date, days: number): number {
  if (days === 0) return 0;
  const start = monthStart(new Date(now.getTime() - days * DAY_MS));
  // A millisecond on, lest the quotient be rounded to a moment before the month's end.
  return (now.getTime() - start.getTime() - 1) / DAY_MS;
}
