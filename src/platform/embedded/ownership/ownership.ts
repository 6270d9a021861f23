import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { StartError } from '../../errors/start-error.js';
import { SteadyClient } from '../../store/connections/client.js';
import { SUPERUSER } from '../cluster/cluster.js';
import { hasCode } from '../errors.js';
import { isAlive, type Postmaster } from '../server/postmaster.js';
import { alreadyRunning } from './folder-lock.js';

/**
 * The process that serves a DATA_DIR holds this advisory lock, in the database `postgres`, on a connection that lives
 * as long as the process: PostgreSQL frees it the moment the process dies, however it dies. It tells a command whether the
 * server that answers belongs to a living process; what keeps two of them apart is the lock on the folder.
 */
const LOCK = "x'68656c696f67'::bigint";

/** How long PostgreSQL may take to notice that the process which held the lock is gone. */
const LOCK_WAIT_MS = 10_000;

export type ServerAddress = { port: number; password: string };

/** The URL of a database of the cluster. */
export function urlOf({ port, password }: ServerAddress, database: string): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
}

/** Bytes that the path of a Unix socket may have on every system (sockaddr_un; 104 on macOS), its NUL included. */
const SOCKET_PATH_LIMIT = 104;

/**
 * The folder of the server's Unix socket: that of its data, which no other user can enter. Null where its path is too
 * long for a socket.
 */
export function socketFolder(data: string, port: number): string | null {
  return Buffer.byteLength(`${data}/.s.PGSQL.${port}.lock`) < SOCKET_PATH_LIMIT ? data : null;
}

/**
 * The URL of a database of the cluster over its Unix socket, which takes less of both processors than TCP does, and also
 * leads out of a container to a server in another one.
 * @returns null where the path is too long for a socket
 */
export function socketUrlOf(address: ServerAddress & { data: string }, database: string): string | null {
  const folder = socketFolder(address.data, address.port);
  return folder === null ? null : `${urlOf(address, database)}?host=${encodeURIComponent(folder)}`;
}

/** The same, over TCP where there is no socket. */
export function localUrlOf(address: ServerAddress & { data: string }, database: string): string {
  return socketUrlOf(address, database) ?? urlOf(address, database);
}

/**
 * Connects as soon as the server accepts connections, however long its recovery takes.
 * @param url of the database `postgres`; null while it is not known
 * @param stillThere asked before every try
 * @param onRefused called after every try that failed; what it throws ends the waiting
 * @returns null once the server is gone
 */
export async function connectWhenReady(
  url: () => Promise<string | null>,
  stillThere: () => boolean,
  onRefused: () => Promise<void> = async () => undefined,
): Promise<pg.Client | null> {
  while (stillThere()) {
    const connectionString = await url();
    if (connectionString) {
      const client = new SteadyClient({ connectionString, connectionTimeoutMillis: 10_000 });
      try {
        await client.connect();
        return client;
      } catch (error) {
        void client.end().catch(() => undefined);
        if (hasCode(error, '28P01', '28000')) {
          throw new StartError('PostgreSQL refuses the password that is kept in DATA_DIR', { cause: error });
        }
        await onRefused();
      }
    }
    await pause(20);
  }
  return null;
}

export async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}) AS taken`);
  return rows[0]?.taken === true;
}

/** Whether any process holds the lock. */
export async function isLocked(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted
     AND (classid::bigint << 32) | objid::bigint = ${LOCK} AND objsubid = 1`,
  );
  return rowCount !== 0;
}

/**
 * Takes over a server that a process left behind. Only the process that holds the lock on the folder may call this.
 * @returns the connection that now holds the lock, or null when the server ended by itself before
 * @throws {AlreadyRunningError} when a living process of an earlier version, which does not lock the folder, holds the lock
 */
export async function claimOrphan(options: {
  server: Postmaster;
  url: () => Promise<string | null>;
  dataDir: string;
}): Promise<pg.Client | null> {
  const { server, url, dataDir } = options;
  const client = await connectWhenReady(url, () => isAlive(server.pid));
  if (!client) return null;
  try {
    for (const deadline = performance.now() + LOCK_WAIT_MS; performance.now() < deadline; await pause(20)) {
      if (await tryLock(client)) return client;
    }
  } catch (error) {
    void client.end().catch(() => undefined);
    if (error instanceof Error && isAlive(server.pid)) throw error;
    return null;
  }
  void client.end().catch(() => undefined);
  throw await alreadyRunning(dataDir);
}
