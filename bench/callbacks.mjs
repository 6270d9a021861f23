// npm run bench:callbacks [-- --per-second 3000 --seconds 10 --redis URL]
//
// Status webhooks of the Cloud API, posted at a steady rate to one process that does everything: are all of them
// answered with 200, and is everything that they say applied in the end? Then once more as fast as they are answered.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createChannel } from '../dist/channels/channels.js';
import { openPrisma } from '../dist/database/pool.js';
import { newId } from '../dist/ids.js';
import { startServer } from './lib/server.mjs';
import { startStore } from './lib/store.mjs';

const { values: options } = parseArgs({
  options: {
    'per-second': { type: 'string', default: '3000' },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '64' },
    redis: { type: 'string' },
  },
});
const perSecond = Number(options['per-second']);
/** After the load, what is left must be applied within this time: a backlog that grows with the load takes longer. */
const DRAIN_SECONDS = 5;
const CARRIER = 'meta';
const PHONE_NUMBER_ID = '106540352242922';
const APP_SECRET = 'the secret of the benchmark';

/** Sets a carrier up that nothing is sent by, and a channel of its. */
async function setUp(pool) {
  const settings = {
    accessToken: 'unused',
    appSecret: APP_SECRET,
    verifyToken: 'unused',
    baseUrl: 'http://127.0.0.1:9',
  };
  await pool.query(`INSERT INTO carriers (id, name, type, settings) VALUES ($1, $2, 'whatsapp-cloud', $3)`, [
    newId(),
    CARRIER,
    JSON.stringify(settings),
  ]);
  const prisma = openPrisma(pool);
  const { id: accountId } = await prisma.account.findFirstOrThrow();
  const { id: channelId } = await createChannel(prisma, {
    accountId,
    kind: 'whatsapp',
    name: 'Benchmark',
    phoneNumber: '15550783881',
    carrier: CARRIER,
    carrierSettings: { phoneNumberId: PHONE_NUMBER_ID },
    isDefault: true,
  });
  await prisma.$disconnect();
  return { accountId, channelId };
}

/** Messages as they are once Meta took them, with the rows by which statuses find them. */
async function makeSent(pool, { accountId, channelId }, count) {
  const { rows } = await pool.query(
    `WITH made AS (
       INSERT INTO messages (id, account_id, channel_id, surface, kind, sender, recipient, body, parts, priority, carrier,
                             status, attempts, price_micros, created_at, valid_until, sending_at, sent_at, next_look,
                             carrier_message_id)
       SELECT new_id(), $1, $2, 'b', 'whatsapp', '15550783881', '16505551234', 'Hello', 1, 2, $3, 'sent', 1, 10000, now(),
              now() + interval '2 days', now(), now(), now() + interval '2 days', 'wamid.' || gen_random_uuid()
       FROM generate_series(1, $4)
       RETURNING id, carrier_message_id)
     , referred AS (
       INSERT INTO carrier_references (carrier, carrier_message_id, message_id)
       SELECT $3, carrier_message_id, id FROM made)
     SELECT id, carrier_message_id AS "carrierMessageId" FROM made`,
    [accountId, channelId, CARRIER, count],
  );
  await pool.query('ANALYZE messages, carrier_references');
  return rows;
}

/**
 * `delivered` and `read` of each message, in any order, as they may come. Of every second message Meta sends our own id
 * back; the others are found by Meta's.
 */
function statusesOf(messages) {
  const statuses = messages.flatMap(({ id, carrierMessageId }, index) =>
    ['delivered', 'read'].map((status) => ({
      id: carrierMessageId,
      status,
      ...(index % 2 === 0 && { callbackData: id }),
    })),
  );
  for (let index = statuses.length - 1; index > 0; index -= 1) {
    const other = Math.floor(Math.random() * (index + 1));
    [statuses[index], statuses[other]] = [statuses[other], statuses[index]];
  }
  return statuses;
}

async function load(baseUrl, statuses, rate) {
  const script = fileURLToPath(new URL('lib/webhook-load.mjs', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(
    JSON.stringify({
      baseUrl,
      path: `/callbacks/whatsapp-cloud/${CARRIER}`,
      appSecret: APP_SECRET,
      phoneNumberId: PHONE_NUMBER_ID,
      statuses,
      perSecond: rate,
      connections: Number(options.connections),
    }),
  );
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return JSON.parse(output);
}

/** Waits until nothing is left to be applied, and counts the messages that are read. */
async function drain(pool, messages) {
  const began = performance.now();
  for (;;) {
    const { rows } = await pool.query('SELECT count(*)::int AS left FROM carrier_callbacks');
    if (rows[0].left === 0 || performance.now() - began > 60_000) break;
    await pause(10);
  }
  const seconds = (performance.now() - began) / 1000;
  const { rows } = await pool.query(
    `SELECT count(*) FILTER (WHERE status = 'read' AND delivered_at IS NOT NULL AND read_at IS NOT NULL)::int AS read,
            (SELECT count(*)::int FROM carrier_callbacks) AS left, (SELECT count(*)::int FROM early_receipts) AS early
     FROM messages WHERE id = ANY($1::uuid[])`,
    [messages.map(({ id }) => id)],
  );
  return { seconds, ...rows[0] };
}

const store = await startStore();
try {
  const url = await store.create('bench_callbacks');
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const own = await setUp(pool);
  const server = await startServer('dist/main.js', {
    DATABASE_URL: url,
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
    SEED_DEMO: 'false',
    ...(options.redis && { REDIS_URL: options.redis, QUEUE_PREFIX: 'bench-callbacks' }),
  });
  const round = async (count, rate) => {
    const messages = await makeSent(pool, own, Math.ceil(count / 2));
    const figures = await load(server.baseUrl, statusesOf(messages), rate);
    return {
      ...figures,
      messages: messages.length,
      ...(await drain(pool, messages).then((left) => ({ drained: left }))),
    };
  };
  try {
    await round(perSecond, perSecond);
    const rounds = [
      [`at ${perSecond} a second`, await round(perSecond * Number(options.seconds), perSecond)],
      ['as fast as they are answered', await round(perSecond * Number(options.seconds), null)],
    ];
    const heading = ['status webhooks', 'sent', 'answered/s', 'p50 ms', 'p99 ms', 'slowest ms', 'all applied after s'];
    console.log(`| ${heading.join(' | ')} |\n|---|---:|---:|---:|---:|---:|---:|`);
    for (const [name, { webhooks, seconds, p50, p99, slowest, drained }] of rounds) {
      const figures = [(webhooks / seconds).toFixed(0), ...[p50, p99, slowest].map((each) => each.toFixed(1))];
      console.log(`| ${[name, webhooks, ...figures, drained.seconds.toFixed(2)].join(' | ')} |`);
    }
    console.log('');
    for (const [name, { webhooks, failed, messages, offeredSeconds, drained }] of rounds) {
      const whole = failed === 0 && drained.read === messages && drained.left === 0 && drained.early === 0;
      const lost = `${webhooks - failed} of ${webhooks} answered with 200, ${drained.read} of ${messages} messages read`;
      console.log(`${whole ? 'holds:' : 'FAILS:'} ${name}: ${lost}`);
      if (!whole) process.exitCode = 1;
      if (!name.startsWith('at ')) continue;
      const kept = webhooks / offeredSeconds >= perSecond * 0.99 && drained.seconds <= DRAIN_SECONDS;
      const rate = `${(webhooks / offeredSeconds).toFixed(0)} a second, all applied ${drained.seconds.toFixed(2)} s later`;
      console.log(`${kept ? 'holds:' : 'FAILS:'} ${name}: ${rate} (at most ${DRAIN_SECONDS} s)`);
      if (!kept) process.exitCode = 1;
    }
  } finally {
    await server.stop();
    await pool.end();
  }
} finally {
  await store.close();
}
