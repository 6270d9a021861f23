// node scripts/prepare-statements.mjs FOLDER [--postgres 15]
//
// Checks that another PostgreSQL accepts every statement. Reads the texts that tests recorded:
//
//   mkdir FOLDER && TEST_STATEMENT_TEXTS=FOLDER npx vitest run test/messages test/features
//
// Debian's PostgreSQL of that version prepares each of them on a migrated database, but runs none. Prints refused statements,
// and exits with 1 if there are any.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMigrations } from 'bullmq';
import pg from 'pg';
import { pino } from 'pino';
import { applyMigrations } from '../dist/platform/store/migrations/migrate.js';
import { commandLine, refuse, usageOf } from './lib/command-line.mjs';
import { startDebianPostgres } from './lib/debian-postgres.mjs';

const { values: options, words } = commandLine(import.meta.url, {
  options: { postgres: { type: 'string', default: '15' } },
  words: 1,
});
const [folder] = words;
if (!folder) refuse(usageOf(import.meta.url), 'It needs the folder of what was recorded.');

/** PREPARE accepts only these statements; others, such as BEGIN and SET, are the same in each version. */
const PREPARABLE = /^\s*(?:--[^\n]*\n\s*)*(?:WITH|SELECT|INSERT|UPDATE|DELETE|MERGE|VALUES|\()/i;
/** undefined_table: tables that one statement creates for the next, and those of a partitioned store. */
const PASSING = ['42P01'];

const recorded = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
const texts = [...new Set(recorded.filter(Boolean).map((line) => JSON.parse(line)))].filter((text) =>
  PREPARABLE.test(text),
);
if (texts.length === 0) refuse(usageOf(import.meta.url), `Nothing was recorded in ${folder}.`);

const place = mkdtempSync(join(tmpdir(), 'heliograph-prepare-'));
const postgres = await startDebianPostgres(options.postgres, place);
const refused = [];
let passing = 0;
try {
  await applyMigrations({ url: postgres.url, log: pino({ level: 'warn' }) });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    await runMigrations(client);
    // The queue's connections look up BullMQ's functions there.
    await client.query('SET search_path = public, bullmq');
    for (const text of texts) {
      try {
        await client.query(`PREPARE checked AS ${text}`);
        await client.query('DEALLOCATE checked');
      } catch (error) {
        if (PASSING.includes(error.code)) passing += 1;
        else refused.push({ text, problem: error.message });
      }
    }
  } finally {
    await client.end();
  }
} finally {
  await postgres.stop();
  rmSync(place, { recursive: true, force: true });
}
for (const { text, problem } of refused) console.error(`${problem}\n${text}\n`);
console.log(
  `PostgreSQL ${postgres.version} prepared ${texts.length - refused.length - passing} of ${texts.length} statements; ` +
    `${refused.length} are refused, and ${passing} name a table that another statement makes.`,
);
process.exitCode = refused.length === 0 ? 0 : 1;
