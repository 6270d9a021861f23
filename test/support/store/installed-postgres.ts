import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { startStockPostgres } from '../../../scripts/lib/debian-postgres.mjs';
import { OLDEST_MAJOR } from '../../../src/platform/store/migrations/migrate.js';
import '../run/provided.js';
import { databaseUrl } from './databases.js';

const DEBIAN = '/usr/lib/postgresql';

/** Program folders of the supported PostgreSQL versions installed on this machine, by major version. */
export const INSTALLED_POSTGRES: [string, string][] = (existsSync(DEBIAN) ? readdirSync(DEBIAN) : [])
  .filter((major) => Number(major) >= OLDEST_MAJOR)
  .map((major): [string, string] => [major, join(DEBIAN, major, 'bin')])
  .filter(([, bin]) => existsSync(join(bin, 'initdb')));

export interface InstalledPostgres {
  url: string;
  createDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts an installed PostgreSQL with the configuration that its initdb writes. */
export async function startInstalledPostgres(bin: string): Promise<InstalledPostgres> {
  const folder = mkdtempSync(join(inject('services').runFolder, 'installed-'));
  const { url, stop } = await startStockPostgres(bin, folder);
  const createDatabase = async (name: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(`CREATE DATABASE ${name} TEMPLATE template0`);
    } finally {
      await client.end();
    }
    return databaseUrl(url, name);
  };
  return { url, createDatabase, stop };
}
