// ROWS=10000000 npm run bench:migrations [-- --from 20261122 --writers 2]
//
// Measures how long each migration takes on a large database, and how long it blocks writers. The migrations before --from
// create the database, which is then filled with ROWS messages and a tenth as many webhook deliveries and inbound messages. The
// server's migration runner then applies the other migrations one by one, while each writer inserts and updates messages in a
// loop. For each migration, prints the longest time that a writer's statement took. docs/develop/internals.md contains the
// figures.
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { uuidv7 } from 'uuidv7';
import { startEmbeddedPostgres } from '../dist/platform/embedded/embedded-postgres.js';
import { applyMigrations } from '../dist/platform/store/migrations/migrate.js';
import { MIGRATIONS_FOLDER, readMigrations } from '../dist/platform/store/migrations/migration-files.js';
import { readOptions, SHORT } from './lib/options.mjs';

const options = readOptions(import.meta.url, { from: '20261122', writers: '2' }, {});
const rows = Number(process.env.ROWS ?? (SHORT ? 2_000 : 1_000_000));
const BATCH = 200_000;
const BASELINE_MS = SHORT ? 500 : 10_000;
const BYTES_PER_ROW = 900;
const ACCOUNT = '01920000-0000-7000-8000-000000000001';

/** Duration of the last migration, read from the runner's log. */
let lastDuration = '';
const log = pino(
  { level: 'info', base: null },
  {
    write(entry) {
      const { msg } = JSON.parse(entry);
      lastDuration = / \(([^()]+)\)$/.exec(msg)?.[1] ?? lastDuration;
      process.stderr.write(`${msg}\n`);
    },
  },
);

/** SQL for UUIDv7 IDs from the last 30 days, which are inserted in ascending order. */
const ID = `(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' ||
  substr(md5(n::text), 4, 15))::uuid`;
const SERIES = `generate_series($1::int, $2::int) AS n, LATERAL (SELECT now() - ($3 - n) * interval '30 days' / $3 AS at) AS moment`;

/** Inserts messages, of which every fiftieth is not yet delivered. */
const MESSAGES = `
INSERT INTO messages (id, account_id, created_at, valid_until, next_look, price_micros, surface, kind, status, priority, parts,
  carrier, sender, recipient, body, sending_at, sent_at, delivered_at, attempts)
SELECT ${ID}, '${ACCOUNT}', at, at + interval '2 days', CASE WHEN n % 50 = 0 THEN now() + interval '1 hour' END, 10000, 'a',
  'sms', CASE WHEN n % 50 = 0 THEN 'sent' ELSE 'delivered' END::message_status, 0, 1, 'simulator', 'Heliograph',
  '1415' || lpad((n % 1000000)::text, 7, '0'), 'Your code is 123456. It is valid for ten minutes.', at, at,
  CASE WHEN n % 50 > 0 THEN at END, 1
FROM ${SERIES}`;
const DELIVERIES = `
INSERT INTO webhook_deliveries (id, webhook_id, type, data, status, attempts, next_attempt_at, occurred_at, delivered_at)
SELECT ${ID}, '${ACCOUNT}', 'message.status', jsonb_build_object('messageId', ${ID}, 'channel', 'sms', 'channelId', NULL,
  'from', 'Heliograph', 'to', '14155550123', 'status', 'delivered', 'errorCode', NULL), 'delivered', 1, NULL, at, at
FROM ${SERIES}`;
const INBOUND = `
INSERT INTO inbound_messages (id, account_id, channel_id, carrier_message_id, type, body, payload, received_at)
SELECT ${ID}, '${ACCOUNT}', '${ACCOUNT}', 'in-' || n, 'text', 'Is the shop open today?', '{}', at FROM ${SERIES}`;

const INSERT = `
INSERT INTO messages (id, account_id, created_at, valid_until, next_look, price_micros, surface, kind, priority, parts,
  carrier, sender, recipient, body)
VALUES ($1, '${ACCOUNT}', now(), now() + interval '2 days', now(), 10000, 'a', 'sms', 0, 1, 'simulator', 'Heliograph',
  '14155550123', 'Your code is 123456.')`;
const DELIVER = `UPDATE messages SET status = 'delivered', next_look = NULL, delivered_at = now() WHERE id = $1`;

async function connect(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

async function fill(client) {
  await client.query('SET synchronous_commit = off');
  for (const [statement, count] of [
    [MESSAGES, rows],
    [DELIVERIES, rows / 10],
    [INBOUND, rows / 10],
  ]) {
    for (let from = 1; from <= count; from += BATCH) {
      await client.query(statement, [from, Math.min(from + BATCH - 1, count), count]);
    }
  }
  await client.query('VACUUM ANALYZE messages, webhook_deliveries, inbound_messages');
  await client.query('CHECKPOINT');
}

/** Writes messages without a pause until `stop` is called, and records how long the slowest statement took. */
class Writer {
  #longest = 0;
  #isStopped = false;
  #start = performance.now();
  #running;

  constructor(url) {
    this.#running = this.#run(url);
  }

  /** Returns how long the slowest statement since the previous call took, in milliseconds; a running statement counts too. */
  takeLongest() {
    const longest = Math.max(this.#longest, performance.now() - this.#start);
    this.#longest = 0;
    return longest;
  }

  stop() {
    this.#isStopped = true;
    return this.#running;
  }

  async #run(url) {
    const client = await connect(url);
    while (!this.#isStopped) {
      const id = uuidv7();
      for (const statement of [INSERT, DELIVER]) {
        this.#start = performance.now();
        await client.query(statement, [id]);
        this.#longest = Math.max(this.#longest, performance.now() - this.#start);
      }
    }
    await client.end();
  }
}

const formatDuration = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
const printRow = (name, took, blocked) => console.log(`| ${name} | ${took} | ${formatDuration(blocked)} |`);

async function measure(url, folder) {
  const migrations = await readMigrations();
  const add = (name) => cpSync(join(MIGRATIONS_FOLDER, name), join(folder, name), { recursive: true });
  for (const { name } of migrations) if (name < options.from) add(name);
  await applyMigrations({ url, log, folder });

  const client = await connect(url);
  const start = performance.now();
  await fill(client);
  const { rows: sizes } = await client.query("SELECT pg_size_pretty(pg_total_relation_size('messages')) AS size");
  console.log(`${rows} messages (${sizes[0].size}) were inserted in ${formatDuration(performance.now() - start)}\n`);
  await client.end();

  console.log('| migration | took | longest wait of a writer |\n|---|---:|---:|');
  const writers = Array.from({ length: Number(options.writers) }, () => new Writer(url));
  const takeLongest = () => Math.max(...writers.map((writer) => writer.takeLongest()));
  const measureBaseline = async (name) => {
    takeLongest();
    await new Promise((resolve) => setTimeout(resolve, BASELINE_MS));
    printRow(name, formatDuration(BASELINE_MS), takeLongest());
  };
  await measureBaseline('none, before the migrations');
  for (const { name } of migrations) {
    if (name < options.from) continue;
    add(name);
    takeLongest();
    await applyMigrations({ url, log, folder });
    printRow(name, lastDuration, takeLongest());
  }
  await measureBaseline('none, after the migrations');
  await Promise.all(writers.map((writer) => writer.stop()));
}

const { bavail, bsize } = statfsSync(tmpdir());
if (bavail * bsize < 2 * rows * BYTES_PER_ROW) {
  throw new Error(
    `${tmpdir()} is too small for ${rows} rows, which need about ${Math.ceil((2 * rows * BYTES_PER_ROW) / 1e9)} GB`,
  );
}
const dataDir = mkdtempSync(join(tmpdir(), 'heliograph-bench-'));
chmodSync(dataDir, 0o755);
const folder = join(dataDir, 'migrations');
mkdirSync(folder);
try {
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  try {
    await measure(postgres.url, folder);
  } finally {
    await postgres.close();
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
