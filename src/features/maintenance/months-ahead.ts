import type pg from 'pg';
import type { Logger } from 'pino';
import { ensureMonths } from '../../messages/partitions/ensure-months-store.js';
import { monthsAhead, readLayout } from '../../messages/partitions/layout-store.js';
import { startOfMonth } from '../../messages/partitions/months.js';
import type { Clock } from '../../platform/clock.js';
import { withConnection } from '../../platform/store/connections/pool.js';
import { isContended } from '../../platform/store/migrations/contention.js';

/**
 * If the table is locked or a partition cannot be created, the next pass tries again. Until then, messages of later
 * months are stored in the last partition. Returns the number of partitions beyond the current month, or null if
 * messages are not partitioned.
 */
export async function ensureMonthsAhead({
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
    const created = await withConnection(pool, (client) => ensureMonths(client, now));
    if (created.length > 0) log.info({ made: created }, 'created monthly partitions');
  } catch (error) {
    failure = error;
  }
  const layout = await readLayout(pool);
  if (isContended(failure)) log.debug({ err: failure }, 'creating monthly partitions waits for a lock');
  else if (failure) log.error({ err: failure }, 'could not create monthly partitions');
  return layout.kind === 'months' ? monthsAhead(layout.partitions, now) : null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Returns the fractional number of days since the end of the last fully expired month, or 0 if rows are kept forever.
 */
export function roundUpToWholeMonths(now: Date, days: number): number {
  if (days === 0) return 0;
  const start = startOfMonth(new Date(now.getTime() - days * DAY_MS));
  // A millisecond is subtracted so that rounding cannot move the result before the end of the month.
  return (now.getTime() - start.getTime() - 1) / DAY_MS;
}
