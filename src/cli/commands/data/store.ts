import type { Command } from 'commander';
import { writeAuditEntry } from '../../../accounts/audit/audit-log.js';
import { openBackupConnection } from '../../../platform/backup/snapshot-store.js';
import { findOrphans, type OrphanCluster, removeOrphans } from '../../../platform/embedded/ownership/orphans.js';
import { findUrlForTools } from '../../../platform/embedded/running-url.js';
import { describeMoved, markMoved, readMoveRecord } from '../../../platform/store/moved-store.js';
import { loadConfig } from '../../../process/settings/config.js';
import { cliActor } from '../../change.js';
import type { CliContext } from '../../context.js';
import { formatTable, print } from '../../output.js';
import { atStore, expectCluster } from '../../store.js';
import { addPartitionCommand } from './partition.js';

export function addStoreCommands(program: Command, context: CliContext): void {
  const store = program.command('store').description('the database and its files');

  store
    .command('url')
    .description('print the URL of the store with its password, e.g. for psql "$(heliograph store url)"')
    .action(async (_options: object, command: Command) => {
      const { databaseUrl, databaseDirectUrl, dataDir } = loadConfig(context.env);
      const url = databaseDirectUrl ?? databaseUrl ?? (await findEmbeddedUrl(dataDir));
      print(context, command, { url }, url);
    });

  store
    .command('reclaim')
    .description('remove the mark of a moved store, so that servers and commands use it again')
    .option(
      '--yes',
      'confirm; a server on this store will resend messages that were unsent when the store was moved',
      false,
    )
    .action(async ({ yes }: { yes: boolean }, command: Command) => {
      const previousMark = await atStore(
        context,
        { skipsMigrations: true, acceptsMoved: true, isExclusive: true },
        async (url) => {
          const client = await openBackupConnection(url);
          try {
            const mark = await readMoveRecord(client);
            if (!mark) throw new Error('This store was not moved: there is no mark to remove.');
            if (!yes) throw new Error(`${describeMoved(mark)} Nothing was changed.`);
            await client.query('BEGIN');
            await markMoved(client, null);
            await writeAuditEntry(client, {
              ...RECLAIM_ENTRY,
              actor: cliActor(),
              subject: mark.to,
              before: { ...mark },
            });
            await client.query('COMMIT');
            return mark;
          } finally {
            await client.end();
          }
        },
      );
      print(context, command, { reclaimed: true, ...previousMark }, 'Servers and commands can use this store again.');
    });

  addPartitionCommand(store, context);

  store
    .command('orphans')
    .description('list or remove clusters whose data folder no longer exists; only root can have such clusters')
    .option(
      '--remove <folder...>',
      'delete these for good; make sure that their data folders are not on an unmounted disk',
    )
    .action(async ({ remove }: { remove?: string[] }, command: Command) => {
      const clusters = remove ? await removeOrphans(remove) : await findOrphans();
      const rows = clusters.map(({ lastUsedAt, ...rest }) => ({ ...rest, lastUsedAt: lastUsedAt.toISOString() }));
      print(context, command, rows, remove ? `Removed: ${remove.join(', ')}` : formatOrphans(clusters));
    });
}

const RECLAIM_ENTRY = { action: 'store.reclaim', accountId: null };

async function findEmbeddedUrl(dataDir: string): Promise<string> {
  await expectCluster(dataDir);
  const runningUrl = await findUrlForTools(dataDir);
  if (!runningUrl) throw new Error('The embedded PostgreSQL runs only while the server runs: start the server first.');
  return runningUrl;
}

function formatOrphans(orphans: readonly OrphanCluster[]): string {
  if (orphans.length === 0) return 'There are no orphaned clusters.';
  const cells = orphans.map(({ folder, dataDir, bytes, lastUsedAt, pid }) => [
    folder,
    dataDir ?? 'unknown',
    `${(bytes / 1_000_000).toFixed(1)} MB`,
    lastUsedAt.toISOString(),
    pid === null ? '' : String(pid),
  ]);
  return formatTable(['CLUSTER', 'DATA FOLDER', 'SIZE', 'LAST USED', 'PROCESS'], cells);
}
