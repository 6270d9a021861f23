// npm run bench:campaign [-- --members 100000 --senders 4 --redis URL]
//
// How long it takes to send a single template message of Surface B, with and without a running campaign on the same channel, and
// how fast the campaign is meanwhile. One process has all roles, as with `npm start`.
import { openPrisma } from '../dist/platform/store/connections/pool.js';
import { makeCrowd } from './lib/load/crowd.mjs';
import { readOptions, SHORT } from './lib/options.mjs';
import { speed, verdict } from './lib/report.mjs';
import { withServer } from './lib/with-server.mjs';

const options = readOptions(
  import.meta.url,
  { members: '100000', senders: '4', seconds: '5', redis: undefined },
  { members: '2000', senders: '2', seconds: '1' },
);
const members = Number(options.members);
/** A single template message is sent within a second at the 99th percentile. */
const LIMIT_MS = 1_000;
const WARM_UP_SECONDS = SHORT ? 0.5 : 2;

/** Creates a channel with a key, a template without parameters, and a group of contacts. */
async function fill(pool) {
  const prisma = openPrisma(pool);
  const { id: accountId } = await prisma.account.findFirstOrThrow();
  const crowd = await makeCrowd(
    { pool, prisma },
    {
      ...{ accountId, name: 'Benchmark', phoneNumber: '15005550100', members, firstNumber: 491510000000 },
      ...{ language: 'en_US', text: 'Everything in our shop is cheaper this week.' },
    },
  );
  await pool.query('ANALYZE');
  await prisma.$disconnect();
  return crowd;
}

/** Returns the data of the response, or null if the connection was lost. */
async function post(url, headers, body) {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => null);
  if (response === null) return null;
  const answer = await response.json();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer.data;
}

/** Single messages that timed out or whose connection was lost. */
let lost = 0;

/** Sends single messages from several senders while `goesOn()`. Returns the milliseconds of each, sorted. */
async function sendSingles(baseUrl, headers, goesOn) {
  const latencies = [];
  const template = { templateName: 'promotion', language: 'en_US' };
  const sender = async (number) => {
    for (let round = 0; goesOn(); round += 1) {
      const to = `49160${1_000_000 + number * 100_000 + round}`;
      const started = performance.now();
      const sent = await post(`${baseUrl}/api/v1/messages/template`, headers, { to, ...template });
      if (sent === null) {
        lost += 1;
        continue;
      }
      const { status } = sent;
      if (status !== 'sent') throw new Error(`a message was ${status}`);
      latencies.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: Number(options.senders) }, (_, number) => sender(number)));
  return latencies.sort((a, b) => a - b);
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const row = (name, sorted) => {
  const figures = [0.5, 0.99, 1].map((share) => percentile(sorted, share)?.toFixed(0) ?? '–');
  return `| ${[name, sorted.length, ...figures].join(' | ')} |`;
};

const setUp = { name: 'campaign', redis: options.redis, prepare: fill };
await withServer(setUp, async ({ baseUrl, pool, prepared: { groupId, headers } }) => {
  const forSeconds = (seconds) => {
    const until = performance.now() + seconds * 1000;
    return sendSingles(baseUrl, headers, () => performance.now() < until);
  };
  await forSeconds(WARM_UP_SECONDS);
  const alone = await forSeconds(Number(options.seconds));

  const campaign = { name: 'Benchmark', templateName: 'promotion', language: 'en_US', groupId };
  const { id } = await post(`${baseUrl}/api/v1/campaigns`, headers, campaign);
  const status = async () => (await pool.query('SELECT status FROM campaigns WHERE id = $1', [id])).rows[0].status;
  // A small campaign may be completed before the first query.
  while (!['running', 'completed'].includes(await status())) await new Promise((resolve) => setTimeout(resolve, 10));
  const started = performance.now();
  let running = true;
  const watching = (async () => {
    while ((await status()) === 'running') await new Promise((resolve) => setTimeout(resolve, 50));
    running = false;
  })();
  const beside = await sendSingles(baseUrl, headers, () => running);
  await watching;
  const seconds = (performance.now() - started) / 1000;
  const { rows } = await pool.query(
    'SELECT count(*)::int AS messages, count(DISTINCT contact_id)::int AS members FROM messages WHERE campaign_id = $1',
    [id],
  );
  const [made] = rows;

  console.log('| single template messages | sent | p50 ms | p99 ms | slowest ms |\n|---|---:|---:|---:|---:|');
  console.log(row('alone', alone));
  console.log(row(`beside a campaign of ${members}`, beside));
  console.log(
    `\nThe campaign was ${await status()} after ${seconds.toFixed(1)} s (${(members / seconds).toFixed(0)} messages/s): ` +
      `${made.messages} messages to ${made.members} members.\n`,
  );
  const once = made.messages === members && made.members === members;
  verdict(once, 'the campaign made one message for each member');
  if (lost > 0) verdict(true, `${lost} single messages were lost or timed out`);
  speed(percentile(beside, 0.99) < LIMIT_MS, `a single message is sent within ${LIMIT_MS} ms at the 99th percentile`);
});
