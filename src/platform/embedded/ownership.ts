import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { StartError } from '../errors/start-error.js';
import { SteadyClient } from '../store/connections/client.js';
import { systemClock } from '../system-clock.js';
import { SUPERUSER } from './cluster.js';
import { AlreadyRunningError, hasCode } from './errors.js';
import { isAlive, type Postmaster } from './postmaster.js';

/**
 * The process that serves a DATA_DIR holds this advisory lock, in the database `postgres`, on a connection that lives
 * as long as the process: PostgreSQL frees it the moment the process dies, however it dies.
 */
const LOCK = "x'68656c696f67'::bigint";

/** A server that has answered for this long or less may belong to a process that is about to take the lock, */
const NEW_SERVER_MS = 10_000;
/** which is given so long from then on. */
const OWNER_WAIT_MS = 2000;
/** How long PostgreSQL may take to notice that the process which held the lock is gone. */
const LOCK_WAIT_MS = 1000;

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

/** The URL of a database of the cluster over its Unix socket, which takes less of both processors than TCP does. */
export function localUrlOf(address: ServerAddress & { data: string }, database: string): string {
  const folder = socketFolder(address.data, address.port);
  const url = urlOf(address, database);
  return folder === null ? url : `${url}?host=${encodeURIComponent(folder)}`;
}

/**
 * Connects as soon as the server accepts connections, however long its recovery takes.
 * @param stillThere asked before every try
 * @returns null once the server is gone
 */
export async function connectWhenReady(
  address: () => Promise<ServerAddress | null>,
  stillThere: () => boolean,
): Promise<pg.Client | null> {
  while (stillThere()) {
    const found = await address();
    if (found) {
      const client = new SteadyClient({ connectionString: urlOf(found, 'postgres'), connectionTimeoutMillis: 10_000 });
      try {
        await client.connect();
        return client;
      } catch (error) {
        void client.end().catch(() => undefined);
        if (hasCode(error, '28P01', '28000')) {
          throw new StartError('PostgreSQL refuses the password that is kept in DATA_DIR', { cause: error });
        }
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
 * Finds out whether a running server is an orphan, and makes it ours if it is.
 * @returns the connection that now holds the lock, or null when the server ended by itself before
 * @throws {AlreadyRunningError} when a living process holds the lock
 */
export async function claimOrphan(options: {
  server: Postmaster;
  address: () => Promise<ServerAddress | null>;
  /** Asked once the server has answered: since when it accepts connections. */
  readyAt: () => Promise<Date>;
  dataDir: string;
}): Promise<pg.Client | null> {
  const { server, address, readyAt, dataDir } = options;
  const client = await connectWhenReady(address, () => isAlive(server.pid));
  if (!client) return null;
  try {
    // Taking the lock of a server that answers since a moment ago would drive its owner away. When it was started says nothing:
    // it may have recovered for minutes, after a crash within it as well.
    const isNew = systemClock.now().getTime() - (await readyAt()).getTime() < NEW_SERVER_MS;
    const until = performance.now() + OWNER_WAIT_MS;
    while (isNew && performance.now() < until && !(await isLocked(client))) await pause(20);
    for (const deadline = performance.now() + LOCK_WAIT_MS; performance.now() < deadline; await pause(20)) {
      if (await tryLock(client)) return client;
    }
  } catch (error) {
    void client.end().catch(() => undefined);
    if (error instanceof Error && isAlive(server.pid)) throw error;
    return null;
  }
  void client.end().catch(() => undefined);
  throw new AlreadyRunningError(dataDir);
}
