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

/** The file as a transaction can hold it, for tables that nobody else sees yet. */
export function withinTransaction({ sql, concurrently }: MigrationFile): string {
  return concurrently ? sql.replace(/ INDEX CONCURRENTLY /, ' INDEX ') : sql;
}

function concurrentIndex(sql: string): ConcurrentIndex | null {
  const statement = sql.replace(/^--.*$/gm, '').trim();
  const [, verb, index, table = null] = CONCURRENTLY.exec(statement) ?? [];
  return index ? { action: verb === 'CREATE' ? 'create' : 'drop', index, table } : null;
}
