import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { HEALTHY } from '../../../src/carriers/carrier.js';
import { TOKEN_REFUSED_HEALTH, TokenGuard } from '../../../src/carriers/whatsapp-cloud/send/token-guard.js';
import { waitFor } from '../../support/wait-for.js';

it('tries a token again that is refused anew while it is told that it works', async () => {
  const told: string[] = [];
  let healthy = 0;
  const guard: TokenGuard = new TokenGuard({
    log: pino({ level: 'silent' }),
    works: async () => true,
    tryEveryMs: 5,
    health: async (_, status) => {
      told.push(status);
      // What waited goes out as soon as a channel is healthy, and meets the refusal again.
      if (status === HEALTHY) healthy += 1;
      if (status === HEALTHY && healthy === 1) guard.refuse('channel', '1');
    },
  });
  onTestFinished(() => guard.close());
  guard.refuse('channel', '1');
  await waitFor('the token to be taken', () => !guard.refused && healthy === 2);
  expect(told).toEqual([TOKEN_REFUSED_HEALTH, HEALTHY, TOKEN_REFUSED_HEALTH, HEALTHY]);
  // And once more later, by a try of its own.
  guard.refuse('channel', '1');
  await waitFor('it to be taken again', () => !guard.refused);
});
