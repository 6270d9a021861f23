import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ArchiveContents } from '../../platform/backup/archive-reader.js';
import { BackupError } from '../../platform/backup/dump.js';
import { createScratchDatabase } from '../../platform/backup/scratch-database.js';
import { openBackupConnection } from '../../platform/backup/snapshot-store.js';
import { startEmbeddedPostgres } from '../../platform/embedded/embedded-postgres.js';
import { type CopySummary, type OnRows, readBackup, restoreBackup } from './backup.js';
import { sumStore } from './sums-store.js';

export interface VerifiedBackup extends CopySummary {
  messages: number;
  /** PostgreSQL version. */
  postgres: string;
  /** What the trial did not prove, or null if the trial used the configured PostgreSQL server. */
  unproven: string | null;
}

export interface VerifyOptions {
  path: string;
  log: Logger;
  /** URL of the store on whose server the trial database is created, or null for an embedded store. */
  storeUrl: string | null;
  embeddedOnly?: boolean;
  onRows?: OnRows;
}

interface TrialStore {
  url: string;
  unproven: string | null;
  remove(): Promise<void>;
}

/**
 * Restores the backup into a database on the configured server, because a real restore would use that server. If no
 * database can be created on the server, a temporary embedded PostgreSQL is used.
 * @throws {BackupError} Fails if the file is damaged, cannot be restored, or has a balance that differs from the sum of
 * its ledger.
 */
export async function verifyBackup(options: VerifyOptions): Promise<VerifiedBackup> {
  const { path } = options;
  const contents = await readBackup(path);
  const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-verify-'));
  try {
    const store = await openTrialStore(dataDir, options);
    try {
      return { ...(await tryRestore(store.url, { dataDir, contents, ...options })), unproven: store.unproven };
    } finally {
      await store.remove();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function openTrialStore(dataDir: string, { storeUrl, embeddedOnly, log }: VerifyOptions): Promise<TrialStore> {
  if (storeUrl === null) return await startTrialStore(dataDir, log, null);
  const unprovenClaim = 'that it can be restored into the PostgreSQL of DATABASE_URL';
  if (embeddedOnly) return await startTrialStore(dataDir, log, `${unprovenClaim}, because --embedded was given.`);
  const database = await createScratchDatabase(storeUrl);
  if ('url' in database) return { url: database.url, unproven: null, remove: database.drop };
  const version = database.version ? ` (version ${database.version})` : '';
  return await startTrialStore(dataDir, log, `${unprovenClaim}${version}, because ${database.reason}.`);
}

async function startTrialStore(dataDir: string, log: Logger, unproven: string | null): Promise<TrialStore> {
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  const remove = async () => {
    await postgres.close();
    // If Heliograph runs as root, the cluster is stored outside `dataDir`.
    await rm(postgres.data, { recursive: true, force: true });
  };
  return { url: postgres.url, unproven, remove };
}

async function tryRestore(
  url: string,
  options: Pick<VerifyOptions, 'path' | 'log' | 'onRows'> & { dataDir: string; contents: ArchiveContents },
): Promise<Omit<VerifiedBackup, 'unproven'>> {
  const { path, log, onRows, dataDir, contents } = options;
  const { canceled: _, ...restored } = await restoreBackup({
    ...{ url, dataDir, path, contents, log, onRows },
    ...{ replace: false, withoutUnsent: false },
  });
  const client = await openBackupConnection(url);
  try {
    const sums = await sumStore(client);
    if (sums.unbalanced !== '0') {
      throw new BackupError(
        `In ${sums.unbalanced} accounts of the backup, the balance differs from the sum of the ledger.`,
      );
    }
    const { rows } = await client.query<{ count: string; postgres: string }>(
      `SELECT count(*), current_setting('server_version') AS postgres FROM messages`,
    );
    return { ...restored, sums, messages: Number(rows[0]?.count), postgres: rows[0]?.postgres ?? '' };
  } finally {
    await client.end();
  }
}
