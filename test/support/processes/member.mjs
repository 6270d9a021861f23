// A cluster member that does no work, controlled by the JSON file in MEMBER_BEHAVIOUR. `refuses` makes the member exit before
// it is ready, and `helloMs` and `readyMs` delay its messages `hello` and `ready`.
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
