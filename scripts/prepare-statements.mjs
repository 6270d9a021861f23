// node scripts/prepare-statements.mjs FOLDER [--postgres 15]
//
// Checks that another PostgreSQL version accepts every statement. The script reads texts of statements that tests have
// recorded:
//
//   mkdir FOLDER && TEST_STATEMENT_TEXTS=FOLDER npx vitest run test/messages test/features
//
// Debian's PostgreSQL of that version prepares each statement on a migrated database without running it. Prints rejected
// statements, and exits with 1 if any statement is rejected.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMigrations } from 'bullmq';
import pg from 'pg';
import { pino } from 'pino';
import { applyMigrations } from '../dist/platform/store/migrations/migrate.js';
import { exitWithUsage, parseCommandLine } from './lib/command-line.mjs';
import { startDebianPostgres } from './lib/debian-postgres.mjs';

const {
  values: options,
  args: [folder],
} = parseCommandLine(import.meta.url, {
  options: { postgres: { type: 'string', default: '15' } },
  maxArguments: 1,
});
if (!folder) exitWithUsage(import.meta.url, 'FOLDER is missing.');

/** PREPARE accepts only these statements, and other statements such as BEGIN and SET are the same in each version. */
const PREPARABLE = /^\s*(?:--[^\n]*\n\s*)*(?:WITH|SELECT|INSERT|UPDATE|DELETE|MERGE|VALUES|\()/i;
/** The table may be missing, because another statement creates it or because it exists only in a partitioned store. */
const UNDEFINED_TABLE = '42P01';

const recorded = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
const texts = [...new Set(recorded.filter(Boolean).map((line) => JSON.parse(line)))].filter((text) =>
  PREPARABLE.test(text),
);
if (texts.length === 0) exitWithUsage(import.meta.url, `${folder} contains no recorded statements.`);

const postgresFolder = mkdtempSync(join(tmpdir(), 'heliograph-prepare-'));
const postgres = await startDebianPostgres(options.postgres, postgresFolder);
const rejected = [];
let withoutTable = 0;
try {
  await applyMigrations({ url: postgres.url, log: pino({ level: 'warn' }) });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    await runMigrations(client);
    // Connections of the queue find BullMQ's functions in this search path.
    await client.query('SET search_path = public, bullmq');
    for (const text of texts) {
      try {
        await client.query(`PREPARE checked AS ${text}`);
        await client.query('DEALLOCATE checked');
      } catch (error) {
        if (error.code === UNDEFINED_TABLE) withoutTable += 1;
        else rejected.push({ text, problem: error.message });
      }
    }
  } finally {
    await client.end();
  }
} finally {
  await postgres.stop();
  rmSync(postgresFolder, { recursive: true, force: true });
}
for (const { text, problem } of rejected) console.error(`${problem}\n${text}\n`);
console.log(
  `PostgreSQL ${postgres.version} prepared ${texts.length - rejected.length - withoutTable} of ${texts.length} statements. ` +
    `It rejected ${rejected.length}. ${withoutTable} use a table that does not exist yet.`,
);
process.exitCode = rejected.length === 0 ? 0 : 1;
