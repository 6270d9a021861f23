import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLogger } from '../../src/process/logger.js';
import { createTestAccount } from '../support/accounts.js';
import { ORDINARY_NUMBER, sendRequest } from '../support/sends.js';
import { type TestApp, testApp } from '../support/test-app.js';
import { waitFor } from '../support/wait-for.js';

const lines: string[] = [];
let heliograph: TestApp;

beforeAll(async () => {
  const log = createLogger({ logLevel: 'debug', logFormat: 'json' }, { write: (line) => void lines.push(line) });
  heliograph = await testApp({ log });
});
afterAll(() => heliograph?.close());

interface Line {
  msg: string;
  requestId?: string;
  messageIds?: string[];
  messageId?: string;
  event?: string;
}

const send = async (requestId: string, payload: object, extraHeaders: Record<string, string> = {}) => {
  const { headers } = await createTestAccount(heliograph.deps);
  const response = await heliograph.app.inject({
    method: 'POST',
    url: '/v1.0/sms/send',
    headers: { ...headers, ...extraHeaders, 'x-request-id': requestId },
    payload: { from: 'Heliograph', to: '15005550100', message: 'An unheard text', ...payload },
  });
  expect(response.statusCode).toBe(200);
};

it('debug logs connect a message with its request ID from the request to the receipt', async () => {
  await send('order-17', {});
  const parsedLines = () => lines.map((line) => JSON.parse(line) as Line);
  const { messageIds } = await waitFor('the line of the request', () =>
    parsedLines().find(({ requestId, msg }) => requestId === 'order-17' && msg === 'answered'),
  );
  expect(messageIds).toHaveLength(1);
  const messageLines = () => parsedLines().filter(({ messageId }) => messageId === messageIds?.[0]);
  await waitFor('the line of the receipt', () => messageLines().some(({ event }) => event === 'receipt'));
  expect(messageLines()).toEqual([
    expect.objectContaining({
      requestId: 'order-17',
      event: 'sent',
      attempt: 1,
      carrier: 'simulator',
      carrierMessageId: expect.any(String),
    }),
    expect.objectContaining({ requestId: 'order-17', event: 'receipt', status: 'delivered', moved: true }),
  ]);
  expect(lines.join()).not.toMatch(/unheard|15005550100|hg_live_/);
});

it.each<{ what: string; payload: object; headers: Record<string, string>; messages: number }>([
  { what: 'in a group commit', payload: {}, headers: {}, messages: 1 },
  { what: 'with an Idempotency-Key', payload: {}, headers: { 'idempotency-key': 'order' }, messages: 1 },
  { what: 'to 501 recipients', payload: { to: Array(501).fill('15005550100').join() }, headers: {}, messages: 501 },
])('a send $what stores the request ID with its messages', async ({ payload, headers, messages }) => {
  const requestId = `order-to-${messages}-${Object.keys(headers).length}`;
  await send(requestId, payload, headers);
  expect(await heliograph.deps.prisma.message.count({ where: { requestId } })).toBe(messages);
});

it.each([
  { what: 'in a group commit', send: {} },
  { what: 'with an Idempotency-Key', send: { key: 'order' } },
  { what: 'to 501 recipients', send: { to: Array(501).fill(ORDINARY_NUMBER) } },
])('a send $what stores the trace of its request with its messages', async ({ send }) => {
  const account = await createTestAccount(heliograph.deps);
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const request = { ...sendRequest(account, send), origin: { requestId: 'order', traceparent } };
  const { messages } = await heliograph.deps.acceptor.accept(request);
  const where = { accountId: account.id, traceparent };
  expect(await heliograph.deps.prisma.message.count({ where })).toBe(messages.length);
});
