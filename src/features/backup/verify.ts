import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { BackupError } from '../../platform/backup/dump.js';
import { connectTo } from '../../platform/backup/snapshot-store.js';
import { startEmbeddedPostgres } from '../../platform/embedded/embedded-postgres.js';
import { type Copied, type OnRows, readBackup, restoreBackup } from './backup.js';
import { sumStore } from './sums-store.js';

/** What a restored backup was found to hold. */
export interface Verified extends Copied {
  messages: number;
}

/**
 * Restores a backup into a PostgreSQL that is made for it in the folder for temporary files, with the migrations of this
 * version, counts, and removes all of it again. No other store is looked at.
 * @throws {BackupError} where the file is damaged, where it cannot be restored, or where balances are not the sums of their
 *   ledgers
 */
export async function verifyBackup(options: { path: string; log: Logger; onRows?: OnRows }): Promise<Verified> {
  const { path, log, onRows } = options;
  const contents = await readBackup(path);
  const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-verify-'));
  let cluster: string | null = null;
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, log });
    cluster = postgres.data;
    try {
      const { url } = postgres;
      const { canceled: _, ...restored } = await restoreBackup({
        ...{ url, dataDir, path, contents, log, onRows },
        ...{ replace: false, withoutUnsent: false },
      });
      const client = await connectTo(url);
      try {
        const sums = await sumStore(client);
        if (sums.unbalanced !== '0') {
          throw new BackupError(`The balances of ${sums.unbalanced} accounts in it are not the sums of their ledgers.`);
        }
        const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM messages');
        return { ...restored, sums, messages: Number(rows[0]?.count) };
      } finally {
        await client.end();
      }
    } finally {
      await postgres.close();
    }
  } finally {
    // As root the cluster lies elsewhere.
    for (const folder of [cluster, dataDir]) if (folder) await rm(folder, { recursive: true, force: true });
  }
}
