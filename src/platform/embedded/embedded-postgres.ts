import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { StartError } from '../errors/start-error.js';
import { fillDataFolder } from '../machine/data-folder.js';
import type { FileLock } from '../machine/file-lock.js';
import { DATABASE, PASSWORD_FILE, removeStaging } from './cluster/cluster.js';
import { writeOnce } from './cluster/files.js';
import { prepareCluster } from './cluster/prepare-cluster.js';
import { AlreadyRunningError } from './errors.js';
import { type FolderUser, lockDataFolder } from './ownership/folder-lock.js';
import { type ClusterOptions, claimCluster } from './server/claim.js';
import type { Server } from './server/server.js';
import { findServerUser } from './server/server-user.js';
import { type EmbeddedPostgres, SupervisedPostgres } from './server/supervisor.js';

export type { EmbeddedPostgres };
export { AlreadyRunningError };

export interface EmbeddedOptions {
  /** Absolute; created if missing. */
  dataDir: string;
  log: Logger;
  connections?: number | undefined;
  /** How long the processes of a killed PostgreSQL may take to end. Default: 30 s. */
  stillInUseMs?: number | undefined;
  usedBy?: FolderUser;
}

/** Throws an AlreadyRunningError if another process uses the same DATA_DIR. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, usedBy = { kind: 'server' } } = options;
  expectShortPath(dataDir);
  const lock = await fillDataFolder(dataDir, () => lockDataFolder(dataDir, usedBy));
  try {
    return await startLocked(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startLocked(options: EmbeddedOptions, lock: FileLock): Promise<EmbeddedPostgres> {
  const { dataDir, log, connections, stillInUseMs } = options;
  const password = await fillDataFolder(dataDir, () => readOrCreatePassword(dataDir));
  const user = await findServerUser(join(dataDir, 'postgres'));
  await removeStaging(join(dataDir, 'postgres')).catch((error: unknown) =>
    log.warn({ err: error }, `Cannot remove the unfinished cluster of an interrupted first start in ${dataDir}`),
  );
  const folders = await prepareCluster({ dataDir, password, user, log });
  const logFile = join(dataDir, 'postgres.log');
  const cluster: ClusterOptions = { ...folders, dataDir, logFile, password, user, log, connections, stillInUseMs };
  const { port, ...server } = await claimCluster(cluster);
  const postgres = new SupervisedPostgres(cluster, port, server, lock);
  try {
    await createDatabase(server);
  } catch (error) {
    await postgres.close();
    throw error;
  }
  return postgres;
}

/**
 * Limit for DATA_DIR below PostgreSQL's 1,023 bytes for the longest path in a cluster, because initdb crashes on some shorter
 * paths.
 */
const PATH_LIMIT_BYTES = 900;

function expectShortPath(dataDir: string): void {
  const length = Buffer.byteLength(dataDir);
  if (length <= PATH_LIMIT_BYTES) return;
  throw new StartError(
    `DATA_DIR is too long: its path has ${length} bytes, and PostgreSQL allows ${PATH_LIMIT_BYTES}. ` +
      `Choose a shorter path, for example a link to the folder. The path is ${dataDir}`,
  );
}

function readOrCreatePassword(dataDir: string): Promise<string> {
  return writeOnce(join(dataDir, PASSWORD_FILE), randomBytes(24).toString('hex'));
}

async function createDatabase({ client }: Server): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE} TEMPLATE template0 ENCODING 'UTF8'`);
}
