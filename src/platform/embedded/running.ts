import { join } from 'node:path';
import { SteadyClient } from '../store/connections/client.js';
import { DATABASE, PASSWORD_FILE } from './cluster/cluster.js';
import { readIfThere } from './cluster/files.js';
import { locateCluster } from './cluster/places.js';
import { isLocked, socketUrlOf, urlOf } from './ownership/ownership.js';
import { isPostmasterOf, readPostmaster } from './server/postmaster.js';

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
  if (!password || !server?.port) return null;
  const address = { port: server.port, password, data };
  const [socket, socketOfAll] = [socketUrlOf(address, DATABASE), socketUrlOf(address, 'postgres')];
  if (server.hasSocket && socketOfAll && (await isServed(socketOfAll))) return socket;
  // A server in another container has a loopback address of its own, where another program may have this port here.
  if (!(await isPostmasterOf(server.pid, data)) || !(await isServed(urlOf(address, 'postgres')))) return null;
  return urlOf(address, DATABASE);
}

/**
 * The same for other programs: over TCP, which every tool and every user of this machine can use, unlike the socket in the
 * data folder. From another container only the socket leads to the server.
 */
export async function urlForTools(dataDir: string): Promise<string | null> {
  const url = await urlOfRunning(dataDir);
  if (url === null) return null;
  const overTcp = new URL(url);
  overTcp.searchParams.delete('host');
  return (await isServed(overTcp.toString())) ? overTcp.toString() : url;
}

/** Whether a server answers there that belongs to a living process. */
async function isServed(url: string): Promise<boolean> {
  const client = new SteadyClient({ connectionString: url, connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    return await isLocked(client);
  } catch {
    // None is there, or it starts or stops at this moment.
    return false;
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
