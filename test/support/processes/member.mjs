// A process as `Members` starts it, which does no work. How it behaves, it reads from the file that MEMBER_BEHAVIOUR names:
// `refuses` ends it before it is ready, `helloMs` and `readyMs` are how long it takes until it says so.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const { refuses = false, helloMs = 0, readyMs = 0 } = JSON.parse(readFileSync(process.env.MEMBER_BEHAVIOUR, 'utf8'));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
await pause(helloMs);
process.on('message', async ({ type }) => {
  if (type === 'end') process.exit(0);
  if (type !== 'open') return;
  if (refuses) process.exit(1);
  await pause(readyMs);
  process.send({ type: 'ready', baseUrl: null });
});
process.send({ type: 'hello' });
setInterval(() => process.send({ type: 'beat' }), 1_000);
