import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SettingValues } from '../../../src/carriers/settings.js';
import { setDeadline } from '../../../src/platform/deadline.js';
import { withResolvers } from '../../../src/platform/with-resolvers.js';
import { createTestDeparture, WITHHELD } from '../../support/carriers/departures.js';
import { VendorStub } from '../../support/carriers/vendor/vendor-stub.js';
import { waitFor } from '../../support/wait-for.js';
import { createOutbound, createRecordingSinks, neverAborted, openHttpCarrier } from './setup.js';

const stub = new VendorStub();
beforeAll(() => stub.start());
afterAll(() => stub.stop());
beforeEach(() => {
  stub.requests.length = 0;
  stub.respond = () => ({ status: 200, body: { id: 'x-1' } });
});

const openCarrier = (settings: SettingValues = {}) =>
  openHttpCarrier({ url: `${stub.url}/send`, idPath: 'id', timeoutMs: 20_000, ...settings });

describe('a message whose response was lost', () => {
  it.each(['cut', { status: 502, body: 'Bad Gateway' }] as const)(
    'a message whose response was lost is sent a second time but not a third: %j',
    async (answer) => {
      stub.respond = () => answer;
      const queriedIds: string[] = [];
      const carrier = openCarrier();
      const { sinks } = createRecordingSinks({
        isMaybeAccepted: async (id) => {
          queriedIds.push(id);
          return true;
        },
      });
      await carrier.start(sinks);
      const message = createOutbound();
      await expect(carrier.submit(message, neverAborted)).rejects.toMatchObject({ answerLost: true, retryable: true });
      expect(queriedIds).toEqual([]);
      // On the second attempt, the carrier checks whether the first attempt may have been accepted.
      await expect(carrier.submit({ ...message, attempt: 2 }, neverAborted)).rejects.toMatchObject({
        answerLost: true,
        retryable: false,
      });
      expect(queriedIds).toEqual([message.id]);
      const throttledBefore = openCarrier();
      await throttledBefore.start(createRecordingSinks().sinks);
      await expect(throttledBefore.submit(createOutbound({ attempt: 2 }), neverAborted)).rejects.toMatchObject({
        retryable: true,
      });
    },
  );
});

describe("a vendor's response", () => {
  it.each([
    [{ status: 404 }, { code: 'HTTP_404', retryable: true, answerLost: false }],
    [
      { status: 302, headers: { location: '/elsewhere' } },
      { code: 'HTTP_302', retryable: true, answerLost: false },
    ],
    [
      { status: 503, headers: { 'retry-after': '7' } },
      { code: 'HTTP_503', pauseMs: 7_000, answerLost: false },
    ],
    [
      { status: 422, body: { error: 'no' } },
      { code: 'HTTP_422', retryable: false },
    ],
  ])('a response %j without a code is judged by its status', async (answer, error) => {
    stub.respond = () => answer;
    await expect(openCarrier().submit(createOutbound(), neverAborted)).rejects.toMatchObject(error);
    expect(stub.requests).toHaveLength(1);
  });

  it("a vendor's response that asks for a pause pauses the carrier for that time", async () => {
    stub.respond = () => ({ status: 429, headers: { 'retry-after': '30' } });
    const carrier = openCarrier();
    await expect(carrier.submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      retryable: true,
      notTried: false,
    });
    expect(carrier.state()).toMatchObject({ up: false, reason: '127.0.0.1 is currently limiting our requests.' });
    const refusal = await carrier.submit(createOutbound(), neverAborted).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'THROTTLED', notTried: true });
    expect(refusal.pauseMs).toBeGreaterThan(29_000);
    expect(stub.requests).toHaveLength(1);
  });

  it.each([
    ['creditCodes', 'CREDIT_GONE', /no credit left/],
    ['credentialCodes', 'CREDENTIALS_REFUSED', /rejects the credentials/],
  ])(
    "a vendor's response with a code in %s pauses the carrier and keeps the message queued",
    async (setting, code, reason) => {
      stub.respond = () => ({ status: 400, body: { code: 4711 } });
      const carrier = openCarrier({ codePath: 'code', [setting]: '99, 47*' });
      await expect(carrier.submit(createOutbound(), neverAborted)).rejects.toMatchObject({
        code: '4711',
        retryable: true,
      });
      expect(carrier.state()).toMatchObject({ up: false, reason: expect.stringMatching(reason) });
      await expect(carrier.submit(createOutbound(), neverAborted)).rejects.toMatchObject({ code, notTried: true });
    },
  );

  it("a vendor's response may contain the ID in a pattern, and need not contain an ID", async () => {
    stub.respond = () => ({ status: 200, body: 'OK: ab-12' });
    const byPattern = openHttpCarrier({ url: `${stub.url}/send`, idPattern: '^OK: (\\S+)', success: 'text ~ /^ok/i' });
    expect(await byPattern.submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: 'ab-12' });
    const message = createOutbound();
    expect(await openCarrier().submit(message, neverAborted)).toEqual({ carrierMessageId: `none-${message.id}` });
  });
});

describe('concurrent requests', () => {
  it('concurrent requests are limited by the setting `parallel`', async () => {
    let mostPending = 0;
    const waitingRequests: (() => void)[] = [];
    stub.respond = async () => {
      // Each request waits for two others, so that three requests are pending at the same time.
      await new Promise<void>((resolve) => {
        waitingRequests.push(resolve);
        mostPending = Math.max(mostPending, waitingRequests.length);
        if (waitingRequests.length >= 3) for (const releaseRequest of waitingRequests.splice(0)) releaseRequest();
      });
      return { status: 200, body: { id: 'x' } };
    };
    const carrier = openCarrier({ parallel: 3 });
    expect(carrier.window()).toEqual({ size: 3, inUse: 0 });
    await Promise.all(Array.from({ length: 30 }, () => carrier.submit(createOutbound(), neverAborted)));
    expect(mostPending).toBe(3);
    expect(carrier.window()).toEqual({ size: 3, inUse: 0 });
  });

  function closeGate(): () => void {
    const { promise, resolve } = withResolvers();
    stub.respond = async () => {
      await promise;
      return { status: 200, body: { id: 'x' } };
    };
    return resolve;
  }

  it('concurrent requests are not sent past their deadline, even before the signal fires', async () => {
    const openGate = closeGate();
    const carrier = openCarrier({ parallel: 1 });
    const firstSubmission = carrier.submit(createOutbound(), neverAborted);
    const { signal } = new AbortController();
    const secondSubmission = carrier.submit(createOutbound(), signal);
    setDeadline(signal, performance.now());
    openGate();
    await expect(secondSubmission).rejects.toMatchObject({ code: 'NOT_SUBMITTED', notTried: true });
    await firstSubmission;
    expect(stub.requests).toHaveLength(1);
  });

  it('concurrent requests are not sent once aborted, and free their slot', async () => {
    const openGate = closeGate();
    const carrier = openCarrier({ parallel: 1 });
    const firstSubmission = carrier.submit(createOutbound(), neverAborted);
    const controller = new AbortController();
    const secondSubmission = carrier.submit(createOutbound(), controller.signal);
    controller.abort();
    await expect(secondSubmission).rejects.toMatchObject({ code: 'NOT_SUBMITTED', notTried: true });
    openGate();
    await firstSubmission;
    await expect(carrier.submit(createOutbound(), neverAborted)).resolves.toBeDefined();
    expect(stub.requests).toHaveLength(2);
  });
});

describe('a message that must not leave any more', () => {
  async function expectWithheld(carrier: ReturnType<typeof openCarrier>, reads: boolean, releaseSlot: () => unknown) {
    const departure = createTestDeparture({ reads });
    const rejection = carrier.submit(createOutbound({ departure }), neverAborted).catch((error: unknown) => error);
    await new Promise((resolve) => setImmediate(resolve));
    departure.withhold();
    await releaseSlot();
    expect(await rejection).toMatchObject(WITHHELD);
  }

  describe.each([
    ['at once', false],
    ['after a read', true],
  ])('(decided %s)', (_when, reads) => {
    it('a withheld message is stopped after waiting for a slot', async () => {
      const { promise, resolve } = withResolvers();
      stub.respond = async () => {
        await promise;
        return { status: 200, body: { id: 'x' } };
      };
      const carrier = openCarrier({ parallel: 1 });
      const firstSubmission = carrier.submit(createOutbound(), neverAborted);
      await expectWithheld(carrier, reads, async () => {
        resolve();
        await firstSubmission;
      });
      expect(stub.requests).toHaveLength(1);
      expect(carrier.window().inUse).toBe(0);
    });

    it('a withheld message is stopped after waiting for the rate limit', async () => {
      const carrier = openCarrier({ ratePerSecond: 2 });
      await carrier.submit(createOutbound(), neverAborted);
      await expectWithheld(carrier, reads, () => undefined);
      expect(stub.requests).toHaveLength(1);
    });

    it('a withheld message is stopped after waiting for a token', async () => {
      const { promise, resolve } = withResolvers();
      stub.respond = async ({ path }) => {
        if (path !== '/token') return { status: 200, body: { id: 'x' } };
        await promise;
        return { status: 200, body: { access_token: 'abc', expires_in: 3600 } };
      };
      const carrier = openCarrier({
        authentication: 'oauth',
        tokenUrl: `${stub.url}/token`,
        username: 'one',
        secret: 'a secret of its own',
      });
      await expectWithheld(carrier, reads, async () => {
        await waitFor('the token to be asked for', () => stub.requests.length === 1);
        resolve();
      });
      expect(stub.requests.map(({ path }) => path)).toEqual(['/token']);
    });
  });

  it('a withheld message is stopped when it gets a connection: nothing is sent, and no call is logged', async () => {
    const departure = createTestDeparture();
    const { check } = departure;
    // Simulates rules that change while the carrier is connecting.
    departure.check = () => {
      const result = check();
      departure.withhold();
      return result;
    };
    const loggedCalls: unknown[] = [];
    const carrier = openHttpCarrier(
      { url: `${stub.url}/send`, idPath: 'id' },
      { calls: { record: (call) => loggedCalls.push(call) } },
    );
    await expect(carrier.submit(createOutbound({ departure }), neverAborted)).rejects.toMatchObject(WITHHELD);
    await carrier.submit(createOutbound(), neverAborted);
    expect(stub.requests).toHaveLength(1);
    expect(loggedCalls).toHaveLength(1);
  });

  it('a message whose lease ended while it waited for a connection does not leave', async () => {
    const { signal } = new AbortController();
    const departure = createTestDeparture();
    departure.require = () => undefined;
    const { check } = departure;
    departure.check = () => {
      void check();
      setImmediate(() => setDeadline(signal, performance.now()));
      return undefined;
    };
    stub.requests.length = 0;
    const submission = openCarrier().submit(createOutbound({ departure }), signal);
    await expect(submission).rejects.toMatchObject({ code: 'NOT_SUBMITTED', notTried: true });
    expect(stub.requests).toHaveLength(0);
  });
});

describe('a vendor without callbacks', () => {
  const receiptSettings = {
    receiptId: 'id',
    receiptStatus: 'state',
    receiptStates: { done: 'delivered', way: 'none' },
  };

  it('a vendor without callbacks is polled for single receipts, each once per interval', async () => {
    stub.respond = ({ path }) => ({ status: 200, body: { id: path.split('/').at(-1), state: 'done' } });
    const carrier = openCarrier({
      ...receiptSettings,
      pollReceiptUrl: `${stub.url}/status/{carrier_id}`,
      pollSeconds: 60,
    });
    const { sinks, reports } = createRecordingSinks();
    await carrier.start(sinks);
    const messages = Array.from({ length: 20 }, (_, index) => ({
      carrierMessageId: `m/${index}`,
      to: '1',
      kind: 'sms' as const,
    }));
    carrier.requestReceipts?.(messages);
    carrier.requestReceipts?.(messages);
    await waitFor('their receipts', async () => reports.receipts.length === 20);
    await carrier.close(AbortSignal.timeout(1_000));
    expect(stub.requests).toHaveLength(20);
    expect(stub.requests[0]?.path).toBe('/status/m%2F0');
    expect(openCarrier(receiptSettings).requestReceipts).toBeUndefined();
  });

  it('a vendor without callbacks is polled for all receipts and messages at each interval', async () => {
    stub.respond = ({ path }) =>
      path === '/in'
        ? { status: 200, body: { list: [{ id: 'i1', from: '+40722000001', to: '12345', text: 'Hi' }] } }
        : {
            status: 200,
            body: [
              { id: 'a', state: 'done' },
              { id: 'b', state: 'way' },
            ],
          };
    const carrier = openCarrier({
      ...receiptSettings,
      receiptItems: '$',
      pollReceiptsUrl: `${stub.url}/out`,
      pollInboundUrl: `${stub.url}/in`,
      inboundItems: 'list',
      inboundId: 'id',
      inboundFrom: 'from',
      inboundTo: 'to',
      inboundText: 'text',
      pollSeconds: 1,
    });
    const { sinks, reports } = createRecordingSinks();
    await carrier.start(sinks);
    await waitFor('two looks', async () => reports.receipts.length >= 2 && reports.inbound.length >= 2);
    await carrier.close(AbortSignal.timeout(1_000));
    expect(reports.receipts[0]).toMatchObject({ carrierMessageId: 'a', status: 'delivered' });
    expect(reports.inbound[0]).toMatchObject({ carrierMessageId: 'i1', from: '40722000001', to: '12345', body: 'Hi' });
  });
});
