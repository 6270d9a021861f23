import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { StartError } from '../../errors/start-error.js';
import { SteadyClient } from '../../store/connections/client.js';
import { SUPERUSER } from '../cluster/cluster.js';
import { hasCode } from '../errors.js';
import { createAlreadyRunningError } from './folder-lock.js';
import { isAlive, type Postmaster } from './postmaster.js';

/** Lock file held by all PostgreSQL processes, because PostgreSQL's own check does not work across containers. */
export const CLUSTER_LOCK = 'heliograph-cluster.lock';

/**
 * Advisory lock in the database `postgres`, which PostgreSQL releases when the Heliograph process that holds it dies. Commands
 * check the lock to find out whether a living process uses the PostgreSQL server.
 */
const LOCK = "x'68656c696f67'::bigint";

/** PostgreSQL needs some time to detect that the process holding the advisory lock is gone. */
const LOCK_WAIT_MS = 10_000;

export type ServerAddress = { port: number; password: string };

export function buildTcpUrl({ port, password }: ServerAddress, database: string): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
}

/** Size of a socket path in sockaddr_un on macOS, which has the lowest limit, including the NUL. */
const SOCKET_PATH_LIMIT = 104;

/** Returns null if the path is too long for a socket. */
export function findSocketFolder(data: string, port: number): string | null {
  return Buffer.byteLength(`${data}/.s.PGSQL.${port}.lock`) < SOCKET_PATH_LIMIT ? data : null;
}

/** A Unix socket costs less CPU than TCP, and also reaches a PostgreSQL in another container. */
export function buildSocketUrl(address: ServerAddress & { data: string }, database: string): string | null {
  const folder = findSocketFolder(address.data, address.port);
  return folder === null ? null : `${buildTcpUrl(address, database)}?host=${encodeURIComponent(folder)}`;
}

export function buildLocalUrl(address: ServerAddress & { data: string }, database: string): string {
  return buildSocketUrl(address, database) ?? buildTcpUrl(address, database);
}

/**
 * Waits without a time limit until PostgreSQL has recovered. Returns null if the server has ended. `findUrl` returns null while
 * the URL is unknown. `onRefused` may throw to stop the wait.
 */
export async function connectWhenReady(
  findUrl: () => Promise<string | null>,
  isRunning: () => boolean,
  onRefused: () => Promise<void> = async () => undefined,
): Promise<pg.Client | null> {
  while (isRunning()) {
    const connectionString = await findUrl();
    if (connectionString) {
      const client = new SteadyClient({ connectionString, connectionTimeoutMillis: 10_000 });
      try {
        await client.connect();
        return client;
      } catch (error) {
        void client.end().catch(() => undefined);
        if (hasCode(error, '28P01', '28000')) {
          throw new StartError('PostgreSQL rejects the password stored in DATA_DIR', { cause: error });
        }
        await onRefused();
      }
    }
    await pause(20);
  }
  return null;
}

export async function tryServingLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isLocked: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}) AS "isLocked"`);
  return rows[0]?.isLocked === true;
}

export async function isServingLockHeld(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted
     AND (classid::bigint << 32) | objid::bigint = ${LOCK} AND objsubid = 1`,
  );
  return rowCount !== 0;
}

/**
 * Takes over a PostgreSQL whose Heliograph process has died; the caller must hold the lock on DATA_DIR. Returns a connection
 * that holds the advisory lock, or null if the server has ended. Throws an AlreadyRunningError if a process of an earlier
 * version holds the advisory lock.
 */
export async function claimOrphan(options: {
  server: Postmaster;
  findUrl: () => Promise<string | null>;
  dataDir: string;
}): Promise<pg.Client | null> {
  const { server, findUrl, dataDir } = options;
  const client = await connectWhenReady(findUrl, () => isAlive(server.pid));
  if (!client) return null;
  try {
    for (const deadline = performance.now() + LOCK_WAIT_MS; performance.now() < deadline; await pause(20)) {
      if (await tryServingLock(client)) return client;
    }
  } catch (error) {
    void client.end().catch(() => undefined);
    if (error instanceof Error && isAlive(server.pid)) throw error;
    return null;
  }
  void client.end().catch(() => undefined);
  throw await createAlreadyRunningError(dataDir);
}
