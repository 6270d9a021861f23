import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLogger } from '../../src/process/logger.js';
import { createTestAccount } from '../support/accounts.js';
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

it('follows a message from the id of its request to its receipt, at the level debug', async () => {
  const { headers } = await createTestAccount(heliograph.deps);
  const answer = await heliograph.app.inject({
    method: 'POST',
    url: '/v1.0/sms/send',
    headers: { ...headers, 'x-request-id': 'order-17' },
    payload: { from: 'Heliograph', to: '15005550100', message: 'An unheard text' },
  });
  expect(answer.statusCode).toBe(200);
  const all = () => lines.map((line) => JSON.parse(line) as Line);
  const { messageIds } = await waitFor('the line of the request', () =>
    all().find(({ requestId }) => requestId === 'order-17'),
  );
  expect(messageIds).toHaveLength(1);
  const of = () => all().filter(({ messageId }) => messageId === messageIds?.[0]);
  await waitFor('the line of the receipt', () => of().some(({ event }) => event === 'receipt'));
  expect(of()).toEqual([
    expect.objectContaining({ event: 'sent', attempt: 1, carrier: 'simulator', carrierMessageId: expect.any(String) }),
    expect.objectContaining({ event: 'receipt', status: 'delivered', moved: true }),
  ]);
  expect(lines.join()).not.toMatch(/unheard|15005550100|hg_live_/);
});
