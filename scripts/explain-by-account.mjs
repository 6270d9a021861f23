// node scripts/explain-by-account.mjs FOLDER [--all] [--write]
//
// Shows where each statement would run if accounts were spread over several PostgreSQL servers (docs/develop/internals.md). The
// script reads statements that tests have recorded:
//
//   mkdir FOLDER && TEST_STATEMENTS=FOLDER npx vitest run --project together test/messages test/features
//
// The script creates a database in which every table with an account ID is partitioned by account, and explains each statement
// there with the recorded values. Prints the number of statements by destination, and the statements that reach every shard.
// --all prints every statement. --write updates scripts/lib/by-account/on-the-way.txt, which a test compares with the
// statements of a message.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../dist/platform/embedded/embedded-postgres.js';
import { applyMigrations } from '../dist/platform/store/migrations/migrate.js';
import { partitionByAccount } from './lib/by-account/distribute.mjs';
import { formatEntry, isOnMessagePath, listCostlyStatements, writeList } from './lib/by-account/list.mjs';
import { routeStatements } from './lib/by-account/routes.mjs';
import { findSources } from './lib/by-account/sources.mjs';
import { exitWithUsage, parseCommandLine } from './lib/command-line.mjs';

const {
  values: options,
  args: [folder],
} = parseCommandLine(import.meta.url, {
  options: { all: { type: 'boolean' }, write: { type: 'boolean' } },
  maxArguments: 1,
});
if (!folder) exitWithUsage(import.meta.url, 'FOLDER is missing.');

async function withTemporaryDatabase(work) {
  const dataDir = mkdtempSync(join(tmpdir(), 'heliograph-by-account-'));
  chmodSync(dataDir, 0o755);
  const log = pino({ level: 'warn' });
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  try {
    await applyMigrations({ url: postgres.url, log });
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  } finally {
    await postgres.close();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

const TITLES = {
  one: "one shard: that of the statement's account",
  rows: 'one shard for each account of the inserted rows',
  several: "the shards of the statement's accounts",
  each: 'every shard, each separately',
  across: 'every shard, combining rows of several',
  key: 'refused: ON CONFLICT on a key without the account',
  'no-account': 'unknown: its tables would need the account first',
  unknown: 'unknown: no plan shows it',
};

const recorded = readdirSync(folder)
  .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const { tables, statements } = await withTemporaryDatabase(async (client) => {
  const partitionedTables = await partitionByAccount(client);
  return { tables: partitionedTables, statements: await routeStatements(client, partitionedTables, recorded) };
});
console.log(
  `Tables: ${tables.partitioned.length} have an account ID, but ${tables.keysWithoutAccount.length} of their unique keys do not; ` +
    `${tables.withoutAccount.length} would need an account ID; ${tables.shared.length} are shared by all accounts.\n`,
);
console.log("| statements that ran | all | on a message's path |\n| --- | ---: | ---: |");
for (const [route, title] of Object.entries(TITLES)) {
  const matching = statements.filter((statement) => statement.route === route);
  console.log(`| ${title} | ${matching.length} | ${matching.filter(isOnMessagePath).length} |`);
}
console.log(`| all | ${statements.length} | ${statements.filter(isOnMessagePath).length} |\n`);
const onPath = listCostlyStatements(statements.filter(isOnMessagePath));
const elsewhere = listCostlyStatements(statements.filter((statement) => !isOnMessagePath(statement)));
console.log(`On a message's path:\n${onPath.map(formatEntry).join('\n')}\n`);
console.log(`Elsewhere:\n${elsewhere.map(formatEntry).join('\n')}`);
if (options.all)
  for (const { path, route, text, error } of statements) console.log(`\n${route} ${path} ${error ?? ''}\n${text}`);
const recordedPaths = new Set(recorded.map(({ path }) => path));
const sources = await findSources(fileURLToPath(new URL('..', import.meta.url)), tables.partitioned);
// A file named …-sql.ts is not listed, because it contains only parts of other files' statements.
const unrecorded = sources.filter((path) => !recordedPaths.has(path) && !path.endsWith('-sql.ts'));
console.log(
  `\nNo statement was recorded for ${unrecorded.length} of ${sources.length} sources that use tables with an account ID: ${unrecorded.join(', ')}`,
);
if (options.write) writeList(onPath);
