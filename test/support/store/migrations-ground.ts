import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { type Logger, pino } from 'pino';
import { openedForEachTest } from '../for-suite.js';
import { openEmptyDatabase } from './databases.js';

export interface MigrationsGround {
  url: string;
  client: pg.Client;
  folder: string;
  log: Logger;
  said: string[];
  /** Replaces a migration of the same name. */
  addMigration(name: string, sql: string): void;
  close(): Promise<void>;
}

async function openMigrationsGround(): Promise<MigrationsGround> {
  const { url, client, close } = await openEmptyDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-migrations-'));
  const said: string[] = [];
  return {
    url,
    client,
    folder,
    log: pino({ base: null }, { write: (line: string) => said.push(JSON.parse(line).msg) }),
    said,
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

export function groundOfEachTest(): MigrationsGround {
  return openedForEachTest(openMigrationsGround);
}
