import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { StartError } from '../../errors/start-error.js';
import { SteadyClient, type SteadyClientConfig } from '../connections/client.js';

const PATIENCE_MS = 10_000;
const ROUNDS = 3;
/** A parameter of our own, which a connection is given as it begins; PostgreSQL keeps any whose name has a dot. */
const MARK = 'heliograph.session';

/** PostgreSQL refuses no parameter with this; a pooler does that cannot hand it on (protocol_violation). */
const UNSUPPORTED = '08P01';

/** Whether a connection was refused by a pooler, because of the parameters that it sends. */
export function isRefusedByPooler(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === UNSUPPORTED;
}

/**
 * Looks whether a connection is one to PostgreSQL itself, or to a pooler that keeps it for its client, with all that was
 * set on it. It costs one short statement where no pooler is in between.
 * @param client connected by `url`
 * @param setting by which the URL was set, for the sentence
 * @throws {StartError} where the next transaction may have another connection of the server
 */
export async function expectSession(client: pg.Client, url: string, setting: string): Promise<void> {
  const { processID } = client as unknown as { processID: number };
  // A pooler answers with a number of its own, by which it knows what is to be canceled.
  if ((await pidOf(client)) === processID || (await keepsSessions(url))) return;
  throw noSession(setting);
}

/** What to say of a URL that leads to a pooler in transaction mode. */
export function noSession(setting: string): StartError {
  const what =
    `${setting} leads to a pooler in transaction mode, such as PgBouncer with pool_mode=transaction: what holds for a ` +
    'connection, such as locks, LISTEN and parameters, is lost there with each transaction.';
  return new StartError(
    setting === 'DATABASE_URL'
      ? `${what} Set DATABASE_DIRECT_URL to PostgreSQL itself, for what needs that; the rest goes on by way of the pooler.`
      : `${what} It must lead to PostgreSQL itself.`,
  );
}

/** A URL, and the setting that it is of. */
export interface NamedUrl {
  setting: string;
  url: string;
}

/**
 * @throws {StartError} unless two URLs lead to the same database of the same PostgreSQL or its replica, a pooler in between or
 *   not
 */
export async function expectSameDatabase(one: NamedUrl, other: NamedUrl): Promise<void> {
  const [first, second] = await Promise.all([databaseOf(one), databaseOf(other)]);
  if (first === second) return;
  throw new StartError(`${one.setting} and ${other.setting} lead to different databases, and must lead to the same.`);
}

async function databaseOf({ url, setting }: NamedUrl): Promise<string> {
  try {
    return await connected({ connectionString: url, isProbe: true }, async (client) => {
      const { rows } = await client.query<{ database: string }>(
        `SELECT concat_ws(' ', (SELECT system_identifier FROM pg_control_system()), current_database(), current_schema()) AS database`,
      );
      return rows[0]?.database ?? '';
    });
  } catch (cause) {
    throw new StartError(`The database (${setting}) cannot be reached: ${(cause as Error).message}`, { cause });
  }
}

async function keepsSessions(url: string): Promise<boolean> {
  const mark = randomUUID();
  try {
    return await connected({ connectionString: url, parameters: { [MARK]: mark } }, async (first) => {
      if ((await markOf(first)) !== mark) return false;
      return await connected({ connectionString: url, isProbe: true }, (second) => staysItself(first, second));
    });
  } catch (error) {
    if (isRefusedByPooler(error)) return false;
    throw error;
  }
}

/** Whether a connection of the server stays a client's while another client is in a transaction. */
async function staysItself(first: pg.Client, second: pg.Client): Promise<boolean> {
  const pid = await pidOf(first);
  for (let round = 0; round < ROUNDS; round += 1) {
    await second.query('BEGIN');
    // Then the first would wait for it, where the pooler has no other.
    const isTaken = (await pidOf(second)) === pid;
    const isLost = isTaken || (await pidOf(first)) !== pid;
    await second.query('ROLLBACK');
    if (isLost) return false;
  }
  return true;
}

async function connected<T>(config: SteadyClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new SteadyClient({ ...config, connectionTimeoutMillis: PATIENCE_MS, patienceMs: PATIENCE_MS });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function pidOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

async function markOf(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ mark: string | null }>('SELECT current_setting($1, true) AS mark', [MARK]);
  return rows[0]?.mark ?? null;
}
