import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../package-folder.js';

export const MIGRATIONS_FOLDER = join(PACKAGE_FOLDER, 'prisma', 'migrations');

/** A reviewed migration. */
export interface MigrationFile {
  /** The name of its folder, e.g. `20261121090000_foundation`. */
  name: string;
  sql: string;
  /** SHA-256 of the file in hexadecimal, as Prisma keeps it in `_prisma_migrations`. */
  checksum: string;
  /** Of texts that the file had before, and that some stores were migrated with: `-- Former text: sha256 …` in the file. */
  formerChecksums: string[];
  /** Set where the file is one statement about an index that no transaction may hold. */
  concurrently: ConcurrentIndex | null;
}

/** The whole of a migration: an index that is made or dropped while its table is written to. */
export interface ConcurrentIndex {
  action: 'create' | 'drop';
  index: string;
  /** That it is made of; null where it is dropped. */
  table: string | null;
}

const FORMER_TEXT = /^-- Former text: sha256 ([0-9a-f]{64})$/gm;
const CONCURRENTLY =
  /^(CREATE|DROP)(?: UNIQUE)? INDEX CONCURRENTLY(?: IF NOT EXISTS| IF EXISTS) "(\w+)"(?: ON "(\w+)"[^;]*)?;?$/;

const CREATE_ENUM = /^(CREATE TYPE "(\w+)" AS ENUM \()([^)]*)\);/gm;
/** Values are appended; none has been added BEFORE or AFTER another yet. */
const ADD_VALUE = /^ALTER TYPE "(\w+)" ADD VALUE (?:IF NOT EXISTS )?('[^']+');/gm;

/** In the order in which they are applied. */
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
        concurrently: concurrentIndex(sql),
      };
    }),
  );
}

/** Whether a store that was migrated with a text of this checksum has what the file makes. */
export function isChecksumOf({ checksum, formerChecksums }: MigrationFile, applied: string): boolean {
  return applied === checksum || formerChecksums.includes(applied);
}

/** A migration, and its script in a form that runs in one transaction with those of all others. */
export interface TransactionalScript {
  migration: MigrationFile;
  sql: string;
}

/**
 * Adapts migrations so that one transaction can apply them all to an empty store and then fill it. Indexes are not created
 * concurrently. Each enum type has all its values from the start: before version 17, PostgreSQL accepts no value in the
 * transaction that adds it ("unsafe use of new value"), not even for a type of the same transaction.
 */
export function scriptsForOneTransaction(migrations: readonly MigrationFile[]): TransactionalScript[] {
  const added = new Map<string, string[]>();
  for (const { sql } of migrations) {
    for (const [, type = '', value = ''] of sql.matchAll(ADD_VALUE))
      added.set(type, [...(added.get(type) ?? []), value]);
  }
  return migrations.map((migration) => {
    const sql = migration.concurrently ? migration.sql.replace(/ INDEX CONCURRENTLY /, ' INDEX ') : migration.sql;
    const withAllValues = sql
      .replace(ADD_VALUE, '')
      .replace(CREATE_ENUM, (_, start: string, type: string, values: string) =>
        [start, [values, ...(added.get(type) ?? [])].join(', '), ');'].join(''),
      );
    return { migration, sql: withAllValues };
  });
}

function concurrentIndex(sql: string): ConcurrentIndex | null {
  const statement = sql.replace(/^--.*$/gm, '').trim();
  const [, verb, index, table = null] = CONCURRENTLY.exec(statement) ?? [];
  return index ? { action: verb === 'CREATE' ? 'create' : 'drop', index, table } : null;
}
