import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Receipt } from '../../../src/carriers/carrier.js';
import { VendorStub } from '../../support/carriers/vendor/vendor-stub.js';
import { waitFor } from '../../support/wait-for.js';
import { createRecordingSinks, openHttpCarrier } from './setup.js';

const stub = new VendorStub();
beforeAll(() => stub.start());
afterAll(() => stub.stop());
beforeEach(() => {
  stub.requests.length = 0;
});

const SECONDS = 60;
const openPollingCarrier = () =>
  openHttpCarrier({
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

const listMessageIds = (receipts: readonly unknown[]) =>
  (receipts as Receipt[]).map((receipt) => receipt.carrierMessageId);

it('reports that arrive after the carrier started to close are stored', async () => {
  let sendAnswer: () => void = () => undefined;
  const pollArrived = new Promise<void>((resolve) => {
    sendAnswer = resolve;
  });
  stub.respond = async () => {
    await pollArrived;
    return { status: 200, body: [{ id: 'a', state: 'done' }] };
  };
  const carrier = openPollingCarrier();
  const { sinks, reports } = createRecordingSinks();
  await carrier.start(sinks);
  await waitFor('the question', () => stub.requests.length === 1);
  const closing = carrier.close(AbortSignal.timeout(10_000));
  sendAnswer();
  await closing;
  expect(listMessageIds(reports.receipts)).toEqual(['a']);
});

it('a poll without a response ends when the closing deadline passes', async () => {
  stub.respond = () => new Promise(() => undefined);
  const carrier = openPollingCarrier();
  await carrier.start(createRecordingSinks().sinks);
  await waitFor('the question', () => stub.requests.length === 1);
  await carrier.close(AbortSignal.timeout(100));
});

it('reports that cannot be stored while the database is unavailable are stored later', async () => {
  reportOnce('a', 'b');
  let tries = 0;
  const receivedIds: string[] = [];
  const { sinks } = createRecordingSinks({
    receipts: async (batch) => {
      tries += 1;
      if (tries < 3) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      receivedIds.push(...listMessageIds(batch));
    },
  });
  const carrier = openPollingCarrier();
  await carrier.start(sinks);
  await waitFor('the receipts', () => receivedIds.length > 0);
  await carrier.close(AbortSignal.timeout(1_000));
  expect(receivedIds).toEqual(['a', 'b']);
  expect(stub.requests).toHaveLength(1);
});

it('a report that cannot be stored does not affect the others', async () => {
  reportOnce('a', 'bad', 'b');
  const receivedIds: string[] = [];
  const { sinks } = createRecordingSinks({
    receipts: async (batch) => {
      if (listMessageIds(batch).includes('bad')) throw Object.assign(new Error('invalid'), { code: '22P05' });
      receivedIds.push(...listMessageIds(batch));
    },
  });
  const carrier = openPollingCarrier();
  await carrier.start(sinks);
  await waitFor('the others', () => receivedIds.length === 2);
  await carrier.close(AbortSignal.timeout(100));
  expect(receivedIds.sort()).toEqual(['a', 'b']);
});

it('closing waits for an unavailable database only until its deadline', async () => {
  reportOnce('a');
  let tries = 0;
  const { sinks } = createRecordingSinks({
    receipts: async () => {
      tries += 1;
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    },
  });
  const carrier = openPollingCarrier();
  await carrier.start(sinks);
  await waitFor('a try', () => tries > 0);
  await carrier.close(AbortSignal.timeout(100));
});
