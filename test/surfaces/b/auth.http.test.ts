import type { LightMyRequestResponse } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { revokeChannelKey } from '../../../src/accounts/keys.js';
import { newId } from '../../../src/platform/ids.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { describeEachBackend } from '../../support/backends.js';
import { type ChannelHeaders, createTestChannel, createTestKey } from '../../support/channels.js';
import { expectEffectWithin } from '../../support/expect-effect-within.js';
import { forSuite } from '../../support/for-suite.js';
import { suiteApp } from '../../support/suite.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { withinWindow } from '../../support/within-window.js';

const heliograph = suiteApp();
const channel = forSuite(() => createTestChannel(heliograph.deps));

const getAccount = (headers: object, { app }: TestApp = heliograph, remoteAddress = '127.0.0.1') =>
  app.inject({ url: '/api/v1/account', headers: { ...headers }, remoteAddress });

function expectError(response: LightMyRequestResponse, status: number, code: string) {
  expect(response.json()).toEqual({ success: false, error: { code, message: expect.any(String) } });
  expect(response.statusCode).toBe(status);
}

describe('Authentication (Surface B)', () => {
  it('accepts X-API-Key, X-API-Secret and X-Channel-Id', async () => {
    const response = await getAccount(channel.headers);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ success: true, data: { channel: { id: channel.channelId } } });
  });

  it.each<keyof ChannelHeaders>(['x-api-key', 'x-api-secret', 'x-channel-id'])(
    'returns 401 without %s',
    async (name) => {
      const { [name]: _left, ...otherHeaders } = channel.headers;
      expectError(await getAccount(otherHeaders), 401, 'UNAUTHORIZED');
      expectError(await getAccount({ ...otherHeaders, [name]: '' }), 401, 'UNAUTHORIZED');
    },
  );

  it('returns the same 401 for a wrong key, a wrong secret and the secret of another key', async () => {
    const otherChannel = await createTestChannel(heliograph.deps, channel.account);
    const responses = [
      { ...channel.headers, 'x-api-key': 'wrong' },
      { ...channel.headers, 'x-api-key': 'x'.repeat(10_000) },
      { ...channel.headers, 'x-api-key': channel.account.apiKey },
      { ...channel.headers, 'x-api-secret': 'wrong' },
      { ...channel.headers, 'x-api-secret': 'x'.repeat(10_000) },
      { ...channel.headers, 'x-api-secret': otherChannel.headers['x-api-secret'] },
      { ...channel.headers, 'x-api-key': channel.headers['x-api-secret'] },
    ].map((headers) => getAccount(headers));
    const bodies = await Promise.all(responses.map(async (response) => (await response).body));
    for (const response of responses) expectError(await response, 401, 'UNAUTHORIZED');
    expect(new Set(bodies).size).toBe(1);
  });

  it('accepts Authorization: Bearer instead of X-API-Key, still with secret and channel', async () => {
    const { 'x-api-key': key, ...otherHeaders } = channel.headers;
    for (const scheme of ['Bearer', 'bearer']) {
      const authorization = `${scheme} ${key}`;
      expect((await getAccount({ ...otherHeaders, authorization })).statusCode).toBe(200);
      expect((await getAccount({ ...channel.headers, authorization })).statusCode).toBe(200);
      expectError(await getAccount({ authorization }), 401, 'UNAUTHORIZED');
      const { 'x-api-secret': _secret, ...withoutSecret } = otherHeaders;
      expectError(await getAccount({ ...withoutSecret, authorization }), 401, 'UNAUTHORIZED');
      const { 'x-channel-id': _channel, ...withoutChannel } = otherHeaders;
      expectError(await getAccount({ ...withoutChannel, authorization }), 401, 'UNAUTHORIZED');
      expectError(await getAccount({ ...otherHeaders, authorization, 'x-api-secret': 'wrong' }), 401, 'UNAUTHORIZED');
    }
    const basicHeaders = { authorization: 'Basic dXNlcjpwYXNz' };
    expect((await getAccount({ ...channel.headers, ...basicHeaders })).statusCode).toBe(200);
    expectError(await getAccount({ ...otherHeaders, ...basicHeaders }), 401, 'UNAUTHORIZED');
  });

  it('returns 401 if X-API-Key and a bearer token differ', async () => {
    const secondKey = await createTestKey(heliograph.deps, channel, ['full']);
    for (const key of [channel.account.apiKey, secondKey.headers['x-api-key'], 'wrong', '']) {
      expectError(await getAccount({ ...channel.headers, authorization: `Bearer ${key}` }), 401, 'UNAUTHORIZED');
    }
  });

  it('names the missing or malformed headers in a 401', async () => {
    const getErrorMessage = async (headers: object) => (await getAccount(headers)).json().error.message;
    const { 'x-api-key': key, 'x-api-secret': _secret, ...onlyChannel } = channel.headers;
    expect(await getErrorMessage({})).toBe(
      'The headers X-API-Key, X-API-Secret and X-Channel-Id are missing or empty.',
    );
    expect(await getErrorMessage(onlyChannel)).toBe('The headers X-API-Key and X-API-Secret are missing or empty.');
    expect(await getErrorMessage({ ...channel.headers, 'x-api-secret': '' })).toBe(
      'The header X-API-Secret is missing or empty.',
    );
    expect(await getErrorMessage({ ...onlyChannel, 'x-api-secret': 'x', authorization: 'Bearer a b' })).toContain(
      'malformed',
    );
    expect(await getErrorMessage({ ...channel.headers, authorization: `Bearer ${key}x` })).toContain('different keys');
  });

  it('does not mention Bearer in the challenge of a 401', async () => {
    const { headers } = await getAccount({});
    expect(headers['www-authenticate']).toBe('ApiKey headers="X-API-Key, X-API-Secret, X-Channel-Id"');
  });

  it('returns 403 for any channel the key is not bound to, even an unknown or malformed one', async () => {
    const siblingChannel = await createTestChannel(heliograph.deps, channel.account);
    const foreignChannel = await createTestChannel(heliograph.deps);
    for (const id of [siblingChannel.channelId, foreignChannel.channelId, newId(), 'x', `${channel.channelId}0`]) {
      expectError(await getAccount({ ...channel.headers, 'x-channel-id': id }), 403, 'FORBIDDEN');
    }
  });

  it('returns 401 before 403, so that a wrong secret reveals nothing about a channel', async () => {
    const headers = { ...channel.headers, 'x-api-secret': 'wrong', 'x-channel-id': newId() };
    expectError(await getAccount(headers), 401, 'UNAUTHORIZED');
  });

  it('accepts a channel ID in upper case', async () => {
    const headers = { ...channel.headers, 'x-channel-id': channel.channelId.toUpperCase() };
    expect((await getAccount(headers)).statusCode).toBe(200);
  });

  it('returns 403 for a key without the scope of the operation, and 200 with it or with full', async () => {
    const createKeyHeaders = (...scopes: Parameters<typeof createTestKey>[2] & string[]) =>
      createTestKey(heliograph.deps, channel, scopes);
    expectError(await getAccount((await createKeyHeaders('messages:send', 'webhooks:read')).headers), 403, 'FORBIDDEN');
    expectError(await getAccount((await createKeyHeaders()).headers), 403, 'FORBIDDEN');
    expect((await getAccount((await createKeyHeaders('account:read')).headers)).statusCode).toBe(200);
    expect((await getAccount((await createKeyHeaders('full')).headers)).statusCode).toBe(200);
  });

  it('happens before the body is read', async () => {
    const post = (headers: object, payload: string, type = 'application/json') =>
      heliograph.app.inject({
        method: 'POST',
        url: '/api/v1/messages/reply',
        headers: { 'content-type': type, ...headers },
        payload,
      });
    expectError(await post({}, '{broken'), 401, 'UNAUTHORIZED');
    expectError(await post({}, 'x', 'text/plain'), 401, 'UNAUTHORIZED');
    expectError(await post({}, JSON.stringify({ to: 'x'.repeat(2_000_000) })), 401, 'UNAUTHORIZED');
    const { headers } = await createTestKey(heliograph.deps, channel, ['account:read']);
    expectError(await post(headers, '{broken'), 403, 'FORBIDDEN');
    expectError(await post(channel.headers, '{broken'), 400, 'INVALID_REQUEST');
  });

  it('returns 404 for an unknown route, with or without a key', async () => {
    for (const headers of [{}, channel.headers]) {
      const response = await heliograph.app.inject({ url: '/api/v1/nothing', headers: { ...headers } });
      expectError(response, 404, 'NOT_FOUND');
    }
  });

  it('returns 503 while a key cannot be checked, and 200 as soon as it can', async () => {
    const { headers } = await createTestKey(heliograph.deps, channel);
    const { pool } = heliograph.deps;
    await pool.query('ALTER TABLE api_key_channels RENAME TO api_key_channels_away');
    try {
      const refusal = await getAccount(headers);
      expectError(refusal, 503, 'UNAVAILABLE');
      expect(refusal.headers['retry-after']).toBe('1');
    } finally {
      await pool.query('ALTER TABLE api_key_channels_away RENAME TO api_key_channels');
    }
    expect((await getAccount(headers)).statusCode).toBe(200);
  });

  it('never shows the key or the secret in a response', async () => {
    const { body, headers } = await getAccount({ ...channel.headers, 'x-channel-id': newId() });
    for (const secret of [channel.headers['x-api-key'], channel.headers['x-api-secret']]) {
      expect(body + JSON.stringify(headers)).not.toContain(secret);
    }
  });
});

describe('a changed key', () => {
  it('is refused by every process within two seconds of its revocation', async () => {
    const secondApp = await testApp({ sharesWith: heliograph });
    try {
      const key = await createTestKey(heliograph.deps, channel);
      const getStatuses = async () =>
        Promise.all([heliograph, secondApp].map(async (server) => (await getAccount(key.headers, server)).statusCode));
      expect(await getStatuses()).toEqual([200, 200]);
      await revokeChannelKey(heliograph.deps.prisma, key.keyId, systemClock.now());
      await expectEffectWithin(2000, 'both to refuse it', async () =>
        (await getStatuses()).every((status) => status === 401),
      );
    } finally {
      await secondApp.close();
    }
  });

  it('gains and loses channels within two seconds', async () => {
    const siblingChannel = await createTestChannel(heliograph.deps, channel.account);
    const headers = { ...channel.headers, 'x-channel-id': siblingChannel.channelId };
    expect((await getAccount(headers)).statusCode).toBe(403);
    const keyChannel = { apiKeyId: channel.keyId, channelId: siblingChannel.channelId };
    await heliograph.deps.prisma.apiKeyChannel.create({ data: keyChannel });
    await expectEffectWithin(2000, 'the channel', async () => (await getAccount(headers)).statusCode === 200);
    await heliograph.deps.prisma.apiKeyChannel.delete({ where: { apiKeyId_channelId: keyChannel } });
    await expectEffectWithin(2000, 'the refusal', async () => (await getAccount(headers)).statusCode === 403);
  });

  it('does not act for a channel of another account, even if bound to it in the database', async () => {
    const foreignChannel = await createTestChannel(heliograph.deps);
    const freshChannel = await createTestChannel(heliograph.deps);
    await heliograph.deps.prisma.apiKeyChannel.create({
      data: { apiKeyId: freshChannel.keyId, channelId: foreignChannel.channelId },
    });
    expect((await getAccount(freshChannel.headers)).statusCode).toBe(200);
    expectError(
      await getAccount({ ...freshChannel.headers, 'x-channel-id': foreignChannel.channelId }),
      403,
      'FORBIDDEN',
    );
  });
});

describeEachBackend('Rate limits (Surface B)', (backend) => {
  const openApps: TestApp[] = [];
  afterEach(async () => {
    for (const openApp of openApps.splice(0)) await openApp.close();
  });
  const openLimitedApp = async (limit: number) => {
    const limitedApp = await testApp({ backend, settings: { RATE_LIMIT_PER_SECOND: String(limit) } });
    openApps.push(limitedApp);
    return limitedApp;
  };

  it('return 429 with Retry-After above RATE_LIMIT_PER_SECOND requests of a key, but not for another key', async () => {
    const limitedApp = await openLimitedApp(3);
    let limitedChannel = channel;
    await withinWindow(async () => {
      limitedChannel = await createTestChannel(limitedApp.deps);
      const otherKey = await createTestKey(limitedApp.deps, limitedChannel);
      const responses = await Promise.all(
        Array.from({ length: 10 }, () => getAccount(limitedChannel.headers, limitedApp)),
      );
      const successes = responses.filter(({ statusCode }) => statusCode === 200);
      const refusals = responses.filter(({ statusCode }) => statusCode === 429);
      expect([successes.length, refusals.length]).toEqual([3, 7]);
      for (const response of refusals) {
        expectError(response, 429, 'RATE_LIMITED');
        expect(response.headers['retry-after']).toBe('1');
      }
      expect((await getAccount(otherKey.headers, limitedApp)).statusCode).toBe(200);
    });
    const where = { channelId: limitedChannel.channelId, statusCode: 429 };
    const countRefusals = () => limitedApp.deps.prisma.apiRequest.count({ where });
    await waitFor('the refused requests to be counted', async () => (await countRefusals()) === 7);
    await waitFor(
      'the key to be accepted again',
      async () => (await getAccount(limitedChannel.headers, limitedApp)).statusCode === 200,
    );
  });

  it('return 429 after 20 failed authentications from an address, but not for a valid key from there', async () => {
    const limitedApp = await openLimitedApp(500);
    const limitedChannel = await createTestChannel(limitedApp.deps);
    let attempts = 0;
    await withinWindow(async () => {
      const address = `192.0.2.${++attempts}`;
      const responses = await Promise.all(
        Array.from({ length: 50 }, () =>
          getAccount({ ...limitedChannel.headers, 'x-api-secret': 'wrong' }, limitedApp, address),
        ),
      );
      const refusals = responses.filter(({ statusCode }) => statusCode === 429);
      expect(responses.filter(({ statusCode }) => statusCode === 401)).toHaveLength(20);
      expect(refusals).toHaveLength(30);
      for (const response of refusals) {
        expectError(response, 429, 'RATE_LIMITED');
        expect(response.headers).toMatchObject({ 'retry-after': '1' });
        expect(response.headers['www-authenticate']).toBeUndefined();
      }
      expect((await getAccount(limitedChannel.headers, limitedApp, address)).statusCode).toBe(200);
    });
  });
});

describe('a worker process', () => {
  it('has no routes of Surface B', async () => {
    const worker = await testApp({ sharesWith: heliograph, role: 'worker' });
    try {
      expect((await getAccount(channel.headers, worker)).statusCode).toBe(404);
    } finally {
      await worker.close();
    }
  });
});
