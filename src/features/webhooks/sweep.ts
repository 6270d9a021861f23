import type pg from 'pg';
import { lowestIdAt } from '../../platform/ids.js';
import { deleteOld, deleteOrphans } from './sweep-store.js';

/** How long the log keeps a delivery; far longer than the schedule of its tries. */
export const DELIVERY_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface SweepOptions {
  /** Business time. */
  now: Date;
  /** Rows that one statement deletes. */
  step: number;
  /** Asked after each statement. */
  stopped(): boolean;
}

/** Deletes deliveries that are too old or whose webhook is gone. */
export async function sweepDeliveries(pool: pg.Pool, { now, step, stopped }: SweepOptions): Promise<void> {
  const border = lowestIdAt(new Date(now.getTime() - DELIVERY_DAYS * DAY_MS));
  for (const sweep of [() => deleteOld(pool, border, step), () => deleteOrphans(pool, step)]) {
    for (;;) {
      const deleted = await sweep();
      if (stopped()) return;
      if (deleted < step) break;
    }
  }
}
