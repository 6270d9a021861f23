import type { Command } from 'commander';
import type pg from 'pg';
import { audit } from '../../../accounts/audit/audit-log.js';
import { divideByMonth, type Plan, planDivision } from '../../../messages/partitions/divide-store.js';
import { type Layout, monthsAhead, type Partition, readLayout } from '../../../messages/partitions/layout-store.js';
import { MONTHS_AHEAD } from '../../../messages/partitions/months.js';
import { connectTo } from '../../../platform/backup/snapshot-store.js';
import { timeOfId } from '../../../platform/ids.js';
import { lockMigrations } from '../../../platform/store/migrations/lock.js';
import { systemClock } from '../../../platform/system-clock.js';
import { cliActor } from '../../change.js';
import type { CliContext } from '../../context.js';
import { type Json, print, table } from '../../output.js';
import { atStore, commandLog } from '../../store.js';

interface PartitionOptions {
  status: boolean;
  dryRun: boolean;
  yes: boolean;
}

/** `heliograph store partition`: the messages by months. */
export function addPartitionCommand(store: Command, context: CliContext): void {
  store
    .command('partition')
    .description('divide the table of messages by months, beside servers that work; killed in between, run it again')
    .option('--status', 'print which tables there are, with what they hold, and change nothing', false)
    .option('--dry-run', 'print what would be done, and change nothing', false)
    .option('--yes', 'do it; there is no way back but a backup that is restored', false)
    .action(async (options: PartitionOptions, command: Command) => {
      const json = await atStore(context, {}, async (url) => {
        const client = await connectTo(url);
        try {
          if (options.status) return shown(await readLayout(client));
          if (options.dryRun || !options.yes) return await planned(client, options);
          await lockMigrations(client, commandLog('info'));
          return await divided(context, client);
        } finally {
          await client.end();
        }
      });
      print(context, command, json.result, json.text);
    });
}

interface Told {
  result: Record<string, Json>;
  text: string;
}

async function planned(client: pg.Client, { dryRun }: PartitionOptions): Promise<Told> {
  const layout = await readLayout(client);
  if (layout.kind !== 'plain') return shown(layout);
  const plan = await planDivision(client, layout, systemClock.now());
  if (!dryRun) throw new Error(`${described(plan)}\nNothing was changed. Add --yes to do it.`);
  return { result: { divided: false, ...plan }, text: described(plan) };
}

function described({ border, months }: Plan): string {
  const begin = timeOfId(border).toISOString().slice(0, 10);
  return (
    `All messages until ${begin} would be in one table, and from then on each month in its own: ${months.join(', ')}. ` +
    'The present table is read once, without a lock, and locked for some milliseconds. ' +
    'While it is locked others wait, for half a second at the most, and it is tried again for two minutes.'
  );
}

async function divided(context: CliContext, client: pg.Client): Promise<Told> {
  const tell = (sentence: string) => context.writeError(`${sentence}.\n`);
  const lockedMs = await divideByMonth({ client, now: systemClock.now(), report: tell, onDivided: auditDivision });
  const told = shown(await readLayout(client));
  if (lockedMs === null) return told;
  return { ...told, result: { ...told.result, lockedMs: Math.ceil(lockedMs) } };
}

async function auditDivision(client: pg.ClientBase): Promise<void> {
  const { tables } = shown(await readLayout(client)).result;
  const what = { action: 'store.partition', accountId: null, subject: 'messages', after: { tables } };
  await audit(client, { ...what, actor: cliActor() });
}

function shown(layout: Layout): Told {
  if (layout.kind === 'plain') {
    const half = layout.border
      ? ` It was begun: new ids are held to before ${timeOfId(layout.border.id).toISOString()}.`
      : '';
    return { result: { divided: false, tables: [] }, text: `Messages are in one table.${half}` };
  }
  if (layout.kind === 'other') {
    return {
      result: { divided: true, tables: [] },
      text: 'Messages are divided, and not by Heliograph: it makes and drops none of the tables.',
    };
  }
  const ahead = monthsAhead(layout.partitions, systemClock.now());
  const tables = layout.partitions.map(asRow);
  const cells = tables.map(({ name, from, to, rows, bytes }) => [
    name,
    from?.slice(0, 10) ?? '',
    to?.slice(0, 10) ?? '',
    String(rows),
    `${(bytes / 1_000_000).toFixed(1)} MB`,
  ]);
  const missing = ahead < MONTHS_AHEAD ? ' The next sweep of a server that sends makes those that are missing.' : '';
  return {
    result: { divided: true, monthsAhead: ahead, tables },
    text: `${table(['TABLE', 'FROM', 'UNTIL', 'ROWS, ABOUT', 'SIZE'], cells)}\nMonths ahead: ${ahead}.${missing}`,
  };
}

function asRow({ name, from, to, rows, bytes }: Partition) {
  const moment = (id: string | null) => (id === null ? null : timeOfId(id).toISOString());
  return { name, from: moment(from), to: moment(to), rows: Math.round(rows), bytes };
}
