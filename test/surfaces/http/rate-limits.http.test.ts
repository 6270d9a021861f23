import { afterEach, describe, expect, it } from 'vitest';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { describeEachBackend } from '../../support/backends.js';
import { describeOwnRedis, startRedis } from '../../support/processes/redis-server.js';
import { type TestApp, type TestAppOptions, testApp } from '../../support/test-app.js';
import { sendByTwilio } from '../../support/twilio-calls.js';
import { waitFor } from '../../support/wait-for.js';
import { withinWindow } from '../../support/within-window.js';
import { expectErrorV1, expectErrorV2, get, SMS, sendSms, sendV2 } from '../a/requests.js';

const opened: TestApp[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function open(limit: number, options: TestAppOptions = {}): Promise<TestApp> {
  const settings = { RATE_LIMIT_PER_SECOND: String(limit), ...options.settings };
  const made = await testApp({ ...options, settings });
  opened.push(made);
  return made;
}

const balance = (heliograph: TestApp, account: TestAccount) => get(heliograph.app, '/v1.0/account/balance', account);
const wrong: TestAccount = { id: '', apiKey: '', headers: { authorization: 'Bearer wrong' } };

it('requests without the scope of the endpoint are limited too: 20 of an address get 403, then 429', async () => {
  const heliograph = await open(500);
  await withinWindow(async () => {
    const account = await createTestAccount(heliograph.deps);
    await heliograph.deps.prisma.apiKey.updateMany({ where: { accountId: account.id }, data: { scopes: [] } });
    const answers = await Promise.all(Array.from({ length: 30 }, () => balance(heliograph, account)));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([403, 429]));
  });
});

describeEachBackend('the rate limit of a key', (backend) => {
  it('allows RATE_LIMIT_PER_SECOND requests of a key over both versions, then answers 429 in the shape of each', async () => {
    const heliograph = await open(3, { backend });
    let account = wrong;
    await withinWindow(async () => {
      account = await createTestAccount(heliograph.deps);
      const first = await sendSms(heliograph.app, account, SMS);
      expect(first.statusCode).toBe(200);
      expect(first.headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '2' });
      expect((await sendV2(heliograph.app, account, SMS)).statusCode).toBe(200);
      expect((await balance(heliograph, account)).statusCode).toBe(200);
      const fourth = await sendSms(heliograph.app, account, SMS);
      expectErrorV1(fourth, 429);
      expect(Number(fourth.headers['retry-after'])).toBe(1);
      expect(fourth.headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0' });
      expectErrorV2(await sendV2(heliograph.app, account, SMS), 429, []);
      for (const url of ['/v2/estimate', '/v2/messages/x/cancel', '/v2/messages/x']) {
        const method = url.endsWith('/x') ? ('GET' as const) : ('POST' as const);
        expectErrorV2(await heliograph.app.inject({ method, url, headers: account.headers }), 429, []);
      }
      expect(await heliograph.deps.prisma.message.count({ where: { accountId: account.id } })).toBe(2);
    });

    const other = await createTestAccount(heliograph.deps);
    expect((await balance(heliograph, other)).statusCode).toBe(200);
    await waitFor('the key to pass again', async () => (await balance(heliograph, account)).statusCode === 200);
  });

  it('answers 401 to 20 failed authentications of an address, then 429, while a valid key from there passes', async () => {
    const heliograph = await open(500, { backend });
    const account = await createTestAccount(heliograph.deps);
    const answers = await Promise.all(Array.from({ length: 60 }, () => balance(heliograph, wrong)));
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(20);
    expect(refused).toHaveLength(40);
    for (const answer of refused) {
      expectErrorV1(answer, 429);
      expect(Number(answer.headers['retry-after'])).toBe(1);
    }
    expect((await balance(heliograph, account)).statusCode).toBe(200);
  });
});

describeEachBackend('limits across surfaces', (backend) => {
  it('are counted together, for a key and for an address', async () => {
    const heliograph = await open(3, { backend });
    await withinWindow(async () => {
      const account = await createTestAccount(heliograph.deps);
      expect((await balance(heliograph, account)).statusCode).toBe(200);
      expect((await sendByTwilio(heliograph, account, '15005550100')).statusCode).toBe(201);
      expect((await balance(heliograph, account)).statusCode).toBe(200);
      expect((await sendByTwilio(heliograph, account, '15005550100')).statusCode).toBe(429);
      expect((await balance(heliograph, account)).statusCode).toBe(429);
    });
    const { headers } = wrong;
    let attempt = 1;
    const urls = ['/v1.0/account/balance', '/graph/v26.0/1'];
    await withinWindow(async () => {
      const remoteAddress = `198.51.100.${attempt++}`;
      const ask = (url: string) => heliograph.app.inject({ url, headers, remoteAddress });
      const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => ask(urls[index % 2] as string)));
      expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10);
    });
  });
});

describe('RATE_LIMIT_PER_SECOND=0', () => {
  it('turns both limits off', async () => {
    const heliograph = await open(0);
    const account = await createTestAccount(heliograph.deps);
    const answers = await Promise.all(Array.from({ length: 40 }, () => balance(heliograph, wrong)));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([401]));
    expect((await balance(heliograph, account)).headers['x-ratelimit-limit']).toBeUndefined();
  });
});

describe('TRUST_PROXY', () => {
  const failures = (heliograph: TestApp, addresses: readonly string[]) =>
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

  it("false: X-Forwarded-For changes nobody's address", async () => {
    const answers = await failures(await open(500), addresses);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10);
  });

  it.each(['true', '1', 'loopback'])('%s: the address comes from X-Forwarded-For', async (TRUST_PROXY) => {
    const answers = await failures(await open(500, { settings: { TRUST_PROXY } }), addresses);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(0);
  });

  it('1: only the nearest hop is trusted', async () => {
    const forged = addresses.map((address) => `${address}, 198.51.100.1`);
    const answers = await failures(await open(500, { settings: { TRUST_PROXY: '1' } }), forged);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10);
  });
});

describeOwnRedis('a Redis that fails', () => {
  it('lets requests pass', async () => {
    const redis = await startRedis();
    const heliograph = await open(1, { settings: { REDIS_URL: redis.url } });
    let account = wrong;
    await withinWindow(async () => {
      account = await createTestAccount(heliograph.deps);
      await balance(heliograph, account);
      expect((await balance(heliograph, account)).statusCode).toBe(429);
    });
    await redis.close();
    for (let count = 0; count < 5; count++) expect((await balance(heliograph, account)).statusCode).toBe(200);
    expect((await balance(heliograph, wrong)).statusCode).toBe(401);
  });

  it('lets requests pass while it hangs, and limits them again once it is back', async () => {
    const redis = await startRedis();
    const heliograph = await open(1, { settings: { REDIS_URL: redis.url, SHUTDOWN_TIMEOUT_MS: '1000' } });
    const account = await createTestAccount(heliograph.deps);
    await balance(heliograph, account);
    redis.process.kill('SIGSTOP');
    try {
      expect((await balance(heliograph, account)).statusCode).toBe(200);
      expect((await balance(heliograph, wrong)).statusCode).toBe(401);
      for (let count = 0; count < 50; count += 1) {
        expect((await balance(heliograph, account)).statusCode).toBe(200);
        expect((await balance(heliograph, wrong)).statusCode).toBe(401);
      }
    } finally {
      redis.process.kill('SIGCONT');
    }
    await waitFor('the limit to be back', async () => (await balance(heliograph, account)).statusCode === 429);
    await redis.close();
  });
});
