import { join } from 'node:path';
import { SteadyClient } from '../store/connections/client.js';
import { DATABASE, PASSWORD_FILE } from './cluster.js';
import { readIfThere } from './files.js';
import { isLocked, localUrlOf, urlOf } from './ownership.js';
import { locateCluster } from './places.js';
import { isPostmasterOf, readPostmaster } from './postmaster.js';

/**
 * The database of the process that serves a DATA_DIR at this moment, so that a command can work beside it.
 * @param dataDir absolute path; need not exist
 * @throws when another user keeps the data
 * @returns null when no living process serves it, although an orphaned PostgreSQL may still be there
 */
export async function urlOfRunning(dataDir: string): Promise<string | null> {
  const password = await readPassword(join(dataDir, PASSWORD_FILE));
  const { data } = await locateCluster(dataDir);
  const server = await readPostmaster(data);
  if (!password || !server?.port || !(await isPostmasterOf(server.pid, data))) return null;
  const address = { port: server.port, password };
  const client = new SteadyClient({ connectionString: urlOf(address, 'postgres'), connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    return (await isLocked(client)) ? localUrlOf({ ...address, data }, DATABASE) : null;
  } catch {
    // It starts or stops at this moment.
    return null;
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** Only the user who started the server may read it. */
async function readPassword(file: string): Promise<string | null> {
  try {
    return await readIfThere(file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The store cannot be used: ${reason}. Run the command as the user who started the server.`, {
      cause,
    });
  }
}
