import { describe, expect, it } from 'vitest';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { describeEachBackend } from '../../support/backends.js';
import { closersForEachTest } from '../../support/for-suite.js';
import { describeOwnRedis, startRedis } from '../../support/processes/redis-server.js';
import { type TestApp, type TestAppOptions, testApp } from '../../support/test-app.js';
import { sendByTwilio } from '../../support/twilio-calls.js';
import { waitFor } from '../../support/wait-for.js';
import { withinWindow } from '../../support/within-window.js';
import { expectErrorV1, expectErrorV2, get, SMS, sendSms, sendV2 } from '../a/requests.js';

const closers = closersForEachTest();

async function openApp(limit: number, options: TestAppOptions = {}): Promise<TestApp> {
  const settings = { RATE_LIMIT_PER_SECOND: String(limit), ...options.settings };
  const newApp = await testApp({ ...options, settings });
  closers.push(() => newApp.close());
  return newApp;
}

const getBalance = (heliograph: TestApp, account: TestAccount) => get(heliograph.app, '/v1.0/account/balance', account);
const unknownAccount: TestAccount = { id: '', apiKey: '', headers: { authorization: 'Bearer wrong' } };

it('requests without the scope of the endpoint get 429 after 20 from an address', async () => {
  const heliograph = await openApp(500);
  await withinWindow(async () => {
    const account = await createTestAccount(heliograph.deps);
    await heliograph.deps.prisma.apiKey.updateMany({ where: { accountId: account.id }, data: { scopes: [] } });
    const responses = await Promise.all(Array.from({ length: 30 }, () => getBalance(heliograph, account)));
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([403, 429]));
  });
});

describeEachBackend('the rate limit of a key', (backend) => {
  it('allows RATE_LIMIT_PER_SECOND requests of a key across both versions, then returns 429 in the format of each', async () => {
    const heliograph = await openApp(3, { backend });
    let account = unknownAccount;
    await withinWindow(async () => {
      account = await createTestAccount(heliograph.deps);
      const firstResponse = await sendSms(heliograph.app, account, SMS);
      expect(firstResponse.statusCode).toBe(200);
      expect(firstResponse.headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '2' });
      expect((await sendV2(heliograph.app, account, SMS)).statusCode).toBe(200);
      expect((await getBalance(heliograph, account)).statusCode).toBe(200);
      const fourthResponse = await sendSms(heliograph.app, account, SMS);
      expectErrorV1(fourthResponse, 429);
      expect(Number(fourthResponse.headers['retry-after'])).toBe(1);
      expect(fourthResponse.headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0' });
      expectErrorV2(await sendV2(heliograph.app, account, SMS), 429, []);
      for (const url of ['/v2/estimate', '/v2/messages/x/cancel', '/v2/messages/x']) {
        const method = url.endsWith('/x') ? ('GET' as const) : ('POST' as const);
        expectErrorV2(await heliograph.app.inject({ method, url, headers: account.headers }), 429, []);
      }
      expect(await heliograph.deps.prisma.message.count({ where: { accountId: account.id } })).toBe(2);
    });

    const otherAccount = await createTestAccount(heliograph.deps);
    expect((await getBalance(heliograph, otherAccount)).statusCode).toBe(200);
    await waitFor(
      'the key to be accepted again',
      async () => (await getBalance(heliograph, account)).statusCode === 200,
    );
  });

  it('is separate from the limit of 20 failed authentications per address', async () => {
    const heliograph = await openApp(500, { backend });
    const account = await createTestAccount(heliograph.deps);
    const responses = await Promise.all(Array.from({ length: 60 }, () => getBalance(heliograph, unknownAccount)));
    const refusals = responses.filter(({ statusCode }) => statusCode === 429);
    expect(responses.filter(({ statusCode }) => statusCode === 401)).toHaveLength(20);
    expect(refusals).toHaveLength(40);
    for (const response of refusals) {
      expectErrorV1(response, 429);
      expect(Number(response.headers['retry-after'])).toBe(1);
    }
    expect((await getBalance(heliograph, account)).statusCode).toBe(200);
  });
});

describeEachBackend('limits across surfaces', (backend) => {
  it('are counted together, for a key and for an address', async () => {
    const heliograph = await openApp(3, { backend });
    await withinWindow(async () => {
      const account = await createTestAccount(heliograph.deps);
      expect((await getBalance(heliograph, account)).statusCode).toBe(200);
      expect((await sendByTwilio(heliograph, account, '15005550100')).statusCode).toBe(201);
      expect((await getBalance(heliograph, account)).statusCode).toBe(200);
      expect((await sendByTwilio(heliograph, account, '15005550100')).statusCode).toBe(429);
      expect((await getBalance(heliograph, account)).statusCode).toBe(429);
    });
    const { headers } = unknownAccount;
    let attempt = 1;
    const urls = ['/v1.0/account/balance', '/graph/v26.0/1'];
    await withinWindow(async () => {
      const remoteAddress = `198.51.100.${attempt++}`;
      const request = (url: string) => heliograph.app.inject({ url, headers, remoteAddress });
      const responses = await Promise.all(Array.from({ length: 30 }, (_, index) => request(urls[index % 2] as string)));
      expect(responses.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10);
    });
  });
});

describe('RATE_LIMIT_PER_SECOND=0', () => {
  it('turns both limits off', async () => {
    const heliograph = await openApp(0);
    const account = await createTestAccount(heliograph.deps);
    const responses = await Promise.all(Array.from({ length: 40 }, () => getBalance(heliograph, unknownAccount)));
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([401]));
    expect((await getBalance(heliograph, account)).headers['x-ratelimit-limit']).toBeUndefined();
  });
});

describe('TRUST_PROXY', () => {
  const failAuthentications = (heliograph: TestApp, addresses: readonly string[]) =>
    Promise.all(
      addresses.map((address) =>
        heliograph.app.inject({
          method: 'GET',
          url: '/v1.0/account/balance',
          headers: { authorization: 'Bearer wrong', 'x-forwarded-for': address },
        }),
      ),
    );
  const addresses = Array.from({ length: 30 }, (_, index) => `203.0.113.${index}`);

  it('set to false ignores X-Forwarded-For', async () => {
    const responses = await failAuthentications(await openApp(500), addresses);
    expect(responses.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10);
  });

  it.each(['true', '1', 'loopback'])('set to %s takes the address from X-Forwarded-For', async (TRUST_PROXY) => {
    const responses = await failAuthentications(await openApp(500, { settings: { TRUST_PROXY } }), addresses);
    expect(responses.filter(({ statusCode }) => statusCode === 429)).toHaveLength(0);
  });

  it('set to 1 trusts only the nearest hop', async () => {
    const forgedAddresses = addresses.map((address) => `${address}, 198.51.100.1`);
    const responses = await failAuthentications(
      await openApp(500, { settings: { TRUST_PROXY: '1' } }),
      forgedAddresses,
    );
    expect(responses.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10);
  });
});

describeOwnRedis('a Redis that fails', () => {
  it('lets requests pass', async () => {
    const redis = await startRedis();
    const heliograph = await openApp(1, { settings: { REDIS_URL: redis.url } });
    let account = unknownAccount;
    await withinWindow(async () => {
      account = await createTestAccount(heliograph.deps);
      await getBalance(heliograph, account);
      expect((await getBalance(heliograph, account)).statusCode).toBe(429);
    });
    await redis.close();
    for (let count = 0; count < 5; count++) expect((await getBalance(heliograph, account)).statusCode).toBe(200);
    expect((await getBalance(heliograph, unknownAccount)).statusCode).toBe(401);
  });

  it('lets requests pass while it hangs, and limits them again once it responds', async () => {
    const redis = await startRedis();
    const heliograph = await openApp(1, { settings: { REDIS_URL: redis.url, SHUTDOWN_TIMEOUT_MS: '1000' } });
    const account = await createTestAccount(heliograph.deps);
    await getBalance(heliograph, account);
    redis.process.kill('SIGSTOP');
    try {
      expect((await getBalance(heliograph, account)).statusCode).toBe(200);
      expect((await getBalance(heliograph, unknownAccount)).statusCode).toBe(401);
      for (let count = 0; count < 50; count += 1) {
        expect((await getBalance(heliograph, account)).statusCode).toBe(200);
        expect((await getBalance(heliograph, unknownAccount)).statusCode).toBe(401);
      }
    } finally {
      redis.process.kill('SIGCONT');
    }
    await waitFor('the limit to apply again', async () => (await getBalance(heliograph, account)).statusCode === 429);
    await redis.close();
  });
});
