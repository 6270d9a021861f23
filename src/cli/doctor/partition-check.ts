import type pg from 'pg';
import { monthsAhead, readLayout } from '../../messages/partitions/layout-store.js';
import { readIdTime } from '../../platform/ids.js';
import { systemClock } from '../../platform/system-clock.js';
import { type Finding, ok, warning } from './finding.js';

export async function checkPartitions(pool: pg.Pool): Promise<Finding[]> {
  const check = 'store.months';
  const layout = await readLayout(pool);
  if (layout.kind === 'other') return [ok(check, 'The message table is partitioned, but not by Heliograph.')];
  if (layout.kind === 'plain') {
    if (!layout.border) return [ok(check, 'Messages are in one table.')];
    const text = `Partitioning of messages by month has not finished: messages will be rejected from ${readIdTime(layout.border.id).toISOString()} on.`;
    const advice =
      'Run "heliograph store partition --yes" again. Two days before that time, a server that sends removes the limit.';
    return [warning(check, text, advice)];
  }
  const ahead = monthsAhead(layout.partitions, systemClock.now());
  if (ahead > 0) return [ok(check, `Messages are partitioned by month. Future months with a table: ${ahead}.`)];
  const text = 'The next month has no table of its own, so its messages go into the table for all later months.';
  const advice =
    'Make sure that a process with ROLE=all or ROLE=worker runs, and check its log; or run "heliograph store partition --yes".';
  return [warning(check, text, advice)];
}
