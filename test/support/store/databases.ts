import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import '../run/provided.js';

/** The URL of another database of the same server. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.toString();
}

/** A database of a test's own. */
export interface TestDatabase {
  url: string;
  name: string;
  /** Drops it, whoever is still connected. */
  drop(): Promise<void>;
}

/**
 * Makes a database on the test server: a copy of the migrated template, or an empty one.
 * The caller drops it.
 */
export async function createTestDatabase({ empty = false }: { empty?: boolean } = {}): Promise<TestDatabase> {
  const { postgresUrl, templateDatabase, strategy } = inject('services');
  const name = `test_${process.env.VITEST_POOL_ID ?? '0'}_${randomBytes(6).toString('hex')}`;
  await asAdmin(
    postgresUrl,
    `CREATE DATABASE ${name} TEMPLATE ${empty ? 'template0' : templateDatabase} STRATEGY ${strategy}`,
  );
  const drop = () => asAdmin(postgresUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  return { url: databaseUrl(postgresUrl, name), name, drop };
}

/** An empty database, and a connection to it. */
export async function openEmptyDatabase(): Promise<{ url: string; client: pg.Client; close(): Promise<void> }> {
  const { url, drop } = await createTestDatabase({ empty: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // A server that a test ends takes this connection with it.
  client.on('error', () => undefined);
  const close = async () => {
    await client.end();
    await drop();
  };
  return { url, client, close };
}

/** Runs one statement on a connection of its own. */
export async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The URL of a database that lasts as long as the test that asks. */
export async function databaseUrlOfTest(): Promise<string> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return url;
}
