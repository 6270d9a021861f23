import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../package-folder.js';

export const MIGRATIONS_FOLDER = join(PACKAGE_FOLDER, 'prisma', 'migrations');

export interface MigrationFile {
  name: string;
  sql: string;
  /** SHA-256 in hexadecimal. */
  checksum: string;
  /** Checksums from lines `-- Former text: sha256 …` in the file. */
  formerChecksums: string[];
  /** Set if the file is a single CONCURRENTLY statement, which cannot run in a transaction. */
  concurrently: ConcurrentIndex | null;
}

export interface ConcurrentIndex {
  action: 'create' | 'drop';
  index: string;
  /** Null when dropping. */
  table: string | null;
}

const FORMER_TEXT = /^-- Former text: sha256 ([0-9a-f]{64})$/gm;
const CONCURRENTLY =
  /^(CREATE|DROP)(?: UNIQUE)? INDEX CONCURRENTLY(?: IF NOT EXISTS| IF EXISTS) "(\w+)"(?: ON "(\w+)"[^;]*)?;?$/;

const CREATE_ENUM = /^(CREATE TYPE "(\w+)" AS ENUM \()([^)]*)\);/gm;
const ADD_VALUE = /^ALTER TYPE "(\w+)" ADD VALUE (?:IF NOT EXISTS )?('[^']+');/gm;

export async function readMigrations(folder = MIGRATIONS_FOLDER): Promise<MigrationFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return await Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      return {
        name,
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
        formerChecksums: [...sql.matchAll(FORMER_TEXT)].map(([, checksum = '']) => checksum),
        concurrently: parseConcurrentIndex(sql),
      };
    }),
  );
}

export function matchesChecksum({ checksum, formerChecksums }: MigrationFile, appliedChecksum: string): boolean {
  return appliedChecksum === checksum || formerChecksums.includes(appliedChecksum);
}

export interface TransactionalScript {
  migration: MigrationFile;
  sql: string;
}

/**
 * Rewrites the migrations so that they can run in one transaction on an empty store. Enum types get all their values at
 * creation, because PostgreSQL before version 17 rejects a value in the transaction that adds it.
 */
export function buildTransactionalScripts(migrations: readonly MigrationFile[]): TransactionalScript[] {
  const addedValues = new Map<string, string[]>();
  for (const { sql } of migrations) {
    for (const [, type = '', value = ''] of sql.matchAll(ADD_VALUE))
      addedValues.set(type, [...(addedValues.get(type) ?? []), value]);
  }
  return migrations.map((migration) => {
    const sql = migration.concurrently ? migration.sql.replace(/ INDEX CONCURRENTLY /, ' INDEX ') : migration.sql;
    const withAllValues = sql
      .replace(ADD_VALUE, '')
      .replace(CREATE_ENUM, (_, start: string, type: string, values: string) =>
        [start, [values, ...(addedValues.get(type) ?? [])].join(', '), ');'].join(''),
      );
    return { migration, sql: withAllValues };
  });
}

function parseConcurrentIndex(sql: string): ConcurrentIndex | null {
  const statement = sql.replace(/^--.*$/gm, '').trim();
  const [, verb, index, table = null] = CONCURRENTLY.exec(statement) ?? [];
  return index ? { action: verb === 'CREATE' ? 'create' : 'drop', index, table } : null;
}
