import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ArchiveContents } from '../../platform/backup/archive-reader.js';
import { BackupError } from '../../platform/backup/dump.js';
import { createScratchDatabase } from '../../platform/backup/scratch-database.js';
import { connectTo } from '../../platform/backup/snapshot-store.js';
import { startEmbeddedPostgres } from '../../platform/embedded/embedded-postgres.js';
import { type Copied, type OnRows, readBackup, restoreBackup } from './backup.js';
import { sumStore } from './sums-store.js';

/** What a restored backup was found to hold. */
export interface Verified extends Copied {
  messages: number;
  /** Version of the PostgreSQL into which it was restored. */
  postgres: string;
  /** What the trial does not show, in a sentence; null where it was made with the PostgreSQL that the store is in. */
  unproven: string | null;
}

export interface VerifyOptions {
  path: string;
  log: Logger;
  /** The configured store, beside which a database is created for the trial; null where the store is the embedded one. */
  storeUrl: string | null;
  /** Whether to leave that server alone. */
  embeddedOnly?: boolean;
  onRows?: OnRows;
}

/** An empty store for the trial. */
interface TrialStore {
  url: string;
  unproven: string | null;
  remove(): Promise<void>;
}

/**
 * Restores a backup into an empty store, with the migrations of this version, counts, and removes that store. It is a database
 * on the server of the configured store, since a backup is restored there; where that server gives none, and for an embedded
 * store, it is an embedded PostgreSQL among the temporary files. No other store is read or changed.
 * @throws {BackupError} where the file is damaged, where it cannot be restored, or where balances are not the sums of their
 *   ledgers
 */
export async function verifyBackup(options: VerifyOptions): Promise<Verified> {
  const { path } = options;
  const contents = await readBackup(path);
  // What a restore writes beside the store, and the embedded PostgreSQL.
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
  const where = 'that it can be restored into the PostgreSQL of DATABASE_URL';
  if (embeddedOnly) return await startTrialStore(dataDir, log, `${where}, because --embedded was given.`);
  const database = await createScratchDatabase(storeUrl);
  if ('url' in database) return { url: database.url, unproven: null, remove: database.drop };
  const version = database.version ? ` (version ${database.version})` : '';
  return await startTrialStore(dataDir, log, `${where}${version}, because ${database.reason}.`);
}

async function startTrialStore(dataDir: string, log: Logger, unproven: string | null): Promise<TrialStore> {
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  const remove = async () => {
    await postgres.close();
    // As root the cluster lies elsewhere.
    await rm(postgres.data, { recursive: true, force: true });
  };
  return { url: postgres.url, unproven, remove };
}

async function tryRestore(
  url: string,
  options: Pick<VerifyOptions, 'path' | 'log' | 'onRows'> & { dataDir: string; contents: ArchiveContents },
): Promise<Omit<Verified, 'unproven'>> {
  const { path, log, onRows, dataDir, contents } = options;
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
    const { rows } = await client.query<{ count: string; postgres: string }>(
      `SELECT count(*), current_setting('server_version') AS postgres FROM messages`,
    );
    return { ...restored, sums, messages: Number(rows[0]?.count), postgres: rows[0]?.postgres ?? '' };
  } finally {
    await client.end();
  }
}
