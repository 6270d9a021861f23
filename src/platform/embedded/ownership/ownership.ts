import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { StartError } from '../../errors/start-error.js';
import { SteadyClient } from '../../store/connections/client.js';
import { SUPERUSER } from '../cluster/cluster.js';
import { hasCode } from '../errors.js';
import { createAlreadyRunningError } from './folder-lock.js';
import { isAlive, type Postmaster } from './postmaster.js';

/** Kept locked by all PostgreSQL processes, because PostgreSQL's own check does not work across containers. */
export const CLUSTER_LOCK = 'heliograph-cluster.lock';

/**
 * An advisory lock in the database `postgres`, which PostgreSQL releases when the serving process dies. Commands use it
 * to see whether a server belongs to a living process.
 */
const LOCK = "x'68656c696f67'::bigint";

/** PostgreSQL needs some time to detect that the holder of the lock is gone. */
const LOCK_WAIT_MS = 10_000;

export type ServerAddress = { port: number; password: string };

export function buildTcpUrl({ port, password }: ServerAddress, database: string): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
}

/** From sockaddr_un, including the NUL; macOS has the lowest limit. */
const SOCKET_PATH_LIMIT = 104;

/** Null if the path is too long for a socket. */
export function findSocketFolder(data: string, port: number): string | null {
  return Buffer.byteLength(`${data}/.s.PGSQL.${port}.lock`) < SOCKET_PATH_LIMIT ? data : null;
}

/** The socket costs less CPU than TCP, and also reaches a server in another container. */
export function buildSocketUrl(address: ServerAddress & { data: string }, database: string): string | null {
  const folder = findSocketFolder(address.data, address.port);
  return folder === null ? null : `${buildTcpUrl(address, database)}?host=${encodeURIComponent(folder)}`;
}

export function buildLocalUrl(address: ServerAddress & { data: string }, database: string): string {
  return buildSocketUrl(address, database) ?? buildTcpUrl(address, database);
}

/**
 * Waits without a time limit until PostgreSQL has recovered.
 * @param findUrl null while unknown
 * @param onRefused throws to stop waiting
 * @returns null once the server is gone
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
 * Only call it while holding the lock on the data folder.
 * @returns a connection with the advisory lock; null if the server ended
 * @throws {AlreadyRunningError} if an earlier version holds the lock
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
