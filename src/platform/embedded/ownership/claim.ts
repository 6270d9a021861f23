import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StartError } from '../../errors/start-error.js';
import { tryLockFile } from '../../machine/file-lock.js';
import { freePort } from '../../machine/free-port.js';
import { isPostmasterOf, type Postmaster, readPostmaster, stopPostmaster } from '../server/postmaster.js';
import { type Server, type ServerOptions, ServerStartError, startServer } from '../server/server.js';
import { alreadyRunning } from './folder-lock.js';
import { claimOrphan, localUrlOf, tryLock, urlOf } from './ownership.js';

export interface ClusterOptions extends Omit<ServerOptions, 'port' | 'stranger' | 'lock'> {
  dataDir: string;
  log: Logger;
  /** Milliseconds that the processes of a killed server may take to end. */
  stillInUseMs?: number | undefined;
}

/**
 * The file in a cluster that its PostgreSQL and every process of it hold locked. PostgreSQL's own check, by process number
 * and shared memory, does not see one that runs in another container.
 */
export const CLUSTER_LOCK = 'heliograph-cluster.lock';

/** A port that was free may be taken a moment later; the memory of a killed server is freed once its last child ends. */
const PORT_TAKEN = /Address already in use/;
const STILL_IN_USE = /lock file .* already exists|pre-existing shared memory block/;

/**
 * Starts the server of a cluster. One that another process left behind is stopped first. Only the process that holds the
 * lock on the folder may call this.
 * @param wanted the port that it must have; a free one unless given
 * @throws {AlreadyRunningError} when a process of an earlier version serves this cluster
 */
export async function claimCluster(options: ClusterOptions, wanted?: number): Promise<Server & { port: number }> {
  const { data, dataDir, user, stillInUseMs = 30_000 } = options;
  const deadline = performance.now() + stillInUseMs;
  for (;;) {
    const found = await readPostmaster(data);
    if (found && (await isPostmasterOf(found.pid, data))) {
      await stopOrphan(options, found);
      continue;
    }
    const lock = await tryLockFile(join(data, CLUSTER_LOCK), { owner: user });
    if (!lock) {
      if (performance.now() > deadline) throw new StillInUseError(data);
      await pause(50);
      continue;
    }
    const port = wanted ?? (await freePort());
    try {
      const server = await startServer({ ...options, port, stranger: found?.pid, lock });
      if (await tryLock(server.client)) return { ...server, port };
      throw await alreadyRunning(dataDir);
    } catch (error) {
      const passes =
        error instanceof ServerStartError && (PORT_TAKEN.test(error.said) || STILL_IN_USE.test(error.said));
      if (!passes || performance.now() > deadline) throw error;
      await pause(50);
    } finally {
      lock.release();
    }
  }
}

async function stopOrphan({ data, password, dataDir, log }: ClusterOptions, server: Postmaster): Promise<void> {
  const url = async () => {
    const { port, hasSocket } = (await readPostmaster(data)) ?? { port: null, hasSocket: false };
    if (port === null) return null;
    return hasSocket ? localUrlOf({ port, password, data }, 'postgres') : urlOf({ port, password }, 'postgres');
  };
  const orphan = await claimOrphan({ server, url, dataDir });
  if (!orphan) return;
  log.warn(`An earlier process ended without stopping its PostgreSQL (process ${server.pid}): stopping it`);
  await stopPostmaster(server.pid);
  await orphan.end().catch(() => undefined);
}

/** A PostgreSQL that cannot be seen from here, and so not be stopped, has the cluster open. */
class StillInUseError extends StartError {
  constructor(data: string) {
    super(
      `A PostgreSQL that an earlier process left behind still runs on ${data}, where this process cannot see it: ` +
        'in another container that shares the folder. Stop that container, then start again.',
    );
  }
}
