// node scripts/check-migrations.mjs
//
// Checks that the migrations, applied to an empty database, produce the schema of schema.prisma. The script reads dist, which
// must be built, and starts its own PostgreSQL. Prints missing SQL, and migrations that would block writers of a filled store
// for long.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../dist/platform/embedded/embedded-postgres.js';
import { applyMigrations } from '../dist/platform/store/migrations/migrate.js';
import { readMigrations } from '../dist/platform/store/migrations/migration-files.js';
import { parseCommandLine } from './lib/command-line.mjs';
import { findLongLocks } from './lib/migration-rules.mjs';
import { diffSchema } from './lib/schema-engine.mjs';

parseCommandLine(import.meta.url);

const locks = (await Promise.all((await readMigrations()).map(findLongLocks))).flat();
if (locks.length === 0) {
  console.log('No migration holds a lock on a filled table for long.');
} else {
  console.error(
    `These statements would block writers of a filled store (docs/develop/internals.md):\n${locks.join('\n')}`,
  );
  process.exitCode = 1;
}

const log = pino({ level: 'warn' });
const dataDir = mkdtempSync(join(tmpdir(), 'heliograph-migrations-'));
chmodSync(dataDir, 0o755);
try {
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  try {
    await applyMigrations({ url: postgres.url, log });
    const missing = await diffSchema(postgres.url);
    if (missing === null) {
      console.log('The migrations match schema.prisma.');
    } else {
      console.error(`The migrations do not match schema.prisma. Missing:\n${missing}`);
      process.exitCode = 1;
    }
  } finally {
    await postgres.close();
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
