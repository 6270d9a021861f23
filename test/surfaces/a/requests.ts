import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { readBalance, type TestAccount } from '../../support/accounts.js';
import type { TestApp } from '../../support/test-app.js';

/** The simulator delivers messages to this number. */
export const NUMBER = '15005550111';

export const SMS = { from: 'Heliograph', to: NUMBER, message: 'Hello' };

type Headers = Record<string, string>;

/** Calls `POST /v1.0/sms/send`, and sends a string or buffer unchanged. */
export function sendSms(app: FastifyInstance, account: TestAccount, body: unknown, headers: Headers = {}) {
  return post(app, '/v1.0/sms/send', account, body, headers);
}

/** Calls `POST /v2/send`, and sends a string or buffer unchanged. */
export function sendV2(app: FastifyInstance, account: TestAccount, body: unknown, headers: Headers = {}) {
  return post(app, '/v2/send', account, body, headers);
}

export function post(app: FastifyInstance, url: string, account: TestAccount, body: unknown, headers: Headers = {}) {
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...account.headers, ...headers },
    payload,
  });
}

export function get(app: FastifyInstance, url: string, account: TestAccount): Promise<LightMyRequestResponse> {
  return app.inject({ method: 'GET', url, headers: account.headers });
}

export async function page<T>(app: FastifyInstance, url: string, account: TestAccount) {
  const response = await get(app, url, account);
  expect(response.statusCode, response.body).toBe(200);
  return response.json() as { data: T[]; next_cursor: string | null };
}

/** Reads the message count and balance, which a refused request must not change. */
export async function readAccountState({ deps }: TestApp, account: TestAccount) {
  const [messages, ledger, balance] = await Promise.all([
    deps.prisma.message.count({ where: { accountId: account.id } }),
    deps.prisma.ledgerEntry.count({ where: { accountId: account.id } }),
    readBalance(deps, account.id),
  ]);
  return { messages, ledger, balance };
}

export function expectErrorV1(response: LightMyRequestResponse, status: number, message: unknown = expect.any(String)) {
  expect(response.json()).toEqual({ status: 'error', message, code: String(status) });
  expect(response.statusCode).toBe(status);
}

export function expectErrorV2(
  response: LightMyRequestResponse,
  status: number,
  fields?: readonly string[],
  message: unknown = expect.any(String),
) {
  const body = response.json();
  const data = { errors: expect.any(Array), ...(status === 402 && { funds: expect.any(Object) }) };
  expect(body).toEqual({ status: 'error', message, code: status, data });
  expect(response.statusCode).toBe(status);
  if (fields) expect(body.data.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
}

export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const ISO_MILLISECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
