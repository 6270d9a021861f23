// node scripts/explain-by-account.mjs FOLDER [--all] [--write]
//
// Shows where each statement would run if accounts were spread over several PostgreSQL servers (docs/scaling.md). Reads statements that
// tests recorded:
//
//   mkdir FOLDER && TEST_STATEMENTS=FOLDER npx vitest run --project together test/messages test/features
//
// It creates a database in which every table with an account ID is partitioned by account, and asks PostgreSQL for the plan of each
// statement with the recorded values. Prints the number of statements by destination, and those that reach every shard. --all prints
// every statement. --write updates scripts/lib/by-account/on-the-way.txt, which a test compares with the statements of a message.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../dist/platform/embedded/embedded-postgres.js';
import { applyMigrations } from '../dist/platform/store/migrations/migrate.js';
import { spreadByAccount } from './lib/by-account/distribute.mjs';
import { isOnTheWay, linesOf, writeList, writtenLine } from './lib/by-account/list.mjs';
import { routesOf } from './lib/by-account/routes.mjs';
import { sourcesAsking } from './lib/by-account/sources.mjs';
import { commandLine, refuse, usageOf } from './lib/command-line.mjs';

const { values: options, words } = commandLine(import.meta.url, {
  options: { all: { type: 'boolean' }, write: { type: 'boolean' } },
  words: 1,
});
const [folder] = words;
if (!folder) refuse(usageOf(import.meta.url), 'It needs the folder of what was recorded.');

/** On a temporary, migrated database. */
async function onScratch(work) {
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
  one: 'one shard: that of the account that it names',
  rows: 'one shard for each account of the rows that it makes',
  several: 'the shards of the accounts that it names',
  each: 'every shard, each by itself',
  across: 'every shard, with rows of several together',
  key: 'refused: ON CONFLICT on a key without the account',
  lacking: 'not told: its tables would need the account first',
  untold: 'not told: no plan of it tells',
};

const recorded = readdirSync(folder)
  .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const { tables, routed } = await onScratch(async (client) => {
  const divided = await spreadByAccount(client);
  return { tables: divided, routed: await routesOf(client, divided, recorded) };
});
console.log(
  `Tables: ${tables.spread.length} name their account, ${tables.freed.length} unique keys of theirs do not; ` +
    `${tables.lacking.length} would need the account, ${tables.shared.length} are the installation's.\n`,
);
console.log('| statements that ran | all | on the way of a message |\n| --- | ---: | ---: |');
for (const [route, title] of Object.entries(TITLES)) {
  const own = routed.filter((each) => each.route === route);
  console.log(`| ${title} | ${own.length} | ${own.filter(({ path }) => isOnTheWay(path)).length} |`);
}
console.log(`| all | ${routed.length} | ${routed.filter(({ path }) => isOnTheWay(path)).length} |\n`);
const [onTheWay, beside] = [true, false].map((is) => linesOf(routed.filter(({ path }) => isOnTheWay(path) === is)));
console.log(`On the way of a message:\n${onTheWay.map(writtenLine).join('\n')}\n`);
console.log(`Elsewhere:\n${beside.map(writtenLine).join('\n')}`);
if (options.all)
  for (const { path, route, text, error } of routed) console.log(`\n${route} ${path} ${error ?? ''}\n${text}`);
const ran = new Set(recorded.map(({ path }) => path));
const asking = await sourcesAsking(fileURLToPath(new URL('..', import.meta.url)), tables.spread);
// A file named …-sql.ts contains parts of other files' statements.
const unseen = asking.filter((path) => !ran.has(path) && !path.endsWith('-sql.ts'));
console.log(
  `\n${unseen.length} of ${asking.length} sources with statements on tables of accounts did not run: ${unseen.join(', ')}`,
);
if (options.write) writeList(onTheWay);
