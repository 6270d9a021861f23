import type pg from 'pg';
import { monthsAhead, readLayout } from '../../messages/partitions/layout-store.js';
import { timeOfId } from '../../platform/ids.js';
import { systemClock } from '../../platform/system-clock.js';
import { counted } from './amounts.js';
import { type Finding, ok, warning } from './finding.js';

/** Whether the months ahead have a table, where messages are divided by months. */
export async function checkPartitions(pool: pg.Pool): Promise<Finding[]> {
  const check = 'store.months';
  const layout = await readLayout(pool);
  if (layout.kind === 'other') return [ok(check, 'Messages are divided by tables that Heliograph leaves alone.')];
  if (layout.kind === 'plain') {
    if (!layout.border) return [ok(check, 'Messages are in one table.')];
    const text = `Messages were to be divided by months, and it was not finished: none is accepted from ${timeOfId(layout.border.id).toISOString()} on.`;
    const advice =
      'Run "heliograph store partition --yes" again. A server that sends takes the limit back two days before.';
    return [warning(check, text, advice)];
  }
  const ahead = monthsAhead(layout.partitions, systemClock.now());
  if (ahead > 0) return [ok(check, `Messages are divided by months; ${counted(ahead, 'month')} ahead have a table.`)];
  const text = 'The next month has no table of its own, so its messages go into that of all later ones.';
  const advice =
    'See that a process with ROLE=all or ROLE=worker runs, and its log; or run "heliograph store partition --yes".';
  return [warning(check, text, advice)];
}
