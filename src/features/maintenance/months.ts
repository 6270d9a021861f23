import { monthsAhead, readLayout } from '../../messages/partitions/layout-store.js';
import { keepMonths } from '../../messages/partitions/months-store.js';
import { isContended } from '../../platform/store/migrations/contention.js';
import type { MaintenanceOptions } from './maintenance.js';

/**
 * Makes the tables of the months ahead, where messages are divided by months. Where the table is in use just then, the next
 * round tries again.
 * @returns how many months beyond the present one there are; null where the table is not divided
 */
export async function keepMonthsAhead({
  pool,
  log,
  clock,
}: Pick<MaintenanceOptions, 'pool' | 'log' | 'clock'>): Promise<number | null> {
  const now = clock.now();
  const client = await pool.connect();
  try {
    const made = await keepMonths(client, now);
    if (made.length > 0) log.info({ made }, 'tables of the months ahead were made');
  } catch (error) {
    if (!isContended(error)) throw error;
    log.debug({ err: error }, 'the months ahead wait for a lock that others hold');
  } finally {
    client.release();
  }
  const layout = await readLayout(pool);
  return layout.kind === 'months' ? monthsAhead(layout.partitions, now) : null;
}
