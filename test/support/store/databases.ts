import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import '../run/provided.js';

export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.toString();
}

export interface TestDatabase {
  url: string;
  name: string;
  /** Drops the database even while other clients are connected. */
  drop(): Promise<void>;
}

/** Copies the migrated template unless `empty` is set. The caller must drop the database. */
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

export async function openEmptyDatabase(): Promise<{ url: string; client: pg.Client; close(): Promise<void> }> {
  const { url, drop } = await createTestDatabase({ empty: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Errors are ignored, because a test may stop the server.
  client.on('error', () => undefined);
  const close = async () => {
    await client.end();
    await drop();
  };
  return { url, client, close };
}

export async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export async function createDatabaseForTest(): Promise<string> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return url;
}
