import { expect, it } from 'vitest';
import { createService } from '../../../src/features/verifications/services/services.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount } from '../../support/accounts.js';
import { suiteApp } from '../../support/suite.js';

const heliograph = suiteApp({ role: 'api', settings: { RATE_LIMIT_PER_SECOND: '5' } });

it('requests without the secret do not use up the limit of the login system', async () => {
  const { app, deps } = heliograph;
  const { id: accountId } = await createTestAccount(deps);
  const input = { accountId, type: 'fusionauth', appName: 'Acme', sender: 'Heliograph' } as const;
  const { service, secret } = await createService(deps.prisma, input, new Date());
  const call = (remoteAddress: string, authorization: string) =>
    app.inject({
      method: 'POST',
      url: `/hooks/sign-in/${service.id}`,
      remoteAddress,
      headers: { 'content-type': 'application/json', authorization },
      payload: { phoneNumber: '+15005550111', textMessage: 'Two Factor Code: 736230', type: 'SMS' },
    });
  const flood = Promise.all(Array.from({ length: 60 }, () => call('192.0.2.66', 'Bearer wrong')));
  const [right, ...wrong] = [await call('192.0.2.1', `Bearer ${secret}`), ...(await flood)];
  expect([right.statusCode, right.json()]).toEqual([200, {}]);
  const statuses = wrong.map(({ statusCode }) => statusCode);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
});

it('unknown hooks are counted like wrong secrets, whichever ID is tried', async () => {
  const guess = () =>
    heliograph.app.inject({
      method: 'POST',
      url: `/hooks/sign-in/${newId()}`,
      remoteAddress: '192.0.2.77',
      headers: { 'content-type': 'application/json' },
      payload: {},
    });
  const answers = await Promise.all(Array.from({ length: 60 }, guess));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([404, 429]));
});
