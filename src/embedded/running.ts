import { join } from 'node:path';
import { readIfThere } from './cluster.js';
import { connectWhenReady, urlOf } from './ownership.js';
import { isAlive, isPostmasterOf, readPostmaster } from './postmaster.js';

/**
 * The URL of the database of a PostgreSQL that already runs on this DATA_DIR, once it accepts connections, so that a
 * command can work beside a running server. Whose child it is does not matter: one that was left behind serves as well.
 * @returns null when none runs
 */
export async function urlOfRunning(dataDir: string): Promise<string | null> {
  const password = await readIfThere(join(dataDir, 'postgres-password'));
  if (!password) return null;
  const data = (await readIfThere(join(dataDir, 'postgres-folder')))?.trim() || join(dataDir, 'postgres');
  const server = await readPostmaster(data);
  if (!server || !(await isPostmasterOf(server.pid, data))) return null;
  let port: number | null = null;
  const address = async () => {
    port = (await readPostmaster(data))?.port ?? null;
    return port === null ? null : { port, password };
  };
  const client = await connectWhenReady(address, () => isAlive(server.pid));
  await client?.end();
  return client && port !== null ? urlOf({ port, password }, 'heliograph') : null;
}
