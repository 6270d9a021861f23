// Do the migrations, applied to an empty database, give what schema.prisma says? Usage, after a build:
// node scripts/check-migrations.mjs. It starts a PostgreSQL of its own, and prints the SQL that is missing if any.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../dist/platform/embedded/embedded-postgres.js';
import { applyMigrations } from '../dist/platform/store/migrate.js';
import { diffSchema } from './lib/schema-engine.mjs';

const log = pino({ level: 'warn' });
const dataDir = mkdtempSync(join(tmpdir(), 'heliograph-migrations-'));
chmodSync(dataDir, 0o755);
try {
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  try {
    await applyMigrations({ url: postgres.url, log });
    const missing = await diffSchema(postgres.url);
    if (missing === null) {
      console.log('The migrations and schema.prisma agree.');
    } else {
      console.error(`The migrations lack what schema.prisma says:\n${missing}`);
      process.exitCode = 1;
    }
  } finally {
    await postgres.close();
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
