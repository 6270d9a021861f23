import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { inDataFolder } from '../machine/data-folder.js';
import { type ClusterOptions, claimCluster } from './claim.js';
import { DATABASE, PASSWORD_FILE, removeStaleStaging } from './cluster.js';
import { AlreadyRunningError } from './errors.js';
import { writeOnce } from './files.js';
import { findPlaces } from './places.js';
import type { Server } from './server.js';
import { findServerUser } from './server-user.js';
import { type EmbeddedPostgres, SupervisedPostgres } from './supervisor.js';

export type { EmbeddedPostgres };
export { AlreadyRunningError };

/**
 * Starts a PostgreSQL of our own as a child process, on a cluster in DATA_DIR that is made at the first start. It listens
 * on the loopback address only and is started again when it dies while this process lives.
 * @param options.dataDir absolute path; made when missing
 * @param options.connections how many it takes at the least; undefined: as many as its configuration says
 * @throws {AlreadyRunningError} when another process serves this DATA_DIR
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: Logger;
  connections?: number;
}): Promise<EmbeddedPostgres> {
  const { dataDir, log, connections } = options;
  const password = await openDataDir(dataDir);
  const user = await findServerUser(join(dataDir, 'postgres'));
  const places = await findPlaces({ dataDir, password, user, log });
  const logFile = join(dataDir, 'postgres.log');
  const cluster: ClusterOptions = { ...places, dataDir, logFile, password, user, log, connections };
  const { port, ...server } = await claimCluster(cluster);
  const running = new SupervisedPostgres(cluster, port, server);
  await removeStaleStaging(join(dataDir, 'postgres')).catch((error: unknown) =>
    log.warn({ err: error }, `What an interrupted first start left in ${dataDir} cannot be removed`),
  );
  try {
    await createDatabase(server);
  } catch (error) {
    await running.close();
    throw error;
  }
  return running;
}

/** Makes DATA_DIR and the password of its cluster, where they are missing. */
function openDataDir(dataDir: string): Promise<string> {
  return inDataFolder(dataDir, () => writeOnce(join(dataDir, PASSWORD_FILE), randomBytes(24).toString('hex')));
}

async function createDatabase({ client }: Server): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE} TEMPLATE template0 ENCODING 'UTF8'`);
}
