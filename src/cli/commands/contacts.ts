import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, CommanderError } from 'commander';
import type pg from 'pg';
import { requireChannel } from '../../features/channels/channels.js';
import { exportContacts } from '../../features/contacts/export.js';
import { findOrCreateGroup, requireGroup } from '../../features/contacts/groups/group-by-name.js';
import { type ImportResult, importContacts } from '../../features/contacts/import/import.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { loadConfig } from '../../process/settings/config.js';
import { changeOnce } from '../change.js';
import type { CliContext } from '../context.js';
import { print } from '../output.js';
import { ProgressBar } from '../progress.js';
import { withStore } from '../store.js';

/** Exit code of an import that is done, but refused rows. */
const SOME_REFUSED = 2;

interface ImportFlags {
  channel: string;
  group?: string;
  update?: boolean;
  restart?: boolean;
  delimiter: string;
}

/** `heliograph contacts …` */
export function addContactCommands(program: Command, context: CliContext): void {
  const contacts = program.command('contacts').description('the people that a channel talks with');

  contacts
    .command('import')
    .description(
      'import a CSV file; interrupted, it goes on where it was when it is run again. Webhooks are not told. ' +
        `Ends with ${SOME_REFUSED} when rows were refused: they are in FILE.refused.csv, each with the reason`,
    )
    .argument('<file>', 'CSV in UTF-8; its first row names the columns: phone, and name and email if it has them')
    .requiredOption('--channel <channel-id>', 'whose contacts they become')
    .option('--group <name>', 'add them to this group, which is made if it is not there')
    .option('--update', 'give contacts that are there already the names and addresses of the file')
    .option('--restart', 'begin anew where an import of this file was interrupted')
    .option('--delimiter <character>', 'what stands between two cells', ',')
    .action(async (path: string, flags: ImportFlags, command: Command) => {
      const result = await withStore(context, (prisma, pool) => runImport(context, { prisma, pool }, path, flags));
      print(context, command, { ...result }, describe(result));
      if (result.refused > 0) throw new CommanderError(SOME_REFUSED, 'heliograph.refusedRows', 'rows were refused');
    });

  contacts
    .command('export')
    .description('print contacts as CSV, oldest first, as an import reads them')
    .requiredOption('--channel <channel-id>', 'whose contacts')
    .option('--group <name>', 'members of this group only')
    .action(async ({ channel, group }: { channel: string; group?: string }) => {
      await withStore(context, async (prisma, pool) => {
        const { id: channelId } = await requireChannel(prisma, channel, { orDeleted: true });
        const groupId = group === undefined ? null : await requireGroup(prisma, channelId, group);
        for await (const part of exportContacts(pool, { channelId, groupId })) {
          context.write(part);
          await context.drained?.();
        }
      });
    });
}

async function runImport(
  context: CliContext,
  { prisma, pool }: { prisma: PrismaClient; pool: pg.Pool },
  path: string,
  { channel, group, update = false, restart = false, delimiter }: ImportFlags,
): Promise<ImportResult> {
  const file = await stat(path);
  if (!file.isFile()) throw new Error(`${path} is not a file`);
  const { accountId, id: channelId } = await requireChannel(prisma, channel);
  const scope = { accountId, channelId };
  // Before the first row: an import that is interrupted has changed something as well. Its group is made with the line.
  const groupId = await changeOnce(
    prisma,
    async (inChange) => (group === undefined ? null : await findOrCreateGroup({ prisma: inChange }, scope, group)),
    () => ({
      action: 'import.start',
      accountId,
      subject: channelId,
      after: { fileName: basename(path), group: group ?? null, update },
    }),
  );
  const bar = new ProgressBar(context, file.size);
  try {
    const result = await importContacts({
      ...scope,
      pool,
      path,
      groupId,
      update,
      restart,
      delimiter,
      phoneValidation: loadConfig(context.env).phoneValidation,
      onProgress: ({ bytesRead, rows, rowsOfRun }) => bar.show(bytesRead, rows, rowsOfRun),
    });
    const { refusedPath: _path, ...after } = result;
    await changeOnce(
      prisma,
      async () => undefined,
      () => ({ action: 'import.end', accountId, subject: channelId, after }),
    );
    return result;
  } finally {
    bar.end();
  }
}

function describe(result: ImportResult): string {
  const count = (number: number, one: string, many: string) =>
    `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
  const lines = [
    `${count(result.rows, 'row', 'rows')} read: ${count(result.created, 'contact', 'contacts')} made, ` +
      `${result.updated.toLocaleString('en-US')} updated.`,
  ];
  if (result.resumedAfter > 0)
    lines.unshift(`Went on after ${count(result.resumedAfter, 'row that was', 'rows that were')} done before.`);
  if (result.present > 0) lines.push(`${count(result.present, 'number was', 'numbers were')} there already.`);
  if (result.repeated > 0) {
    lines.push(`${count(result.repeated, 'row repeats', 'rows repeat')} the number of an earlier row.`);
  }
  if (result.refused > 0) lines.push(`${count(result.refused, 'row was', 'rows were')} refused.`);
  if (result.refusedPath) lines.push(`These rows, each with the reason, are in ${result.refusedPath}`);
  return lines.join('\n');
}
