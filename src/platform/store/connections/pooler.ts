import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { StartError } from '../../errors/start-error.js';
import { SteadyClient, type SteadyClientConfig } from './client.js';

const PATIENCE_MS = 10_000;
const ROUNDS = 3;
/** PostgreSQL accepts any parameter name that contains a dot. */
const MARK = 'heliograph.session';

/** SQLSTATE protocol_violation, which poolers report for an unsupported parameter, but PostgreSQL never does. */
const UNSUPPORTED = '08P01';

export function isRefusedByPooler(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === UNSUPPORTED;
}

/** Throws a StartError if a pooler may change the server connection between transactions. */
export async function requireSession(client: pg.Client, url: string, setting: string): Promise<void> {
  const { processID } = client as unknown as { processID: number };
  // On connect, a pooler reports its own process ID instead of PostgreSQL's, for use in cancel requests.
  if ((await readPid(client)) === processID || (await keepsSessions(url))) return;
  throw createPoolerError(setting);
}

export function createPoolerError(setting: string): StartError {
  const problem =
    `${setting} leads to a pooler in transaction mode, such as PgBouncer with pool_mode=transaction. Locks, LISTEN and ` +
    'parameters of a connection are lost there after each transaction.';
  return new StartError(
    setting === 'DATABASE_URL'
      ? `${problem} Set DATABASE_DIRECT_URL to PostgreSQL itself for work that needs a session; other work will use the pooler.`
      : `${problem} It must lead to PostgreSQL itself.`,
  );
}

export interface NamedUrl {
  setting: string;
  url: string;
}

/** Throws a StartError unless both URLs lead to the same database of one PostgreSQL or its replica. */
export async function requireSameDatabase(first: NamedUrl, second: NamedUrl): Promise<void> {
  const [firstDatabase, secondDatabase] = await Promise.all([identifyDatabase(first), identifyDatabase(second)]);
  if (firstDatabase === secondDatabase) return;
  throw new StartError(
    `${first.setting} and ${second.setting} lead to different databases. They must lead to the same one.`,
  );
}

async function identifyDatabase({ url, setting }: NamedUrl): Promise<string> {
  try {
    return await withProbe({ connectionString: url, isProbe: true }, async (client) => {
      const { rows } = await client.query<{ database: string }>(
        `SELECT concat_ws(' ', (SELECT system_identifier FROM pg_control_system()), current_database(), current_schema()) AS database`,
      );
      return rows[0]?.database ?? '';
    });
  } catch (cause) {
    throw new StartError(`Cannot reach the database (${setting}): ${(cause as Error).message}`, { cause });
  }
}

async function keepsSessions(url: string): Promise<boolean> {
  const mark = randomUUID();
  try {
    return await withProbe({ connectionString: url, parameters: { [MARK]: mark } }, async (first) => {
      if ((await readMark(first)) !== mark) return false;
      return await withProbe({ connectionString: url, isProbe: true }, (second) =>
        keepsServerConnection(first, second),
      );
    });
  } catch (error) {
    if (isRefusedByPooler(error)) return false;
    throw error;
  }
}

async function keepsServerConnection(first: pg.Client, second: pg.Client): Promise<boolean> {
  const pid = await readPid(first);
  for (let round = 0; round < ROUNDS; round += 1) {
    await second.query('BEGIN');
    // If the connection was reassigned, do not query the first client, which might wait for a free server connection.
    const isReassigned = (await readPid(second)) === pid;
    const isLost = isReassigned || (await readPid(first)) !== pid;
    await second.query('ROLLBACK');
    if (isLost) return false;
  }
  return true;
}

async function withProbe<T>(config: SteadyClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new SteadyClient({ ...config, connectionTimeoutMillis: PATIENCE_MS, patienceMs: PATIENCE_MS });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function readPid(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

async function readMark(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ mark: string | null }>('SELECT current_setting($1, true) AS mark', [MARK]);
  return rows[0]?.mark ?? null;
}
