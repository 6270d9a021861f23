// npm run bench:callbacks [-- --per-second 3000 --seconds 10 --redis URL]
//
// Posts status webhooks of the Cloud API at a steady rate to one process with all roles. Checks that the server responds to
// every webhook with 200 and applies every status. A final round posts webhooks as fast as the server responds.
import { readOptions } from './lib/options.mjs';
import { checkPromise, checkSpeed } from './lib/report.mjs';
import { createSentMessages, createStatuses, drain, postStatuses, setUpWebhooks } from './lib/webhooks.mjs';
import { withServer } from './lib/with-server.mjs';

const options = readOptions(
  import.meta.url,
  { 'per-second': '3000', seconds: '10', connections: '64', redis: undefined },
  { 'per-second': '200', seconds: '1', connections: '8' },
);
const perSecond = Number(options['per-second']);
/**
 * Maximum seconds from the end of the load until all statuses are applied. Applying the last statuses takes longer only if a
 * backlog has built up during the load.
 */
const DRAIN_SECONDS = 5;

const setUp = { name: 'callbacks', redis: options.redis, prepare: setUpWebhooks };
await withServer(setUp, async ({ baseUrl, pool, prepared: channel }) => {
  const runRound = async (count, rate) => {
    const messages = await createSentMessages(pool, channel, Math.ceil(count / 2));
    const figures = await postStatuses(baseUrl, createStatuses(messages), {
      rate,
      connections: Number(options.connections),
    });
    return {
      ...figures,
      messages: messages.length,
      drained: await drain(pool, messages),
    };
  };
  await runRound(perSecond, perSecond);
  const rounds = [
    [`at ${perSecond} a second`, await runRound(perSecond * Number(options.seconds), perSecond)],
    ['as fast as the server responds', await runRound(perSecond * Number(options.seconds), null)],
  ];
  const heading = ['status webhooks', 'sent', 'responses/s', 'p50 ms', 'p99 ms', 'slowest ms', 'all applied after s'];
  console.log(`| ${heading.join(' | ')} |\n|---|---:|---:|---:|---:|---:|---:|`);
  for (const [name, { webhooks, seconds, p50, p99, slowest, drained }] of rounds) {
    const figures = [
      (webhooks / seconds).toFixed(0),
      ...[p50, p99, slowest].map((milliseconds) => milliseconds.toFixed(1)),
    ];
    console.log(`| ${[name, webhooks, ...figures, drained.seconds.toFixed(2)].join(' | ')} |`);
  }
  console.log('');
  for (const [name, { webhooks, lost, refused, messages, offeredSeconds, drained }] of rounds) {
    const isComplete = lost + refused === 0 && drained.read === messages && drained.left === 0 && drained.early === 0;
    const successes = `${webhooks - lost - refused} of ${webhooks} got 200`;
    const failures = `${lost} lost or timed out, ${refused} refused`;
    checkPromise(
      isComplete,
      `${name}: ${successes}, ${failures}, ${drained.read} of ${messages} messages marked as read`,
    );
    if (!name.startsWith('at ')) continue;
    const isFastEnough = webhooks / offeredSeconds >= perSecond * 0.99 && drained.seconds <= DRAIN_SECONDS;
    const rate = `${(webhooks / offeredSeconds).toFixed(0)} a second, all statuses applied ${drained.seconds.toFixed(2)} s later`;
    checkSpeed(isFastEnough, `${name}: ${rate} (at most ${DRAIN_SECONDS} s)`);
  }
});
