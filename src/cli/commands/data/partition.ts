import type { Command } from 'commander';
import type pg from 'pg';
import { writeAuditEntry } from '../../../accounts/audit/audit-log.js';
import { type DivisionPlan, divideByMonth, planDivision } from '../../../messages/partitions/divide-store.js';
import { type Layout, monthsAhead, type Partition, readLayout } from '../../../messages/partitions/layout-store.js';
import { MONTHS_AHEAD } from '../../../messages/partitions/months.js';
import { openBackupConnection } from '../../../platform/backup/snapshot-store.js';
import { readIdTime } from '../../../platform/ids.js';
import { lockMigrations } from '../../../platform/store/migrations/lock.js';
import { systemClock } from '../../../platform/system-clock.js';
import { cliActor } from '../../change.js';
import type { CliContext } from '../../context.js';
import { formatTable, type Json, print } from '../../output.js';
import { atStore, commandLog } from '../../store.js';

interface PartitionOptions {
  status: boolean;
  dryRun: boolean;
  yes: boolean;
}

export function addPartitionCommand(store: Command, context: CliContext): void {
  store
    .command('partition')
    .description('partition the message table by month while servers run; if it is interrupted, run it again')
    .option('--status', 'list the tables and their sizes, without changing anything', false)
    .option('--dry-run', 'show what would be done, without changing anything', false)
    .option('--yes', 'confirm; only restoring a backup can undo it', false)
    .action(async (options: PartitionOptions, command: Command) => {
      const json = await atStore(context, {}, async (url) => {
        const client = await openBackupConnection(url);
        try {
          if (options.status) return describeLayout(await readLayout(client));
          if (options.dryRun || !options.yes) return await showPlan(client, options);
          await lockMigrations(client, commandLog('info'));
          return await partition(context, client);
        } finally {
          await client.end();
        }
      });
      print(context, command, json.result, json.text);
    });
}

interface CommandResult {
  result: Record<string, Json>;
  text: string;
}

async function showPlan(client: pg.Client, { dryRun }: PartitionOptions): Promise<CommandResult> {
  const layout = await readLayout(client);
  if (layout.kind !== 'plain') return describeLayout(layout);
  const plan = await planDivision(client, layout, systemClock.now());
  if (!dryRun) throw new Error(`${describePlan(plan)}\nNothing was changed. Add --yes to partition the table.`);
  return { result: { divided: false, ...plan }, text: describePlan(plan) };
}

function describePlan({ border, months }: DivisionPlan): string {
  const firstDay = readIdTime(border).toISOString().slice(0, 10);
  return (
    `Messages before ${firstDay} would stay in one table; each later month would get its own: ${months.join(', ')}. ` +
    'The current table is read once without a lock, and then locked for some milliseconds. ' +
    'Statements wait for the lock for at most half a second. Locking is attempted for up to two minutes.'
  );
}

async function partition(context: CliContext, client: pg.Client): Promise<CommandResult> {
  const printProgress = (sentence: string) => context.writeError(`${sentence}.\n`);
  const lockedMs = await divideByMonth({
    client,
    now: systemClock.now(),
    report: printProgress,
    onDivided: auditPartitioning,
  });
  const result = describeLayout(await readLayout(client));
  if (lockedMs === null) return result;
  return { ...result, result: { ...result.result, lockedMs: Math.ceil(lockedMs) } };
}

async function auditPartitioning(client: pg.ClientBase): Promise<void> {
  const { tables } = describeLayout(await readLayout(client)).result;
  const entry = { action: 'store.partition', accountId: null, subject: 'messages', after: { tables } };
  await writeAuditEntry(client, { ...entry, actor: cliActor() });
}

function describeLayout(layout: Layout): CommandResult {
  if (layout.kind === 'plain') {
    const unfinishedText = layout.border
      ? ` Partitioning has started but not finished: new message IDs must be before ${readIdTime(layout.border.id).toISOString()}.`
      : '';
    return { result: { divided: false, tables: [] }, text: `Messages are in one table.${unfinishedText}` };
  }
  if (layout.kind === 'other') {
    return {
      result: { divided: true, tables: [] },
      text: 'The message table is partitioned, but not by Heliograph, which therefore neither creates nor drops partitions.',
    };
  }
  const futureMonths = monthsAhead(layout.partitions, systemClock.now());
  const tables = layout.partitions.map(toRow);
  const cells = tables.map(({ name, from, to, rows, bytes }) => [
    name,
    from?.slice(0, 10) ?? '',
    to?.slice(0, 10) ?? '',
    String(rows),
    `${(bytes / 1_000_000).toFixed(1)} MB`,
  ]);
  const missingText = futureMonths < MONTHS_AHEAD ? ' A server that sends creates the missing ones.' : '';
  return {
    result: { divided: true, monthsAhead: futureMonths, tables },
    text: `${formatTable(['TABLE', 'FROM', 'UNTIL', 'ROWS (ESTIMATE)', 'SIZE'], cells)}\nFuture months with a table: ${futureMonths}.${missingText}`,
  };
}

function toRow({ name, from, to, rows, bytes }: Partition) {
  const toTime = (id: string | null) => (id === null ? null : readIdTime(id).toISOString());
  return { name, from: toTime(from), to: toTime(to), rows: Math.round(rows), bytes };
}
