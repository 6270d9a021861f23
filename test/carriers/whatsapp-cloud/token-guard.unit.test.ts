import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { HEALTHY } from '../../../src/carriers/carrier.js';
import { TOKEN_REFUSED_HEALTH, TokenGuard } from '../../../src/carriers/whatsapp-cloud/send/token-guard.js';
import { waitFor } from '../../support/wait-for.js';

it('the token guard keeps testing a token that is refused again during recovery', async () => {
  const storedStatuses: string[] = [];
  let healthy = 0;
  const guard: TokenGuard = new TokenGuard({
    log: pino({ level: 'silent' }),
    isTokenAccepted: async () => true,
    testIntervalMs: 5,
    storeHealth: async (_, status) => {
      storedStatuses.push(status);
      // Simulates waiting messages, which are sent as soon as the channel is healthy, and are refused again.
      if (status === HEALTHY) healthy += 1;
      if (status === HEALTHY && healthy === 1) guard.recordRefusal('channel', '1');
    },
  });
  onTestFinished(() => guard.close());
  guard.recordRefusal('channel', '1');
  await waitFor('the token to be accepted', () => !guard.isRefused && healthy === 2);
  expect(storedStatuses).toEqual([TOKEN_REFUSED_HEALTH, HEALTHY, TOKEN_REFUSED_HEALTH, HEALTHY]);
  guard.recordRefusal('channel', '1');
  await waitFor('the token to be accepted again', () => !guard.isRefused);
});
