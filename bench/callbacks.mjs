// npm run bench:callbacks [-- --per-second 3000 --seconds 10 --redis URL]
//
// Status webhooks of the Cloud API, posted at a steady rate to one process that does everything: are all of them
// answered with 200, and is everything that they say applied in the end? Then once more as fast as they are answered.
import { readOptions } from './lib/options.mjs';
import { speed, verdict } from './lib/report.mjs';
import { drain, makeSent, postStatuses, setUpWebhooks, statusesOf } from './lib/webhooks.mjs';
import { withServer } from './lib/with-server.mjs';

const options = readOptions(
  import.meta.url,
  { 'per-second': '3000', seconds: '10', connections: '64', redis: undefined },
  { 'per-second': '200', seconds: '1', connections: '8' },
);
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
  for (const [name, { webhooks, lost, refused, messages, offeredSeconds, drained }] of rounds) {
    const whole = lost + refused === 0 && drained.read === messages && drained.left === 0 && drained.early === 0;
    const answered = `${webhooks - lost - refused} of ${webhooks} answered with 200`;
    const others = `${lost} lost or timed out, ${refused} refused`;
    verdict(whole, `${name}: ${answered}, ${others}, ${drained.read} of ${messages} messages read`);
    if (!name.startsWith('at ')) continue;
    const kept = webhooks / offeredSeconds >= perSecond * 0.99 && drained.seconds <= DRAIN_SECONDS;
    const rate = `${(webhooks / offeredSeconds).toFixed(0)} a second, all applied ${drained.seconds.toFixed(2)} s later`;
    speed(kept, `${name}: ${rate} (at most ${DRAIN_SECONDS} s)`);
  }
});
