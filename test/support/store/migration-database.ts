import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { type Logger, pino } from 'pino';
import { openForEachTest } from '../for-suite.js';
import { openEmptyDatabase } from './databases.js';

export interface MigrationDatabase {
  url: string;
  client: pg.Client;
  folder: string;
  log: Logger;
  loggedTexts: string[];
  /** Adds a migration, or replaces the one with the given name. */
  addMigration(name: string, sql: string): void;
  close(): Promise<void>;
}

async function openMigrationDatabase(): Promise<MigrationDatabase> {
  const { url, client, close } = await openEmptyDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-migrations-'));
  const loggedTexts: string[] = [];
  return {
    url,
    client,
    folder,
    log: pino({ base: null }, { write: (line: string) => loggedTexts.push(JSON.parse(line).msg) }),
    loggedTexts,
    addMigration: (name, sql) => {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, 'migration.sql'), sql);
    },
    close: async () => {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}

export function migrationDatabaseForEachTest(): MigrationDatabase {
  return openForEachTest(openMigrationDatabase);
}
