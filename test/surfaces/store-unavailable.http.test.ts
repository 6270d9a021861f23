import { beforeAll, describe, expect, it, vi } from 'vitest';
import { generateToken } from '../../src/accounts/operators/tokens.js';
import { addCarrier } from '../../src/carriers/setup/carriers.js';
import { isStoreUnreachable } from '../../src/platform/store/failures.js';
import { CONNECTION_ERRORS } from '../support/store/connection-errors.js';
import { suiteApp } from '../support/suite.js';

const UUID = '5f2b7a54-52f5-4a65-9c5e-0a0d6a2d9c11';
const BASIC = `Basic ${Buffer.from(`AC${'0'.repeat(32)}:secret`).toString('base64')}`;
const CHANNEL = { 'x-api-key': 'key', 'x-api-secret': 'secret', 'x-channel-id': UUID };

/** Requests that use the store, through the pool or through Prisma. */
const REQUESTS = [
  { method: 'GET', url: '/v1.0/account/balance', headers: { authorization: 'Bearer key' } },
  {
    method: 'POST',
    url: '/v2/send',
    headers: { authorization: 'Bearer key' },
    payload: { from: 'Shop', to: '14155550123', message: 'Hi' },
  },
  { method: 'GET', url: '/api/v1/account', headers: CHANNEL },
  { method: 'POST', url: '/api/v1/messages/reply', headers: CHANNEL, payload: { to: '14155550123', message: 'Hi' } },
  { method: 'POST', url: '/simulator/v1/inbound', headers: CHANNEL, payload: { from: '14155550123', text: 'Hi' } },
  { method: 'GET', url: `/2010-04-01/Accounts/AC${'0'.repeat(32)}/Messages.json`, headers: { authorization: BASIC } },
  { method: 'GET', url: '/graph/v26.0/1', headers: { authorization: 'Bearer key.secret' } },
  { method: 'POST', url: `/hooks/sign-in/${UUID}`, payload: {} },
  { method: 'GET', url: '/admin/v1/session', headers: { cookie: `heliograph=${generateToken()}` } },
  { method: 'GET', url: '/callbacks/http/kannel/receipts/path-secret-of-sixteen?message=1&status=1' },
  { method: 'GET', url: '/health/ready' },
] as const;

const heliograph = suiteApp({ role: 'api' });

beforeAll(async () => {
  const vendor = { preset: 'kannel', baseUrl: 'http://127.0.0.1:9', username: 'user', password: 'password' };
  const settings = { ...vendor, publicUrl: 'https://sms.example.com', callbackSecret: 'path-secret-of-sixteen' };
  await addCarrier(heliograph.deps.prisma, { name: 'kannel', type: 'http', settings });
  await heliograph.deps.carriers.reload();
});

describe.each(REQUESTS)('$method $url', (request) => {
  it('returns 503 for every connection error of the store', async () => {
    for (const [name, error] of CONNECTION_ERRORS) {
      const connect = vi.spyOn(heliograph.deps.pool, 'connect').mockImplementation(((done?: (error: Error) => void) => {
        if (!done) return Promise.reject(error);
        process.nextTick(done, error);
        return undefined;
      }) as never);
      try {
        const { statusCode, body } = await heliograph.app.inject(request);
        expect(connect, name).toHaveBeenCalled();
        expect([name, statusCode, body]).toEqual([name, 503, body]);
      } finally {
        connect.mockRestore();
      }
    }
  });
});

it.each(CONNECTION_ERRORS)('the error %s means that the store is unavailable', (_name, error) => {
  expect(isStoreUnreachable(error)).toBe(true);
});
