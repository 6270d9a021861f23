import type { Command } from 'commander';
import { findOrphans, type OrphanCluster, removeOrphans } from '../../../platform/embedded/orphans.js';
import { urlOfRunning } from '../../../platform/embedded/running.js';
import { loadConfig } from '../../../process/settings/config.js';
import type { CliContext } from '../../context.js';
import { print, table } from '../../output.js';
import { expectCluster } from '../../store.js';

/** `heliograph store …`: where the data lies, and how PostgreSQL's own tools reach it. */
export function addStoreCommands(program: Command, context: CliContext): void {
  const store = program.command('store').description('where the data lies');

  store
    .command('url')
    .description('print the URL of the store, password included, e.g. for psql "$(heliograph store url)"')
    .action(async (_options: object, command: Command) => {
      const { databaseUrl, dataDir } = loadConfig(context.env);
      const url = databaseUrl ?? (await urlOfEmbedded(dataDir));
      print(context, command, { url }, url);
    });

  store
    .command('orphans')
    .description('list clusters of removed data folders, or remove them; only root has any')
    .option(
      '--remove <folder...>',
      'delete these for good; a data folder on a disk that is not mounted is no removed one',
    )
    .action(async ({ remove }: { remove?: string[] }, command: Command) => {
      const clusters = remove ? await removeOrphans(remove) : await findOrphans();
      const rows = clusters.map(({ lastUsedAt, ...rest }) => ({ ...rest, lastUsedAt: lastUsedAt.toISOString() }));
      print(context, command, rows, remove ? `Removed: ${remove.join(', ')}` : asTable(clusters));
    });
}

/** Over TCP, which every tool and every user of this machine can use, unlike the socket in the data folder. */
async function urlOfEmbedded(dataDir: string): Promise<string> {
  await expectCluster(dataDir);
  const running = await urlOfRunning(dataDir);
  if (!running) throw new Error('The embedded PostgreSQL runs only while the server does: start the server first.');
  const url = new URL(running);
  url.searchParams.delete('host');
  return url.toString();
}

function asTable(orphans: readonly OrphanCluster[]): string {
  if (orphans.length === 0) return 'There is no orphaned cluster.';
  const cells = orphans.map(({ folder, dataDir, bytes, lastUsedAt, pid }) => [
    folder,
    dataDir ?? 'unknown',
    `${(bytes / 1_000_000).toFixed(1)} MB`,
    lastUsedAt.toISOString(),
    pid === null ? '' : String(pid),
  ]);
  return table(['CLUSTER', 'DATA FOLDER', 'SIZE', 'LAST USED', 'PROCESS'], cells);
}
