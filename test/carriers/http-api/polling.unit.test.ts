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

/** A vendor that tells each report once. */
function tellOnce(...ids: string[]): void {
  stub.answer = () => ({ status: 200, body: ids.splice(0).map((id) => ({ id, state: 'done' })) });
}

const idsOf = (receipts: readonly unknown[]) => (receipts as Receipt[]).map((each) => each.carrierMessageId);

it('what a vendor answers after closing began is stored', async () => {
  let answer: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  stub.answer = async () => {
    await asked;
    return { status: 200, body: [{ id: 'a', state: 'done' }] };
  };
  const carrier = open();
  const { sinks, reports } = rememberingSinks();
  await carrier.start(sinks);
  await waitFor('the question', () => stub.requests.length === 1);
  const closed = carrier.close(AbortSignal.timeout(10_000));
  answer();
  await closed;
  expect(idsOf(reports.receipts)).toEqual(['a']);
});

it('a question that no vendor answers ends when closing has waited long enough', async () => {
  stub.answer = () => new Promise(() => undefined);
  const carrier = open();
  await carrier.start(rememberingSinks().sinks);
  await waitFor('the question', () => stub.requests.length === 1);
  await carrier.close(AbortSignal.timeout(100));
});

it('what could not be stored while the store is away is stored once it is back', async () => {
  tellOnce('a', 'b');
  let tries = 0;
  const taken: string[] = [];
  const { sinks } = rememberingSinks({
    receipts: async (batch) => {
      tries += 1;
      if (tries < 3) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      taken.push(...idsOf(batch));
    },
  });
  const carrier = open();
  await carrier.start(sinks);
  await waitFor('the receipts', () => taken.length > 0);
  await carrier.close(AbortSignal.timeout(1_000));
  expect(taken).toEqual(['a', 'b']);
  expect(stub.requests).toHaveLength(1);
});

it('one that cannot be stored costs no other', async () => {
  tellOnce('a', 'bad', 'b');
  const taken: string[] = [];
  const { sinks } = rememberingSinks({
    receipts: async (batch) => {
      if (idsOf(batch).includes('bad')) throw Object.assign(new Error('invalid'), { code: '22P05' });
      taken.push(...idsOf(batch));
    },
  });
  const carrier = open();
  await carrier.start(sinks);
  await waitFor('the others', () => taken.length === 2);
  await carrier.close(AbortSignal.timeout(100));
  expect(taken.sort()).toEqual(['a', 'b']);
});

it('closing waits for a store that is away no longer than it may', async () => {
  tellOnce('a');
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
