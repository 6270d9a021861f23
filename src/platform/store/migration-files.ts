import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../package-folder.js';

export const MIGRATIONS_FOLDER = join(PACKAGE_FOLDER, 'prisma', 'migrations');

/** A reviewed migration. */
export interface MigrationFile {
  /** The name of its folder, e.g. `20261121090000_foundation`. */
  name: string;
  sql: string;
  /** SHA-256 of the file in hexadecimal, as Prisma keeps it in `_prisma_migrations`. */
  checksum: string;
}

/** In the order in which they are applied. */
export async function readMigrations(folder = MIGRATIONS_FOLDER): Promise<MigrationFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return await Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}
