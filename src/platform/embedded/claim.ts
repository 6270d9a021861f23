import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { freePort } from '../machine/free-port.js';
import { AlreadyRunningError } from './errors.js';
import { claimOrphan, type ServerAddress, tryLock } from './ownership.js';
import { isPostmasterOf, readPostmaster, readySince, stopPostmaster } from './postmaster.js';
import { type Server, type ServerOptions, ServerStartError, startServer } from './server.js';

export type ClusterOptions = Omit<ServerOptions, 'port' | 'stranger'> & { dataDir: string; log: Logger };

/** A port that was free may be taken a moment later; the memory of a killed server is freed once its last child ends. */
const PORT_TAKEN = /Address already in use/;
const STILL_IN_USE = /lock file .* already exists|pre-existing shared memory block/;

/**
 * Starts the server of a cluster and takes the lock that only one process may hold. A server that another process left
 * behind is stopped first.
 * @param wanted the port that it must have; a free one unless given
 * @throws {AlreadyRunningError} when another process serves this cluster
 */
export async function claimCluster(options: ClusterOptions, wanted?: number): Promise<Server & { port: number }> {
  const { data, password, dataDir, log } = options;
  const deadline = performance.now() + 30_000;
  for (;;) {
    const found = await readPostmaster(data);
    if (found && (await isPostmasterOf(found.pid, data))) {
      const address = async (): Promise<ServerAddress | null> => {
        const { port } = (await readPostmaster(data)) ?? { port: null };
        return port === null ? null : { port, password };
      };
      const orphan = await claimOrphan({ server: found, address, readyAt: () => readySince(data), dataDir });
      if (orphan) {
        log.warn(`An earlier process ended without stopping its PostgreSQL (process ${found.pid}): stopping it`);
        await stopPostmaster(found.pid);
        await orphan.end().catch(() => undefined);
      }
      continue;
    }
    const port = wanted ?? (await freePort());
    try {
      const server = await startServer({ ...options, port, stranger: found?.pid });
      if (await tryLock(server.client)) return { ...server, port };
      throw new AlreadyRunningError(dataDir);
    } catch (error) {
      const passes =
        error instanceof ServerStartError && (PORT_TAKEN.test(error.said) || STILL_IN_USE.test(error.said));
      if (!passes || performance.now() > deadline) throw error;
      await pause(50);
    }
  }
}
