import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StartError } from '../../errors/start-error.js';
import { tryLockFile } from '../../machine/file-lock.js';
import { freePort } from '../../machine/free-port.js';
import { createAlreadyRunningError } from '../ownership/folder-lock.js';
import { buildLocalUrl, buildTcpUrl, CLUSTER_LOCK, claimOrphan, tryServingLock } from '../ownership/ownership.js';
import { isPostmasterFor, type Postmaster, readPostmaster, stopPostmaster } from '../ownership/postmaster.js';
import { type Server, type ServerOptions, ServerStartError, startServer } from './server.js';

export interface ClusterOptions extends Omit<ServerOptions, 'port' | 'unrelatedPid' | 'lock'> {
  dataDir: string;
  log: Logger;
  stillInUseMs?: number | undefined;
}

/** Another process may take the free port before PostgreSQL opens it. */
const PORT_TAKEN = /Address already in use/;
const STILL_IN_USE = /lock file .* already exists|pre-existing shared memory block/;

/**
 * Starts PostgreSQL on `requiredPort` or any free port, after stopping a PostgreSQL that an earlier process left running. The
 * caller must hold the lock on DATA_DIR. Throws an AlreadyRunningError if a process of an earlier version uses the cluster.
 */
export async function claimCluster(options: ClusterOptions, requiredPort?: number): Promise<Server & { port: number }> {
  const { data, dataDir, user, stillInUseMs = 30_000 } = options;
  const deadline = performance.now() + stillInUseMs;
  for (;;) {
    const postmaster = await readPostmaster(data);
    if (postmaster && (await isPostmasterFor(postmaster.pid, data))) {
      await stopOrphan(options, postmaster);
      continue;
    }
    const lock = await tryLockFile(join(data, CLUSTER_LOCK), { owner: user });
    if (!lock) {
      if (performance.now() > deadline) throw new StillInUseError(data);
      await pause(50);
      continue;
    }
    const port = requiredPort ?? (await freePort());
    try {
      const server = await startServer({ ...options, port, unrelatedPid: postmaster?.pid, lock });
      if (await tryServingLock(server.client)) return { ...server, port };
      throw await createAlreadyRunningError(dataDir);
    } catch (error) {
      const isTemporary =
        error instanceof ServerStartError && (PORT_TAKEN.test(error.logText) || STILL_IN_USE.test(error.logText));
      if (!isTemporary || performance.now() > deadline) throw error;
      await pause(50);
    } finally {
      lock.release();
    }
  }
}

async function stopOrphan({ data, password, dataDir, log }: ClusterOptions, server: Postmaster): Promise<void> {
  const findUrl = async () => {
    const { port, hasSocket } = (await readPostmaster(data)) ?? { port: null, hasSocket: false };
    if (port === null) return null;
    return hasSocket
      ? buildLocalUrl({ port, password, data }, 'postgres')
      : buildTcpUrl({ port, password }, 'postgres');
  };
  const orphan = await claimOrphan({ server, findUrl, dataDir });
  if (!orphan) return;
  log.warn(`An earlier process left its PostgreSQL running (process ${server.pid}); stopping it`);
  await stopPostmaster(server.pid);
  await orphan.end().catch(() => undefined);
}

/** This process cannot see the PostgreSQL that uses the cluster, and therefore cannot stop it. */
class StillInUseError extends StartError {
  constructor(data: string) {
    super(
      `A PostgreSQL left behind by an earlier process still uses ${data}. It runs in another container that shares the ` +
        'folder, so it cannot be stopped from here. Stop that container, then start again.',
    );
  }
}
