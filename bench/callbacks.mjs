// npm run bench:callbacks [-- --per-second 3000 --seconds 10 --redis URL]
//
// Status webhooks of the Cloud API, posted at a steady rate to one process that does everything: are all of them
// answered with 200, and is everything that they say applied in the end? Then once more as fast as they are answered.
import { parseArgs } from 'node:util';
import { verdict } from './lib/report.mjs';
import { drain, makeSent, postStatuses, setUpWebhooks, statusesOf } from './lib/webhooks.mjs';
import { withServer } from './lib/with-server.mjs';

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

const setUp = { name: 'callbacks', redis: options.redis, prepare: setUpWebhooks };
await withServer(setUp, async ({ baseUrl, pool, prepared: own }) => {
  const round = async (count, rate) => {
    const messages = await makeSent(pool, own, Math.ceil(count / 2));
    const figures = await postStatuses(baseUrl, statusesOf(messages), {
      rate,
      connections: Number(options.connections),
    });
    return {
      ...figures,
      messages: messages.length,
      ...(await drain(pool, messages).then((left) => ({ drained: left }))),
    };
  };
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
    verdict(whole, `${name}: ${lost}`);
    if (!name.startsWith('at ')) continue;
    const kept = webhooks / offeredSeconds >= perSecond * 0.99 && drained.seconds <= DRAIN_SECONDS;
    const rate = `${(webhooks / offeredSeconds).toFixed(0)} a second, all applied ${drained.seconds.toFixed(2)} s later`;
    verdict(kept, `${name}: ${rate} (at most ${DRAIN_SECONDS} s)`);
  }
});
