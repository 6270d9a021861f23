import { isDeepStrictEqual } from 'node:util';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { closersForEachTest } from '../../support/for-suite.js';
import { describeOwnRedis, startRedis } from '../../support/processes/redis-server.js';
import { type TestApp, type TestAppOptions, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const closers = closersForEachTest();

async function openApp(options: TestAppOptions = {}): Promise<TestApp> {
  const newApp = await testApp(options);
  closers.push(() => newApp.close());
  return newApp;
}

const getJson = async ({ app }: TestApp, url: string) => {
  const response = await app.inject({ method: 'GET', url });
  return { status: response.statusCode, body: response.json() };
};

const READY = { status: 200, body: { status: 'ok', store: 'up', queue: 'up' } };

describe('GET /health/live and /health/ready', () => {
  it('respond without a key', async () => {
    const heliograph = await openApp();
    expect(await getJson(heliograph, '/health/live')).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await getJson(heliograph, '/health/ready')).toEqual(READY);
  });

  it('return 503 for ready and 200 for live while the store fails', async () => {
    const heliograph = await openApp();
    const { pool } = heliograph.deps;
    const query = pool.query;
    Object.assign(pool, { query: () => Promise.reject(new Error('connect ECONNREFUSED')) });
    expect(await getJson(heliograph, '/health/ready')).toEqual({
      status: 503,
      body: { status: 'unavailable', store: 'down', queue: 'up' },
    });
    expect((await getJson(heliograph, '/health/live')).status).toBe(200);
    Object.assign(pool, { query });
    // The health check returns the queue's last known state, and the last check may have timed out on a slow machine.
    await waitFor('the server to be ready', async () =>
      isDeepStrictEqual(await getJson(heliograph, '/health/ready'), READY),
    );
  });

  it('return 503 for ready if the store does not respond', async () => {
    const heliograph = await openApp();
    const { pool } = heliograph.deps;
    const { query } = pool;
    const queryThatHangs = (...args: unknown[]) =>
      args[0] === 'SELECT 1' ? new Promise(() => undefined) : Reflect.apply(query, pool, args);
    Object.assign(pool, { query: queryThatHangs });
    expect((await getJson(heliograph, '/health/ready')).status).toBe(503);
    Object.assign(pool, { query });
  });
});

describeOwnRedis('GET /health/ready without its Redis', () => {
  it('return 200 for ready and report that the queue is up', async () => {
    const redis = await startRedis();
    const heliograph = await openApp({ settings: { REDIS_URL: redis.url } });
    expect(await getJson(heliograph, '/health/ready')).toEqual(READY);
    await redis.close();
    await waitFor(
      'the queue to be down',
      async () => (await getJson(heliograph, '/health/ready')).body.queue === 'down',
    );
    expect(await getJson(heliograph, '/health/ready')).toEqual({
      status: 200,
      body: { status: 'ok', store: 'up', queue: 'down' },
    });
  });
});

describeOwnRedis('GET /health/ready while Redis hangs', () => {
  it('return 200 for ready and report that the queue is down', async () => {
    const redis = await startRedis();
    const heliograph = await openApp({ role: 'api', settings: { REDIS_URL: redis.url, SHUTDOWN_TIMEOUT_MS: '1000' } });
    const getQueueState = async () => {
      const { status, body } = await getJson(heliograph, '/health/ready');
      expect(status).toBe(200);
      return body.queue;
    };
    expect(await getQueueState()).toBe('up');
    redis.process.kill('SIGSTOP');
    try {
      await waitFor('the queue to be down', async () => (await getQueueState()) === 'down');
      expect(await getQueueState()).toBe('down');
    } finally {
      redis.process.kill('SIGCONT');
    }
    await waitFor('the queue to be up', async () => (await getQueueState()) === 'up');
    await redis.close();
  });
});

describe('a process with ROLE=worker', () => {
  it('serves only its health checks', async () => {
    const worker = await openApp({ role: 'worker' });
    expect(await getJson(worker, '/health/ready')).toEqual(READY);
    for (const url of ['/v1.0/account/balance', '/v2/send', '/openapi.json', '/reference/']) {
      expect((await getJson(worker, url)).status).toBe(404);
    }
  });
});

describe('the request log', () => {
  it('has a line per response at level debug, without keys and query strings', async () => {
    const logLines: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line: string) => void logLines.push(line) });
    const heliograph = await openApp({ log });
    const headers = { authorization: 'Bearer secret-key', 'x-request-id': 'abc' };
    await heliograph.app.inject({ method: 'GET', url: '/v1.0/account/balance?q=secret-query', headers });
    const line = await waitFor('the log line', () => logLines.find((logLine) => logLine.includes('"requestId":"abc"')));
    expect(JSON.parse(line)).toMatchObject({ method: 'GET', route: '/v1.0/account/balance', status: 401 });
    expect(logLines.join('')).not.toMatch(/secret-key|secret-query/);
  });
});
