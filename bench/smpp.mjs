// npm run bench:smpp [-- --per-second 1000 --seconds 10 --window 50 --webhooks 3000 --redis URL]
//
// Measures how fast SMS are sent over one SMPP bind to an SMSC in another process, which sends a receipt for each SMS. A
// process with all roles accepts SMS over HTTP at a steady rate, submits every SMS and processes the receipts. In the second
// part of the benchmark, status webhooks of the Cloud API arrive at the same time. In the third part of the benchmark, the
// process submits a backlog of SMS as fast as the SMSC accepts it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readOptions, SHORT } from './lib/options.mjs';
import { checkPromise, checkSpeed } from './lib/report.mjs';
import { routeToSmsc, startSmsc } from './lib/smsc.mjs';
import { createSentMessages, createStatuses, drain, postStatuses, setUpWebhooks } from './lib/webhooks.mjs';
import { withServer } from './lib/with-server.mjs';

const options = readOptions(
  import.meta.url,
  { 'per-second': '1000', seconds: '10', window: '50', webhooks: '3000', backlog: '20000', redis: undefined },
  { 'per-second': '100', seconds: '1', webhooks: '200', backlog: '1000' },
);
const [perSecond, seconds, window, webhooks, backlog] = ['per-second', 'seconds', 'window', 'webhooks', 'backlog'].map(
  (name) => Number(options[name]),
);
/**
 * Maximum seconds from the end of the load until all messages are delivered. Delivering the last messages takes longer only if
 * a backlog has built up during the load.
 */
const DRAIN_SECONDS = 2;
const CONNECTIONS = 32;
const WARM_UP_SECONDS = SHORT ? 1 : 3;

/** Next unused phone number; no number receives more than one message. */
let nextNumber = 40_700_000_000;
function takeNumbers(count) {
  const first = nextNumber;
  nextNumber += count;
  return first;
}

async function sendSteadily(baseUrl, apiKey, rate, duration) {
  const script = fileURLToPath(new URL('lib/load/sms-load.mjs', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const firstNumber = takeNumbers(rate * duration);
  child.stdin.end(
    JSON.stringify({ baseUrl, apiKey, perSecond: rate, seconds: duration, firstNumber, connections: CONNECTIONS }),
  );
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return JSON.parse(output);
}

/** Returns the number of requests whose outcome is unknown because the connection was lost. */
async function sendBacklog(baseUrl, apiKey, count) {
  let lost = 0;
  for (let sent = 0; sent < count; sent += 1_000) {
    const first = takeNumbers(1_000);
    const to = Array.from({ length: 1_000 }, (_, index) => String(first + index)).join(',');
    const response = await fetch(`${baseUrl}/v1.0/sms/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ from: 'Heliograph', to, message: 'A text of one part' }),
    }).catch(() => null);
    if (response === null) {
      lost += 1;
      continue;
    }
    // An unread response body would keep the connection busy and prevent the server from closing.
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`a send returned ${response.status}`);
  }
  return lost;
}

/**
 * Waits up to a minute for every SMS to be delivered, and returns the waiting time in seconds and the number of undelivered
 * messages.
 */
async function waitUntilDelivered(pool) {
  const start = performance.now();
  for (;;) {
    const { rows } = await pool.query(
      `SELECT count(*)::int AS left FROM messages WHERE kind = 'sms' AND status <> 'delivered'`,
    );
    const drainSeconds = (performance.now() - start) / 1000;
    if (rows[0].left === 0 || drainSeconds > 60) return { left: rows[0].left, drainSeconds };
    await pause(20);
  }
}

const results = [];
const recordPromise = (holds, text) => results.push(() => checkPromise(holds, text));
const recordSpeed = (holds, text) => results.push(() => checkSpeed(holds, text));

const smsc = await startSmsc();
const prepare = async (pool) => {
  await routeToSmsc(pool, { port: smsc.port, window });
  return setUpWebhooks(pool);
};
const { redis } = options;
const logLevel = process.env.BENCH_LOG ?? 'error';
try {
  await withServer({ name: 'smpp', redis, logLevel, prepare }, async ({ baseUrl, pool, apiKey, prepared: channel }) => {
    const measureSteadyLoad = async (name) => {
      const load = await sendSteadily(baseUrl, apiKey, perSecond, seconds);
      const { left, drainSeconds } = await waitUntilDelivered(pool);
      const figures = await smsc.readFigures();
      const rate = load.sent / load.offeredSeconds;
      const isComplete =
        load.lost + load.refused === 0 && left === 0 && figures.submits === load.sent && figures.twice === 0;
      recordPromise(
        isComplete && figures.refusedReceipts === 0,
        `${name}: ${load.sent} SMS, ${load.lost} lost or timed out, ${load.refused} refused; ` +
          `${figures.submits} submitted, ${figures.twice} twice, ${figures.receipts} receipts acknowledged`,
      );
      recordSpeed(
        rate >= perSecond * 0.99 && drainSeconds <= DRAIN_SECONDS,
        `${name}: ${rate.toFixed(0)} SMS a second accepted over ${load.offeredSeconds.toFixed(1)} s, ` +
          `all delivered ${drainSeconds.toFixed(2)} s after the load (at most ${DRAIN_SECONDS} s)`,
      );
    };

    await sendSteadily(baseUrl, apiKey, perSecond, WARM_UP_SECONDS);
    await waitUntilDelivered(pool);
    const { binds } = await smsc.readFigures();
    recordPromise(binds === 1, `${binds} bind, window ${window}`);

    await measureSteadyLoad('alone');

    const messages = await createSentMessages(pool, channel, (webhooks * seconds) / 2);
    const posting = postStatuses(baseUrl, createStatuses(messages), { rate: webhooks, connections: 64 });
    await measureSteadyLoad(`during ${webhooks} status webhooks a second`);
    const posted = await posting;
    const drained = await drain(pool, messages);
    const rate = posted.webhooks / posted.seconds;
    const { lost, refused } = posted;
    recordPromise(
      lost + refused === 0 && drained.read === messages.length && drained.left === 0,
      `webhooks at the same time: ${posted.webhooks - lost - refused} of ${posted.webhooks} got 200, ` +
        `${lost} lost or timed out, ${refused} refused, ${drained.read} of ${messages.length} messages marked as read`,
    );
    recordSpeed(
      rate >= webhooks * 0.95,
      `webhooks at the same time: ${(posted.webhooks / posted.offeredSeconds).toFixed(0)} posted and ${rate.toFixed(0)} acknowledged per second ` +
        `(p50 ${posted.p50.toFixed(0)} ms, p99 ${posted.p99.toFixed(0)} ms), all applied ${drained.seconds.toFixed(2)} s later`,
    );

    const lostRequests = await sendBacklog(baseUrl, apiKey, backlog);
    const { left } = await waitUntilDelivered(pool);
    const figures = await smsc.readFigures();
    const backlogSeconds = (figures.last - figures.first) / 1000;
    recordPromise(
      left === 0 && figures.submits === backlog && figures.twice === 0,
      `a backlog of ${backlog}: ${(figures.submits / backlogSeconds).toFixed(0)} submits a second ` +
        `(${figures.busiestSecond} in the busiest), ${lostRequests} requests lost or timed out, ${figures.submits} submitted, ` +
        `${figures.twice} twice, ${left} not delivered`,
    );
    for (const report of results) report();
  });
} finally {
  await smsc.stop();
}
