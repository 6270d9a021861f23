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
  const callHook = (remoteAddress: string, authorization: string) =>
    app.inject({
      method: 'POST',
      url: `/hooks/sign-in/${service.id}`,
      remoteAddress,
      headers: { 'content-type': 'application/json', authorization },
      payload: { phoneNumber: '+15005550111', textMessage: 'Two Factor Code: 736230', type: 'SMS' },
    });
  const wrongCalls = Promise.all(Array.from({ length: 60 }, () => callHook('192.0.2.66', 'Bearer wrong')));
  const [validResponse, ...wrongResponses] = [await callHook('192.0.2.1', `Bearer ${secret}`), ...(await wrongCalls)];
  expect([validResponse.statusCode, validResponse.json()]).toEqual([200, {}]);
  const statuses = wrongResponses.map(({ statusCode }) => statusCode);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
});

it('requests to unknown hooks count like wrong secrets, whatever their IDs are', async () => {
  const callUnknownHook = () =>
    heliograph.app.inject({
      method: 'POST',
      url: `/hooks/sign-in/${newId()}`,
      remoteAddress: '192.0.2.77',
      headers: { 'content-type': 'application/json' },
      payload: {},
    });
  const responses = await Promise.all(Array.from({ length: 60 }, callUnknownHook));
  expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([404, 429]));
});
