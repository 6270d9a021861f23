import { describe, expect, it } from 'vitest';
import { createAppKey, revokeApp } from '../../../src/accounts/keys.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { createTestAccount } from '../../support/accounts.js';
import { createTestChannel } from '../../support/channels.js';
import { expectEffectWithin } from '../../support/expect-effect-within.js';
import { forSuite } from '../../support/for-suite.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { expectErrorV1, expectErrorV2, get, SMS } from './requests.js';

const heliograph = suiteApp();
const account = forSuite(() => createTestAccount(heliograph.deps));

const ROUTES = [
  ['POST', '/v1.0/sms/send', expectErrorV1],
  ['GET', '/v1.0/sms/status/0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55', expectErrorV1],
  ['GET', '/v1.0/account/balance', expectErrorV1],
  ['POST', '/v1.0/account/balance', expectErrorV1],
  ['POST', '/v2/send', expectErrorV2],
  ['GET', '/v2/account/balance', expectErrorV2],
  ['GET', '/v2/sms/status/0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55', expectErrorV2],
] as const;

describe.each(ROUTES)('Authentication of %s %s', (method, url, expectError) => {
  const request = (headers: Record<string, string>) => heliograph.app.inject({ method, url, headers });

  it('accepts Authorization: Bearer <API_KEY> with the scheme in upper or lower case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const response = await request({ authorization: `${scheme} ${account.apiKey}` });
      expect([200, 400, 404]).toContain(response.statusCode);
    }
  });

  it.each([
    ['missing', {}],
    ['empty', { authorization: '' }],
    ['sent with another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['missing after the scheme', { authorization: 'Bearer ' }],
    ['unknown', { authorization: `Bearer hg_live_${'A'.repeat(43)}` }],
    ['sent in another header', { 'x-api-key': 'hg_live_x' }],
    ['too long', { authorization: `Bearer ${'A'.repeat(5000)}` }],
  ])('returns 401 with WWW-Authenticate: Bearer when the key is %s', async (_, headers) => {
    const response = await request(headers as Record<string, string>);
    expectError(response, 401);
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  it('reports whether the header is missing or malformed, but reveals nothing about the key', async () => {
    const getErrorMessage = async (headers: Record<string, string>) => (await request(headers)).json().message;
    const { headers: surfaceBHeaders } = await createTestChannel(heliograph.deps);
    expect(await getErrorMessage({})).toMatch(/^The header Authorization is missing/);
    expect(await getErrorMessage({ authorization: account.apiKey })).toMatch(/^The header Authorization is malformed/);
    for (const key of ['wrong', `hg_live_${'A'.repeat(43)}`, surfaceBHeaders['x-api-key']]) {
      expect(await getErrorMessage({ authorization: `Bearer ${key}` })).toBe('The API key is invalid.');
    }
  });

  it('returns 401 for a truncated or extended key', async () => {
    for (const key of [account.apiKey.slice(0, -1), `${account.apiKey}x`, account.apiKey.toUpperCase()]) {
      expectError(await request({ authorization: `Bearer ${key}` }), 401);
    }
  });

  it('returns 403 for a key without the scope rest', async () => {
    const { deps } = heliograph;
    const { key, id } = await createAppKey(deps.prisma, { accountId: account.id, name: 'No scope', scopes: ['rest'] });
    await deps.prisma.apiKey.update({ where: { id }, data: { scopes: ['other'] } });
    expectError(await request({ authorization: `Bearer ${key}` }), 403);
  });

  it('returns 401 for a key of Surface B', async () => {
    const { headers } = await createTestChannel(heliograph.deps);
    expectError(await request({ authorization: `Bearer ${headers['x-api-key']}` }), 401);
  });
});

describe('a revoked key', () => {
  it('is refused within two seconds by every process', async () => {
    const secondApp = await testApp({ sharesWith: heliograph });
    try {
      const { prisma } = heliograph.deps;
      const { key, id } = await createAppKey(prisma, { accountId: account.id, name: 'Revoked', scopes: ['rest'] });
      const caller = { ...account, headers: { authorization: `Bearer ${key}` } };
      for (const { app: server } of [heliograph, secondApp]) {
        expect((await get(server, '/v1.0/account/balance', caller)).statusCode).toBe(200);
      }
      await revokeApp(prisma, id, systemClock.now());
      await expectEffectWithin(2000, 'both to refuse the key', async () => {
        const responses = [heliograph, secondApp].map(({ app }) => get(app, '/v1.0/account/balance', caller));
        return (await Promise.all(responses)).every(({ statusCode }) => statusCode === 401);
      });
    } finally {
      await secondApp.close();
    }
  });
});

describe('the order of checks', () => {
  it('authenticates the key before it reads the body', async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await heliograph.app.inject({ method: 'POST', url: '/v2/send', headers, payload: '{' });
    expectErrorV2(response, 401);
  });

  it('returns 503 with Retry-After and no details if the key lookup fails', async () => {
    const brokenApp = await testApp({ sharesWith: heliograph });
    try {
      const failToConnect = async () => {
        throw new Error('connect ECONNREFUSED 10.0.0.1');
      };
      const { authenticator } = brokenApp.deps;
      Object.assign(authenticator, { find: failToConnect });
      const response = await brokenApp.app.inject({
        method: 'POST',
        url: '/v1.0/sms/send',
        headers: account.headers,
        payload: SMS,
      });
      expectErrorV1(response, 503, expect.not.stringContaining('10.0.0.1'));
      expect(response.headers['retry-after']).toBe('1');
    } finally {
      await brokenApp.close();
    }
  });
});
