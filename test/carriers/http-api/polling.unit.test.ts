import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Receipt } from '../../../src/carriers/carrier.js';
import { VendorStub } from '../../support/carriers/vendor/vendor-stub.js';
import { waitFor } from '../../support/wait-for.js';
import { httpCarrier, rememberingSinks } from './setup.js';

const stub = new VendorStub();
beforeAll(() => stub.start());
afterAll(() => stub.stop());
beforeEach(() => {
  stub.requests.length = 0;
});

const SECONDS = 60;
const open = () =>
  httpCarrier({
    url: `${stub.url}/send`,
    idPath: 'id',
    receiptItems: '$',
    receiptId: 'id',
    receiptStatus: 'state',
    receiptStates: { done: 'delivered' },
    pollReceiptsUrl: `${stub.url}/out`,
    pollSeconds: SECONDS,
    timeoutMs: SECONDS * 1000,
  });

function reportOnce(...ids: string[]): void {
  stub.respond = () => ({ status: 200, body: ids.splice(0).map((id) => ({ id, state: 'done' })) });
}

const messageIds = (receipts: readonly unknown[]) => (receipts as Receipt[]).map((each) => each.carrierMessageId);

it('reports that arrive after closing began are stored', async () => {
  let answer: () => void = () => undefined;
  const polled = new Promise<void>((resolve) => {
    answer = resolve;
  });
  stub.respond = async () => {
    await polled;
    return { status: 200, body: [{ id: 'a', state: 'done' }] };
  };
  const carrier = open();
  const { sinks, reports } = rememberingSinks();
  await carrier.start(sinks);
  await waitFor('the question', () => stub.requests.length === 1);
  const closed = carrier.close(AbortSignal.timeout(10_000));
  answer();
  await closed;
  expect(messageIds(reports.receipts)).toEqual(['a']);
});

it('a poll without a response ends when the closing deadline passes', async () => {
  stub.respond = () => new Promise(() => undefined);
  const carrier = open();
  await carrier.start(rememberingSinks().sinks);
  await waitFor('the question', () => stub.requests.length === 1);
  await carrier.close(AbortSignal.timeout(100));
});

it('reports that cannot be stored while the database is unavailable are stored later', async () => {
  reportOnce('a', 'b');
  let tries = 0;
  const received: string[] = [];
  const { sinks } = rememberingSinks({
    receipts: async (batch) => {
      tries += 1;
      if (tries < 3) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      received.push(...messageIds(batch));
    },
  });
  const carrier = open();
  await carrier.start(sinks);
  await waitFor('the receipts', () => received.length > 0);
  await carrier.close(AbortSignal.timeout(1_000));
  expect(received).toEqual(['a', 'b']);
  expect(stub.requests).toHaveLength(1);
});

it('a report that cannot be stored does not affect the others', async () => {
  reportOnce('a', 'bad', 'b');
  const received: string[] = [];
  const { sinks } = rememberingSinks({
    receipts: async (batch) => {
      if (messageIds(batch).includes('bad')) throw Object.assign(new Error('invalid'), { code: '22P05' });
      received.push(...messageIds(batch));
    },
  });
  const carrier = open();
  await carrier.start(sinks);
  await waitFor('the others', () => received.length === 2);
  await carrier.close(AbortSignal.timeout(100));
  expect(received.sort()).toEqual(['a', 'b']);
});

it('closing waits for an unavailable database only until its deadline', async () => {
  reportOnce('a');
  let tries = 0;
  const { sinks } = rememberingSinks({
    receipts: async () => {
      tries += 1;
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    },
  });
  const carrier = open();
  await carrier.start(sinks);
  await waitFor('a try', () => tries > 0);
  await carrier.close(AbortSignal.timeout(100));
});
