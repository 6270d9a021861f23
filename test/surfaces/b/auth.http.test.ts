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

const account = (headers: object, { app }: TestApp = heliograph, remoteAddress = '127.0.0.1') =>
  app.inject({ url: '/api/v1/account', headers: { ...headers }, remoteAddress });

function expectError(response: LightMyRequestResponse, status: number, code: string) {
  expect(response.json()).toEqual({ success: false, error: { code, message: expect.any(String) } });
  expect(response.statusCode).toBe(status);
}

describe('Authentication (Surface B)', () => {
  it('accepts X-API-Key, X-API-Secret and X-Channel-Id', async () => {
    const response = await account(channel.headers);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ success: true, data: { channel: { id: channel.channelId } } });
  });

  it.each<keyof ChannelHeaders>(['x-api-key', 'x-api-secret', 'x-channel-id'])(
    'answers 401 without %s',
    async (name) => {
      const { [name]: _left, ...others } = channel.headers;
      expectError(await account(others), 401, 'UNAUTHORIZED');
      expectError(await account({ ...others, [name]: '' }), 401, 'UNAUTHORIZED');
    },
  );

  it('answers 401 alike to a wrong key, a wrong secret and those of other keys', async () => {
    const other = await createTestChannel(heliograph.deps, channel.account);
    const answers = [
      { ...channel.headers, 'x-api-key': 'wrong' },
      { ...channel.headers, 'x-api-key': 'x'.repeat(10_000) },
      { ...channel.headers, 'x-api-key': channel.account.apiKey },
      { ...channel.headers, 'x-api-secret': 'wrong' },
      { ...channel.headers, 'x-api-secret': 'x'.repeat(10_000) },
      { ...channel.headers, 'x-api-secret': other.headers['x-api-secret'] },
      { ...channel.headers, 'x-api-key': channel.headers['x-api-secret'] },
    ].map((headers) => account(headers));
    const bodies = await Promise.all(answers.map(async (answer) => (await answer).body));
    for (const answer of answers) expectError(await answer, 401, 'UNAUTHORIZED');
    expect(new Set(bodies).size).toBe(1);
  });

  it('accepts Authorization: Bearer instead of X-API-Key, still with secret and channel', async () => {
    const { 'x-api-key': key, ...others } = channel.headers;
    for (const scheme of ['Bearer', 'bearer']) {
      const authorization = `${scheme} ${key}`;
      expect((await account({ ...others, authorization })).statusCode).toBe(200);
      expect((await account({ ...channel.headers, authorization })).statusCode).toBe(200);
      expectError(await account({ authorization }), 401, 'UNAUTHORIZED');
      const { 'x-api-secret': _secret, ...withoutSecret } = others;
      expectError(await account({ ...withoutSecret, authorization }), 401, 'UNAUTHORIZED');
      const { 'x-channel-id': _channel, ...withoutChannel } = others;
      expectError(await account({ ...withoutChannel, authorization }), 401, 'UNAUTHORIZED');
      expectError(await account({ ...others, authorization, 'x-api-secret': 'wrong' }), 401, 'UNAUTHORIZED');
    }
    const basic = { authorization: 'Basic dXNlcjpwYXNz' };
    expect((await account({ ...channel.headers, ...basic })).statusCode).toBe(200);
    expectError(await account({ ...others, ...basic }), 401, 'UNAUTHORIZED');
  });

  it('answers 401 if X-API-Key and a bearer token differ', async () => {
    const second = await createTestKey(heliograph.deps, channel, ['full']);
    for (const key of [channel.account.apiKey, second.headers['x-api-key'], 'wrong', '']) {
      expectError(await account({ ...channel.headers, authorization: `Bearer ${key}` }), 401, 'UNAUTHORIZED');
    }
  });

  it('names the missing or malformed headers in a 401', async () => {
    const messageOf = async (headers: object) => (await account(headers)).json().error.message;
    const { 'x-api-key': key, 'x-api-secret': _secret, ...onlyChannel } = channel.headers;
    expect(await messageOf({})).toBe('The headers X-API-Key, X-API-Secret and X-Channel-Id are missing or empty.');
    expect(await messageOf(onlyChannel)).toBe('The headers X-API-Key and X-API-Secret are missing or empty.');
    expect(await messageOf({ ...channel.headers, 'x-api-secret': '' })).toBe(
      'The header X-API-Secret is missing or empty.',
    );
    expect(await messageOf({ ...onlyChannel, 'x-api-secret': 'x', authorization: 'Bearer a b' })).toContain(
      'malformed',
    );
    expect(await messageOf({ ...channel.headers, authorization: `Bearer ${key}x` })).toContain('different keys');
  });

  it('does not mention Bearer in the challenge of a 401', async () => {
    const { headers } = await account({});
    expect(headers['www-authenticate']).toBe('ApiKey headers="X-API-Key, X-API-Secret, X-Channel-Id"');
  });

  it('answers 403 for a channel that the key is not bound to, whether of its account, of another, unknown or malformed', async () => {
    const sibling = await createTestChannel(heliograph.deps, channel.account);
    const foreign = await createTestChannel(heliograph.deps);
    for (const id of [sibling.channelId, foreign.channelId, newId(), 'x', `${channel.channelId}0`]) {
      expectError(await account({ ...channel.headers, 'x-channel-id': id }), 403, 'FORBIDDEN');
    }
  });

  it('answers 401 before 403, so that a wrong secret reveals nothing about a channel', async () => {
    const headers = { ...channel.headers, 'x-api-secret': 'wrong', 'x-channel-id': newId() };
    expectError(await account(headers), 401, 'UNAUTHORIZED');
  });

  it('accepts a channel ID in upper case', async () => {
    const headers = { ...channel.headers, 'x-channel-id': channel.channelId.toUpperCase() };
    expect((await account(headers)).statusCode).toBe(200);
  });

  it('answers 403 to a key without the scope of the operation, and 200 with it or with full', async () => {
    const key = (...scopes: Parameters<typeof createTestKey>[2] & string[]) =>
      createTestKey(heliograph.deps, channel, scopes);
    expectError(await account((await key('messages:send', 'webhooks:read')).headers), 403, 'FORBIDDEN');
    expectError(await account((await key()).headers), 403, 'FORBIDDEN');
    expect((await account((await key('account:read')).headers)).statusCode).toBe(200);
    expect((await account((await key('full')).headers)).statusCode).toBe(200);
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

  it('answers 404 to an unknown route, with or without a key', async () => {
    for (const headers of [{}, channel.headers]) {
      const response = await heliograph.app.inject({ url: '/api/v1/nothing', headers: { ...headers } });
      expectError(response, 404, 'NOT_FOUND');
    }
  });

  it('answers 503 while a key cannot be checked, and 200 as soon as it can', async () => {
    const { headers } = await createTestKey(heliograph.deps, channel);
    const { pool } = heliograph.deps;
    await pool.query('ALTER TABLE api_key_channels RENAME TO api_key_channels_away');
    try {
      const refused = await account(headers);
      expectError(refused, 503, 'UNAVAILABLE');
      expect(refused.headers['retry-after']).toBe('1');
    } finally {
      await pool.query('ALTER TABLE api_key_channels_away RENAME TO api_key_channels');
    }
    expect((await account(headers)).statusCode).toBe(200);
  });

  it('never shows the key or the secret in an answer', async () => {
    const { body, headers } = await account({ ...channel.headers, 'x-channel-id': newId() });
    for (const secret of [channel.headers['x-api-key'], channel.headers['x-api-secret']]) {
      expect(body + JSON.stringify(headers)).not.toContain(secret);
    }
  });
});

describe('a changed key', () => {
  it('is refused within two seconds of its revocation, also by a second process', async () => {
    const second = await testApp({ sharesWith: heliograph });
    try {
      const key = await createTestKey(heliograph.deps, channel);
      const statuses = async () =>
        Promise.all([heliograph, second].map(async (each) => (await account(key.headers, each)).statusCode));
      expect(await statuses()).toEqual([200, 200]);
      await revokeChannelKey(heliograph.deps.prisma, key.keyId, systemClock.now());
      await expectEffectWithin(2000, 'both to refuse it', async () =>
        (await statuses()).every((status) => status === 401),
      );
    } finally {
      await second.close();
    }
  });

  it('gains and loses channels within two seconds', async () => {
    const sibling = await createTestChannel(heliograph.deps, channel.account);
    const headers = { ...channel.headers, 'x-channel-id': sibling.channelId };
    expect((await account(headers)).statusCode).toBe(403);
    const bound = { apiKeyId: channel.keyId, channelId: sibling.channelId };
    await heliograph.deps.prisma.apiKeyChannel.create({ data: bound });
    await expectEffectWithin(2000, 'the channel', async () => (await account(headers)).statusCode === 200);
    await heliograph.deps.prisma.apiKeyChannel.delete({ where: { apiKeyId_channelId: bound } });
    await expectEffectWithin(2000, 'the refusal', async () => (await account(headers)).statusCode === 403);
  });

  it('does not act for a channel of another account, even if bound to it in the database', async () => {
    const foreign = await createTestChannel(heliograph.deps);
    const own = await createTestChannel(heliograph.deps);
    await heliograph.deps.prisma.apiKeyChannel.create({ data: { apiKeyId: own.keyId, channelId: foreign.channelId } });
    expect((await account(own.headers)).statusCode).toBe(200);
    expectError(await account({ ...own.headers, 'x-channel-id': foreign.channelId }), 403, 'FORBIDDEN');
  });
});

describeEachBackend('Rate limits (Surface B)', (backend) => {
  const opened: TestApp[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });
  const open = async (limit: number) => {
    const made = await testApp({ backend, settings: { RATE_LIMIT_PER_SECOND: String(limit) } });
    opened.push(made);
    return made;
  };

  it('answer 429 with Retry-After above RATE_LIMIT_PER_SECOND requests of a key, while another key passes', async () => {
    const limited = await open(3);
    let one = channel;
    await withinWindow(async () => {
      one = await createTestChannel(limited.deps);
      const other = await createTestKey(limited.deps, one);
      const answers = await Promise.all(Array.from({ length: 10 }, () => account(one.headers, limited)));
      const passed = answers.filter(({ statusCode }) => statusCode === 200);
      const refused = answers.filter(({ statusCode }) => statusCode === 429);
      expect([passed.length, refused.length]).toEqual([3, 7]);
      for (const answer of refused) {
        expectError(answer, 429, 'RATE_LIMITED');
        expect(answer.headers['retry-after']).toBe('1');
      }
      expect((await account(other.headers, limited)).statusCode).toBe(200);
    });
    const where = { channelId: one.channelId, statusCode: 429 };
    const counted = () => limited.deps.prisma.apiRequest.count({ where });
    await waitFor('the refused ones to be counted', async () => (await counted()) === 7);
    await waitFor('the key to pass again', async () => (await account(one.headers, limited)).statusCode === 200);
  });

  it('answer 401 to 20 failed authentications of an address and then 429, while a valid key from there passes', async () => {
    const limited = await open(500);
    const one = await createTestChannel(limited.deps);
    let tries = 0;
    await withinWindow(async () => {
      const address = `192.0.2.${++tries}`;
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => account({ ...one.headers, 'x-api-secret': 'wrong' }, limited, address)),
      );
      const refused = answers.filter(({ statusCode }) => statusCode === 429);
      expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(20);
      expect(refused).toHaveLength(30);
      for (const answer of refused) {
        expectError(answer, 429, 'RATE_LIMITED');
        expect(answer.headers).toMatchObject({ 'retry-after': '1' });
        expect(answer.headers['www-authenticate']).toBeUndefined();
      }
      expect((await account(one.headers, limited, address)).statusCode).toBe(200);
    });
  });
});

describe('a worker process', () => {
  it('has no routes of Surface B', async () => {
    const worker = await testApp({ sharesWith: heliograph, role: 'worker' });
    try {
      expect((await account(channel.headers, worker)).statusCode).toBe(404);
    } finally {
      await worker.close();
    }
  });
});
