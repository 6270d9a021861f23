import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SettingValues } from '../../../src/carriers/settings.js';
import { setDeadline } from '../../../src/platform/deadline.js';
import { withResolvers } from '../../../src/platform/with-resolvers.js';
import { createTestDeparture, WITHHELD } from '../../support/carriers/departures.js';
import { VendorStub } from '../../support/carriers/vendor/vendor-stub.js';
import { waitFor } from '../../support/wait-for.js';
import { httpCarrier, never, outbound, rememberingSinks } from './setup.js';

const stub = new VendorStub();
beforeAll(() => stub.start());
afterAll(() => stub.stop());
beforeEach(() => {
  stub.requests.length = 0;
  stub.respond = () => ({ status: 200, body: { id: 'x-1' } });
});

const open = (settings: SettingValues = {}) =>
  httpCarrier({ url: `${stub.url}/send`, idPath: 'id', timeoutMs: 20_000, ...settings });

describe('a message whose response was lost', () => {
  it.each(['cut', { status: 502, body: 'Bad Gateway' }] as const)(
    'is sent a second time but not a third: %j',
    async (answer) => {
      stub.respond = () => answer;
      const queried: string[] = [];
      const carrier = open();
      const { sinks } = rememberingSinks({
        isMaybeAccepted: async (id) => {
          queried.push(id);
          return true;
        },
      });
      await carrier.start(sinks);
      const first = outbound();
      await expect(carrier.submit(first, never)).rejects.toMatchObject({ answerLost: true, retryable: true });
      expect(queried).toEqual([]);
      // This is the second attempt after a lost response. An attempt that was only throttled does not count.
      await expect(carrier.submit({ ...first, attempt: 2 }, never)).rejects.toMatchObject({
        answerLost: true,
        retryable: false,
      });
      expect(queried).toEqual([first.id]);
      const throttledBefore = open();
      await throttledBefore.start(rememberingSinks().sinks);
      await expect(throttledBefore.submit(outbound({ attempt: 2 }), never)).rejects.toMatchObject({ retryable: true });
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
  ])('%j without a code is judged by its status', async (answer, error) => {
    stub.respond = () => answer;
    await expect(open().submit(outbound(), never)).rejects.toMatchObject(error);
    expect(stub.requests).toHaveLength(1);
  });

  it('that asks for a pause pauses the carrier for that time', async () => {
    stub.respond = () => ({ status: 429, headers: { 'retry-after': '30' } });
    const carrier = open();
    await expect(carrier.submit(outbound(), never)).rejects.toMatchObject({ retryable: true, notTried: false });
    expect(carrier.state()).toMatchObject({ up: false, reason: '127.0.0.1 is currently limiting our requests.' });
    const refusal = await carrier.submit(outbound(), never).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'THROTTLED', notTried: true });
    expect(refusal.pauseMs).toBeGreaterThan(29_000);
    expect(stub.requests).toHaveLength(1);
  });

  it.each([
    ['creditCodes', 'CREDIT_GONE', /no credit left/],
    ['credentialCodes', 'CREDENTIALS_REFUSED', /rejects the credentials/],
  ])('with a code in %s pauses the carrier and keeps the message queued', async (setting, code, reason) => {
    stub.respond = () => ({ status: 400, body: { code: 4711 } });
    const carrier = open({ codePath: 'code', [setting]: '99, 47*' });
    await expect(carrier.submit(outbound(), never)).rejects.toMatchObject({ code: '4711', retryable: true });
    expect(carrier.state()).toMatchObject({ up: false, reason: expect.stringMatching(reason) });
    await expect(carrier.submit(outbound(), never)).rejects.toMatchObject({ code, notTried: true });
  });

  it('may contain the ID in a pattern, and need not contain an ID', async () => {
    stub.respond = () => ({ status: 200, body: 'OK: ab-12' });
    const byPattern = httpCarrier({ url: `${stub.url}/send`, idPattern: '^OK: (\\S+)', success: 'text ~ /^ok/i' });
    expect(await byPattern.submit(outbound(), never)).toEqual({ carrierMessageId: 'ab-12' });
    const message = outbound();
    expect(await open().submit(message, never)).toEqual({ carrierMessageId: `none-${message.id}` });
  });
});

describe('concurrent requests', () => {
  it('are limited by the setting `parallel`', async () => {
    let most = 0;
    const waiting: (() => void)[] = [];
    stub.respond = async () => {
      // Each request waits for two others, so that three are pending at once.
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        most = Math.max(most, waiting.length);
        if (waiting.length >= 3) for (const go of waiting.splice(0)) go();
      });
      return { status: 200, body: { id: 'x' } };
    };
    const carrier = open({ parallel: 3 });
    expect(carrier.window()).toEqual({ size: 3, inUse: 0 });
    await Promise.all(Array.from({ length: 30 }, () => carrier.submit(outbound(), never)));
    expect(most).toBe(3);
    expect(carrier.window()).toEqual({ size: 3, inUse: 0 });
  });

  function closedGate(): () => void {
    const { promise, resolve } = withResolvers();
    stub.respond = async () => {
      await promise;
      return { status: 200, body: { id: 'x' } };
    };
    return resolve;
  }

  it('are not sent past their deadline, even before the signal fires', async () => {
    const openGate = closedGate();
    const carrier = open({ parallel: 1 });
    const first = carrier.submit(outbound(), never);
    const { signal } = new AbortController();
    const second = carrier.submit(outbound(), signal);
    setDeadline(signal, performance.now());
    openGate();
    await expect(second).rejects.toMatchObject({ code: 'NOT_SUBMITTED', notTried: true });
    await first;
    expect(stub.requests).toHaveLength(1);
  });

  it('are not sent once aborted, and free their slot', async () => {
    const openGate = closedGate();
    const carrier = open({ parallel: 1 });
    const first = carrier.submit(outbound(), never);
    const stop = new AbortController();
    const second = carrier.submit(outbound(), stop.signal);
    stop.abort();
    await expect(second).rejects.toMatchObject({ code: 'NOT_SUBMITTED', notTried: true });
    openGate();
    await first;
    await expect(carrier.submit(outbound(), never)).resolves.toBeDefined();
    expect(stub.requests).toHaveLength(2);
  });
});

describe('a message that must not leave any more', () => {
  async function withheldAfter(carrier: ReturnType<typeof open>, reads: boolean, goOn: () => unknown) {
    const departure = createTestDeparture({ reads });
    const refused = carrier.submit(outbound({ departure }), never).catch((error: unknown) => error);
    await new Promise((resolve) => setImmediate(resolve));
    departure.withhold();
    await goOn();
    expect(await refused).toMatchObject(WITHHELD);
  }

  describe.each([
    ['at once', false],
    ['after a read', true],
  ])('(decided %s)', (_when, reads) => {
    it('is stopped after waiting for a slot', async () => {
      const { promise, resolve } = withResolvers();
      stub.respond = async () => {
        await promise;
        return { status: 200, body: { id: 'x' } };
      };
      const carrier = open({ parallel: 1 });
      const first = carrier.submit(outbound(), never);
      await withheldAfter(carrier, reads, async () => {
        resolve();
        await first;
      });
      expect(stub.requests).toHaveLength(1);
      expect(carrier.window().inUse).toBe(0);
    });

    it('is stopped after waiting for the rate limit', async () => {
      const carrier = open({ ratePerSecond: 2 });
      await carrier.submit(outbound(), never);
      await withheldAfter(carrier, reads, () => undefined);
      expect(stub.requests).toHaveLength(1);
    });

    it('is stopped after waiting for a token', async () => {
      const { promise, resolve } = withResolvers();
      stub.respond = async ({ path }) => {
        if (path !== '/token') return { status: 200, body: { id: 'x' } };
        await promise;
        return { status: 200, body: { access_token: 'abc', expires_in: 3600 } };
      };
      const carrier = open({
        authentication: 'oauth',
        tokenUrl: `${stub.url}/token`,
        username: 'one',
        secret: 'a secret of its own',
      });
      await withheldAfter(carrier, reads, async () => {
        await waitFor('the token to be asked for', () => stub.requests.length === 1);
        resolve();
      });
      expect(stub.requests.map(({ path }) => path)).toEqual(['/token']);
    });
  });

  it('is stopped when it gets a connection: nothing is sent, and no call is logged', async () => {
    const departure = createTestDeparture();
    const { check } = departure;
    // As if the rules changed while connecting.
    departure.check = () => {
      const checked = check();
      departure.withhold();
      return checked;
    };
    const loggedCalls: unknown[] = [];
    const carrier = httpCarrier(
      { url: `${stub.url}/send`, idPath: 'id' },
      { calls: { record: (call) => loggedCalls.push(call) } },
    );
    await expect(carrier.submit(outbound({ departure }), never)).rejects.toMatchObject(WITHHELD);
    await carrier.submit(outbound(), never);
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
    const submitted = open().submit(outbound({ departure }), signal);
    await expect(submitted).rejects.toMatchObject({ code: 'NOT_SUBMITTED', notTried: true });
    expect(stub.requests).toHaveLength(0);
  });
});

describe('a vendor without callbacks', () => {
  const read = { receiptId: 'id', receiptStatus: 'state', receiptStates: { done: 'delivered', way: 'none' } };

  it('is polled for single receipts, each once per interval', async () => {
    stub.respond = ({ path }) => ({ status: 200, body: { id: path.split('/').at(-1), state: 'done' } });
    const carrier = open({ ...read, pollReceiptUrl: `${stub.url}/status/{carrier_id}`, pollSeconds: 60 });
    const { sinks, reports } = rememberingSinks();
    await carrier.start(sinks);
    const messages = Array.from({ length: 20 }, (_, each) => ({
      carrierMessageId: `m/${each}`,
      to: '1',
      kind: 'sms' as const,
    }));
    carrier.requestReceipts?.(messages);
    carrier.requestReceipts?.(messages);
    await waitFor('their receipts', async () => reports.receipts.length === 20);
    await carrier.close(AbortSignal.timeout(1_000));
    expect(stub.requests).toHaveLength(20);
    expect(stub.requests[0]?.path).toBe('/status/m%2F0');
    expect(open(read).requestReceipts).toBeUndefined();
  });

  it('is polled for all receipts and messages at each interval', async () => {
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
    const carrier = open({
      ...read,
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
    const { sinks, reports } = rememberingSinks();
    await carrier.start(sinks);
    await waitFor('two looks', async () => reports.receipts.length >= 2 && reports.inbound.length >= 2);
    await carrier.close(AbortSignal.timeout(1_000));
    expect(reports.receipts[0]).toMatchObject({ carrierMessageId: 'a', status: 'delivered' });
    expect(reports.inbound[0]).toMatchObject({ carrierMessageId: 'i1', from: '40722000001', to: '12345', body: 'Hi' });
  });
});
