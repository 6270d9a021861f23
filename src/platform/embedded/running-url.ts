import { join } from 'node:path';
import { SteadyClient } from '../store/connections/client.js';
import { DATABASE, PASSWORD_FILE } from './cluster/cluster.js';
import { readIfExists } from './cluster/files.js';
import { locateCluster } from './cluster/prepare-cluster.js';
import { buildSocketUrl, buildTcpUrl, isServingLockHeld } from './ownership/ownership.js';
import { isPostmasterFor, readPostmaster } from './ownership/postmaster.js';

/**
 * `dataDir` must be absolute. Returns null if no living process serves the store, even if an orphaned PostgreSQL is still
 * running. Throws if the password file cannot be read.
 */
export async function findRunningUrl(dataDir: string): Promise<string | null> {
  const password = await readPassword(join(dataDir, PASSWORD_FILE));
  const { data } = await locateCluster(dataDir);
  const server = await readPostmaster(data);
  if (!password || !server?.port) return null;
  const address = { port: server.port, password, data };
  const [socketUrl, adminSocketUrl] = [buildSocketUrl(address, DATABASE), buildSocketUrl(address, 'postgres')];
  if (server.hasSocket && adminSocketUrl && (await isServed(adminSocketUrl))) return socketUrl;
  // A PostgreSQL in another container has its own loopback address, and another program may use the same port here.
  if (!(await isPostmasterFor(server.pid, data)) || !(await isServed(buildTcpUrl(address, 'postgres')))) return null;
  return buildTcpUrl(address, DATABASE);
}

/** Prefers a TCP URL, because other users cannot enter the folder of the Unix socket. */
export async function findUrlForTools(dataDir: string): Promise<string | null> {
  const url = await findRunningUrl(dataDir);
  if (url === null) return null;
  const tcpUrl = new URL(url);
  tcpUrl.searchParams.delete('host');
  return (await isServed(tcpUrl.toString())) ? tcpUrl.toString() : url;
}

async function isServed(url: string): Promise<boolean> {
  const client = new SteadyClient({ connectionString: url, connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    return await isServingLockHeld(client);
  } catch {
    return false;
  } finally {
    void client.end().catch(() => undefined);
  }
}

async function readPassword(file: string): Promise<string | null> {
  try {
    return await readIfExists(file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot use the store: ${reason}. Run the command as the user who started the server.`, {
      cause,
    });
  }
}
