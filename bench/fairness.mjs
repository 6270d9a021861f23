// npm run bench:fairness [-- --accounts 10 --waiting 100000 --singles 50 --redis URL --limit 100]
//
// Measures how long a single message of one account takes to reach the carrier, on an idle server and behind the backlogs of
// other accounts. First, a process that sends no messages accepts the backlogs. Then a process with all roles sends the
// backlogs while the single messages arrive.
import pg from 'pg';
import { createAccount, creditAccount } from '../dist/accounts/accounts.js';
import { createAppKey } from '../dist/accounts/keys.js';
import { openPrisma } from '../dist/platform/store/connections/pool.js';
import { readOptions } from './lib/options.mjs';
import { checkSpeed } from './lib/report.mjs';
import { startServer } from './lib/server.mjs';
import { startStore } from './lib/store.mjs';

const options = readOptions(
  import.meta.url,
  { accounts: '10', waiting: '100000', singles: '50', limit: '100', redis: undefined },
  { accounts: '2', waiting: '500', singles: '5' },
);
const accounts = Number(options.accounts);
const waiting = Number(options.waiting);
const singles = Number(options.singles);
/** Maximum increase of a single message's median delay because of the backlogs, in milliseconds. */
const limitMs = Number(options.limit);
const RECIPIENTS_PER_REQUEST = 10_000;
/** Milliseconds between two single messages, long enough for the messages to be sent in separate batches. */
const PAUSE_MS = 100;
const WARM_UP_MESSAGES = 10;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function createKeys(pool) {
  const prisma = openPrisma(pool);
  const keys = [];
  for (let no = 0; no < accounts; no += 1) {
    const { id: accountId } = await createAccount(prisma, { name: `Bulk ${no}` });
    await creditAccount(prisma, { accountId, amountMicros: 100_000_000_000n });
    keys.push((await createAppKey(prisma, { accountId, name: 'Benchmark', scopes: ['rest'] })).key);
  }
  await prisma.$disconnect();
  return keys;
}

/** Number of requests that timed out or lost their connection. */
let lost = 0;

/** Returns the entries of the response, or no entries if the connection was lost. */
async function send(baseUrl, key, to) {
  const response = await fetch(`${baseUrl}/v2/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ from: 'Heliograph', channel: 'sms', to, message: 'Your order is on its way.', priority: 0 }),
  }).catch(() => null);
  if (response === null) {
    lost += 1;
    return [];
  }
  const result = await response.json();
  if (response.status !== 200) throw new Error(`a send returned ${response.status}: ${JSON.stringify(result)}`);
  return result.data;
}

/** Adds messages to each account's backlog in turn, so that all backlogs are equally old. */
async function createBacklogs(baseUrl, keys) {
  for (let start = 0; start < waiting; start += RECIPIENTS_PER_REQUEST) {
    const count = Math.min(RECIPIENTS_PER_REQUEST, waiting - start);
    const to = Array.from({ length: count }, (_, no) => String(14150000000 + start + no));
    for (const key of keys) await send(baseUrl, key, to);
  }
}

/** Returns how many milliseconds after each request its message was sent, in ascending order. */
async function sendSingles(baseUrl, pool, key, count) {
  const startTimes = new Map();
  for (let no = 0; no < count; no += 1) {
    const start = Date.now();
    for (const { message_id: id } of await send(baseUrl, key, '14155550123')) startTimes.set(id, start);
    await pause(PAUSE_MS);
  }
  for (;;) {
    const { rows } = await pool.query('SELECT id, sent_at FROM messages WHERE id = ANY($1) AND sent_at IS NOT NULL', [
      [...startTimes.keys()],
    ]);
    if (rows.length === startTimes.size)
      return rows.map((row) => row.sent_at.getTime() - startTimes.get(row.id)).sort((a, b) => a - b);
    await pause(100);
  }
}

async function waitUntilSent(pool) {
  for (;;) {
    const { rows } = await pool.query('SELECT count(*)::int AS open FROM messages WHERE next_look IS NOT NULL');
    if (rows[0].open === 0) return;
    await pause(500);
  }
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const formatRow = (name, sorted) => {
  const figures = [0.5, 0.9, 1].map((share) => percentile(sorted, share)?.toFixed(0) ?? '–');
  return `| ${[name, sorted.length, ...figures].join(' | ')} |`;
};

const store = await startStore();
try {
  const url = await store.create('bench_fairness');
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const settings = (role) => ({
    DATABASE_URL: url,
    ROLE: role,
    MESSAGE_VALIDITY_SECONDS: '86400',
    ...(options.redis && { REDIS_URL: options.redis, QUEUE_PREFIX: `bench-fairness-${process.pid}` }),
  });
  try {
    const keys = await createKeys(pool);
    const apiServer = await startServer('dist/main.js', settings('api'));
    await createBacklogs(apiServer.baseUrl, keys);
    await apiServer.stop();

    const server = await startServer('dist/main.js', settings('all'));
    const start = performance.now();
    await pause(1_000);
    const behindBacklogs = await sendSingles(server.baseUrl, pool, store.apiKey, singles);
    const { rows } = await pool.query("SELECT count(*)::int AS left FROM messages WHERE status = 'queued'");
    const seconds = (performance.now() - start) / 1000;
    await waitUntilSent(pool);
    const allSeconds = (performance.now() - start) / 1000;
    await sendSingles(server.baseUrl, pool, store.apiKey, WARM_UP_MESSAGES);
    const onIdleServer = await sendSingles(server.baseUrl, pool, store.apiKey, singles);
    await server.stop();

    console.log('| single messages until sent | sent | p50 ms | p90 ms | slowest ms |\n|---|---:|---:|---:|---:|');
    console.log(formatRow('on an idle server', onIdleServer));
    console.log(formatRow(`behind ${accounts} backlogs of ${waiting}`, behindBacklogs));
    console.log(
      `\nWhen the last single message was sent, after ${seconds.toFixed(1)} s, ${rows[0].left} messages of the backlogs were still waiting. ` +
        `All were delivered after ${allSeconds.toFixed(1)} s.\n`,
    );
    const holds = rows[0].left > 0 && percentile(behindBacklogs, 0.5) - percentile(onIdleServer, 0.5) <= limitMs;
    if (lost > 0) console.log(`${lost} requests were lost or timed out`);
    checkSpeed(holds, `a single message takes at most ${limitMs} ms longer behind the backlogs, at the median`);
  } finally {
    await pool.end();
  }
} finally {
  await store.close();
}
