// npm run bench:campaign [-- --members 100000 --senders 4 --redis URL]
//
// Measures how long it takes to send a single template message on Surface B, with and without a running campaign on the same
// channel. Also measures how fast the campaign is sent while single messages are being sent.
import { openPrisma } from '../dist/platform/store/connections/pool.js';
import { createCampaignData } from './lib/load/crowd.mjs';
import { readOptions, SHORT } from './lib/options.mjs';
import { checkPromise, checkSpeed } from './lib/report.mjs';
import { withServer } from './lib/with-server.mjs';

const options = readOptions(
  import.meta.url,
  { members: '100000', senders: '4', seconds: '5', redis: undefined },
  { members: '2000', senders: '2', seconds: '1' },
);
const members = Number(options.members);
/** Maximum 99th percentile of the latency of single template messages, in milliseconds. */
const LIMIT_MS = 1_000;
const WARM_UP_SECONDS = SHORT ? 0.5 : 2;

/** Creates a channel with a key, a template without parameters, and a group of contacts. */
async function prepare(pool) {
  const prisma = openPrisma(pool);
  const { id: accountId } = await prisma.account.findFirstOrThrow();
  const campaignData = await createCampaignData(
    { pool, prisma },
    {
      ...{ accountId, name: 'Benchmark', phoneNumber: '15005550100', members, firstNumber: 491510000000 },
      ...{ language: 'en_US', text: 'Everything in our shop is cheaper this week.' },
    },
  );
  await pool.query('ANALYZE');
  await prisma.$disconnect();
  return campaignData;
}

async function post(url, headers, body) {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => null);
  if (response === null) return null;
  const result = await response.json();
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}: ${JSON.stringify(result)}`);
  return result.data;
}

/** Number of single messages whose request timed out or lost its connection. */
let lost = 0;

/**
 * Sends single messages from several concurrent senders while `isRunning()` is true, and returns the sorted latencies in
 * milliseconds.
 */
async function sendSingles(baseUrl, headers, isRunning) {
  const latencies = [];
  const template = { templateName: 'promotion', language: 'en_US' };
  const sendRepeatedly = async (senderNumber) => {
    for (let round = 0; isRunning(); round += 1) {
      const to = `49160${1_000_000 + senderNumber * 100_000 + round}`;
      const start = performance.now();
      const message = await post(`${baseUrl}/api/v1/messages/template`, headers, { to, ...template });
      if (message === null) {
        lost += 1;
        continue;
      }
      if (message.status !== 'sent') throw new Error(`the status of a message is ${message.status}`);
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: Number(options.senders) }, (_, number) => sendRepeatedly(number)));
  return latencies.sort((a, b) => a - b);
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const formatRow = (name, sorted) => {
  const figures = [0.5, 0.99, 1].map((share) => percentile(sorted, share)?.toFixed(0) ?? '–');
  return `| ${[name, sorted.length, ...figures].join(' | ')} |`;
};

const setUp = { name: 'campaign', redis: options.redis, prepare };
await withServer(setUp, async ({ baseUrl, pool, prepared: { groupId, headers } }) => {
  const sendSinglesFor = (seconds) => {
    const until = performance.now() + seconds * 1000;
    return sendSingles(baseUrl, headers, () => performance.now() < until);
  };
  await sendSinglesFor(WARM_UP_SECONDS);
  const alone = await sendSinglesFor(Number(options.seconds));

  const campaign = { name: 'Benchmark', templateName: 'promotion', language: 'en_US', groupId };
  const { id } = await post(`${baseUrl}/api/v1/campaigns`, headers, campaign);
  const readStatus = async () => (await pool.query('SELECT status FROM campaigns WHERE id = $1', [id])).rows[0].status;
  // The first query may already find the status `completed`, because a small campaign is sent quickly.
  while (!['running', 'completed'].includes(await readStatus()))
    await new Promise((resolve) => setTimeout(resolve, 10));
  const start = performance.now();
  let campaignRuns = true;
  const watchingCampaign = (async () => {
    while ((await readStatus()) === 'running') await new Promise((resolve) => setTimeout(resolve, 50));
    campaignRuns = false;
  })();
  const duringCampaign = await sendSingles(baseUrl, headers, () => campaignRuns);
  await watchingCampaign;
  const seconds = (performance.now() - start) / 1000;
  const { rows } = await pool.query(
    'SELECT count(*)::int AS messages, count(DISTINCT contact_id)::int AS members FROM messages WHERE campaign_id = $1',
    [id],
  );
  const [counts] = rows;

  console.log('| single template messages | sent | p50 ms | p99 ms | slowest ms |\n|---|---:|---:|---:|---:|');
  console.log(formatRow('alone', alone));
  console.log(formatRow(`during a campaign of ${members}`, duringCampaign));
  console.log(
    `\nThe campaign was ${await readStatus()} after ${seconds.toFixed(1)} s (${(members / seconds).toFixed(0)} messages/s): ` +
      `${counts.messages} messages to ${counts.members} members.\n`,
  );
  const isComplete = counts.messages === members && counts.members === members;
  checkPromise(isComplete, 'the campaign sent one message to each member');
  if (lost > 0) checkPromise(true, `${lost} single messages were lost or timed out`);
  checkSpeed(percentile(duringCampaign, 0.99) < LIMIT_MS, `99 % of single messages are sent within ${LIMIT_MS} ms`);
});
