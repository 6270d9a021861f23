// npm run bench:search [-- --messages 10000000 --days 30 --waiting 200000 --searches 100 --limit 300]
//
// Measures how long message searches take in a large table, for example the search for all messages to one number. Exits with 1
// if any search takes longer than --limit milliseconds. docs/develop/store.md explains how searches work.
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { pino } from 'pino';
import { listMessages } from '../dist/messages/search/list-messages.js';
import { createAccountFilter } from '../dist/messages/search/list-store.js';
import { PrismaClient } from '../dist/platform/generated/prisma/client.js';
import { openPool } from '../dist/platform/store/connections/pool.js';
import { readOptions, SHORT } from './lib/options.mjs';
import { median } from './lib/report.mjs';
import { startStore } from './lib/store.mjs';

const options = readOptions(
  import.meta.url,
  { messages: '10000000', days: '30', waiting: '200000', searches: '100', limit: '300' },
  { messages: '20000', waiting: '400', searches: '5' },
);
const messages = Number(options.messages);
const waiting = Number(options.waiting);
const searches = Number(options.searches);
const BATCH = 200_000;
/** Number of recipients, each of which receives about ten messages. */
const NUMBERS = messages / 10;
const DAY_MS = 24 * 60 * 60 * 1000;

const ACCOUNT = '01920000-0000-7000-8000-000000000001';
/** Phone number that receives every hundredth message. */
const FREQUENT_NUMBER = '15005550111';
const UNUSED_NUMBER = '14990000000';
const toPhoneNumber = (n) => `1415${String(n).padStart(8, '0')}`;

/**
 * Inserts messages whose times are spread evenly over the last `--days` days. The newest messages are not yet delivered, and
 * every tenth message belongs to another account.
 */
const FILL = `
INSERT INTO messages (id, account_id, created_at, valid_until, next_look, price_micros, surface, kind, status, priority, parts,
  carrier, sender, recipient, body, sending_at, sent_at, delivered_at, attempts)
SELECT (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' ||
        substr(md5(n::text), 4, 15))::uuid,
  CASE WHEN n % 10 = 0 THEN '01920000-0000-7000-8000-000000000002'::uuid ELSE $5::uuid END, at, at + interval '2 days',
  CASE WHEN n > $3 THEN now() + interval '1 hour' END, 10000, 'a', 'sms',
  CASE WHEN n > $3 THEN 'sent' ELSE 'delivered' END::message_status, 0, 1, 'simulator', 'Heliograph',
  CASE WHEN n % 100 = 1 THEN $6 ELSE '1415' || lpad((random() * $7)::int::text, 8, '0') END,
  'Your code is 123456. It is valid for ten minutes.', at, at, CASE WHEN n <= $3 THEN at END, 1
FROM generate_series($1::int, $2::int) AS n, LATERAL (SELECT now() - ($4 - n) * interval '1 day' * $8 / $4 AS at) AS moment`;

async function fill(client) {
  const definition = (await client.query(`SELECT indexdef FROM pg_indexes WHERE indexname = 'messages_number_idx'`))
    .rows[0].indexdef;
  await client.query('DROP INDEX messages_number_idx');
  await client.query('SET synchronous_commit = off');
  for (let from = 1; from <= messages; from += BATCH) {
    const to = Math.min(from + BATCH - 1, messages);
    const values = [from, to, messages - waiting, messages, ACCOUNT, FREQUENT_NUMBER, NUMBERS, Number(options.days)];
    await client.query(FILL, values);
  }
  const start = performance.now();
  await client.query(definition);
  console.log(`the index of ${messages} messages was created in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  await client.query('VACUUM ANALYZE messages');
  const { rows } = await client.query(
    `SELECT relname, pg_relation_size(oid) / 1e6 AS mb FROM pg_class
     WHERE relname IN ('messages', 'messages_pkey', 'messages_number_idx', 'messages_due_idx') ORDER BY 1`,
  );
  for (const { relname, mb } of rows) console.log(`${relname}: ${Number(mb).toFixed(0)} MB`);
}

const randomNumber = () => toPhoneNumber(Math.floor(Math.random() * NUMBERS));
const daysAgo = (count) => new Date(Date.now() - count * DAY_MS);
const SEARCHES = {
  'a number': () => ({ recipient: randomNumber() }),
  'a number, the last 30 days': () => ({ recipient: randomNumber(), createdFrom: daysAgo(30) }),
  'a number, one day': () => ({ recipient: randomNumber(), createdFrom: daysAgo(20), createdTo: daysAgo(19) }),
  'a number without messages': () => ({ recipient: UNUSED_NUMBER }),
  'the recipient of a hundredth of all messages': () => ({ recipient: FREQUENT_NUMBER }),
  'a number, and a status that none of its messages has': () => ({ recipient: randomNumber(), status: 'failed' }),
  'no filter': () => ({}),
  'the beginning of a number': () => ({ recipientStart: '1415' }),
};

const store = await startStore();
try {
  const url = await store.create('bench_search');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `INSERT INTO accounts (id, name, currency, rate_card_id) SELECT id::uuid, 'Benchmark', 'USD', 'standard'
     FROM unnest(ARRAY['01920000-0000-7000-8000-000000000001', '01920000-0000-7000-8000-000000000002']) AS id`,
  );
  await client.query(
    `INSERT INTO ledger_entries (id, account_id, kind, amount_micros, balance_after_micros, created_at)
     VALUES (uuidv7(), $1, 'credit', 1, 1, now())`,
    [ACCOUNT],
  );
  await fill(client);
  await client.end();
  const pool = openPool({ url, size: 2, log: pino({ level: 'warn' }) });
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
  console.log(`\n${messages} messages of ${options.days} days, ${waiting} of them unfinished; pages of 50\n`);
  console.log('| search | p50 ms | slowest ms | messages found |\n|---|---:|---:|---:|');
  for (const [name, createFilter] of Object.entries(SEARCHES)) {
    const times = [];
    let foundCount = 0;
    for (let count = 0; count < searches; count += 1) {
      const start = performance.now();
      const page = await listMessages(
        { pool, prisma },
        { ...createAccountFilter(ACCOUNT), ...createFilter() },
        { before: null, limit: 50 },
      );
      times.push(performance.now() - start);
      foundCount += page.messages.length;
    }
    const slowest = Math.max(...times);
    console.log(
      `| ${name} | ${median(times).toFixed(0)} | ${slowest.toFixed(0)} | ${(foundCount / searches).toFixed(1)} |`,
    );
    if (slowest > Number(options.limit) && !SHORT) process.exitCode = 1;
  }
  await prisma.$disconnect();
  await pool.end();
} finally {
  await store.close();
}
