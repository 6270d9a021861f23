import type pg from 'pg';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { OutboundMessage, Submission } from '../../../src/carriers/carrier.js';
import { CarrierError } from '../../../src/carriers/carrier-error.js';
import { vendorCode } from '../../../src/carriers/failure-codes.js';
import { Sender, type SenderOptions } from '../../../src/messages/send/sender.js';
import type { StatusEvent } from '../../../src/messages/status/events.js';
import { noFaults } from '../../../src/platform/faults.js';

const NOW = new Date('2026-11-24T12:00:00Z');
const MINUTE_MS = 60_000;
const PARTS = [1, 2].map((part) => ({ part, carrierMessageId: `part-${part}` }));

const CLAIMED = {
  ...{ id: 'a', accountId: 'account', kind: 'sms', carrier: 'one', sender: 'Shop', recipient: '15005550100' },
  ...{ body: 'Hello', content: null, attempt: 1, requestId: null, traceparent: null, code: null },
  ...{ optedOut: false, cancelReason: null, validUntil: new Date(NOW.getTime() + 60 * MINUTE_MS) },
  details: { channelId: 'channel', channelSettings: null, pause: null, acceptedParts: null },
};

async function runSend(
  submit: (message: OutboundMessage, carrier: string) => Submission,
  { claimed = {}, route = ['one'], down = [] }: { claimed?: object; route?: string[]; down?: string[] } = {},
): Promise<{ event: StatusEvent; asked: string[] }> {
  const events: StatusEvent[] = [];
  const usedCarriers: string[] = [];
  const createCarrier = (name: string) => ({
    ...{ name, needsReferences: true },
    state: () => ({ up: !down.includes(name) }),
    submit: async (message: OutboundMessage) => {
      usedCarriers.push(name);
      return submit(message, name);
    },
  });
  const activity = {
    recordSubmission: () => undefined,
    recordAcceptance: () => undefined,
    recordFailure: () => undefined,
  };
  const options = {
    pool: {
      query: async ({ name }: { name: string }) => ({
        rows: name === 'send-claim' ? [{ ...CLAIMED, ...claimed }] : [],
      }),
    },
    log: pino({ enabled: false }),
    clock: { now: () => NOW },
    faults: noFaults,
    carriers: { get: createCarrier, find: createCarrier, activity },
    routing: { findCarriers: () => route },
    quietAccounts: { isEmpty: true },
    writer: { write: async (event: StatusEvent) => void events.push(event) },
    traces: null,
    random: () => 0.5,
  };
  const sender = new Sender({ ...options, pool: options.pool as unknown as pg.Pool } as unknown as SenderOptions);
  await sender.send(['a'], 'urgent', new AbortController().signal);
  return { event: events[0] as StatusEvent, asked: usedCarriers };
}

const createRefusal = (error: CarrierError) => () => {
  throw error;
};
const busyError = CarrierError.refused(vendorCode('BUSY'), 'Not now.', { retryable: true });

it('an accepted message is sent, with its carrier ID or those of its parts', async () => {
  const result = await runSend(() => ({ carrierMessageId: 'x' }));
  expect(result.event).toMatchObject({ type: 'sent', carrier: 'one', carrierMessageId: 'x', needsReference: true });
  expect(result.event).not.toHaveProperty('replacesCarrier');
  const parts = await runSend(() => ({ carrierMessageId: 'part-1', parts: PARTS }));
  expect(parts.event).toMatchObject({ type: 'sent', needsReference: false, parts: PARTS });
});

it('a message accepted by another carrier than assigned replaces the carrier', async () => {
  const { event } = await runSend(() => ({ carrierMessageId: 'x' }), { route: ['two'] });
  expect(event).toMatchObject({ type: 'sent', carrier: 'two', replacesCarrier: true });
});

it('a message refused for good has failed and may be refunded', async () => {
  const { event, asked } = await runSend(createRefusal(CarrierError.refused(vendorCode('NO'), 'Never.')), {
    route: ['one', 'two'],
  });
  expect(event).toMatchObject({ type: 'end', status: 'failed', errorCode: 'NO', maybeAccepted: false });
  expect(asked).toEqual(['one']);
});

it.each([
  ['was lost', busyError.with({ answerLost: true })],
  ['says that a part was accepted', busyError.with({ acceptedParts: PARTS.slice(0, 1) })],
])('a message whose response %s counts as maybe accepted and goes to no other carrier', async (_case, error) => {
  const { event, asked } = await runSend(createRefusal(error), { route: ['one', 'two'] });
  expect(event).toMatchObject({ type: 'retry', maybeAccepted: true });
  expect(asked).toEqual(['one']);
});

it('a message refused for now by all carriers of its route waits for the shortest pause; carriers that are up are tried first', async () => {
  const pauses: Record<string, number> = { one: 5 * MINUTE_MS, two: 2 * MINUTE_MS, three: 3 * MINUTE_MS };
  const { event, asked } = await runSend(
    (_message, name) => createRefusal(busyError.with({ pauseMs: pauses[name] as number }))() as never,
    { route: ['one', 'two', 'three'], down: ['one'] },
  );
  expect(asked).toEqual(['two', 'three', 'one']);
  expect(event).toMatchObject({ type: 'retry', delayMs: 2 * MINUTE_MS, maybeAccepted: false });
});

it('the reported error is that of a carrier that responded, not of one that was down', async () => {
  const { event } = await runSend(
    (_message, name) =>
      createRefusal(name === 'one' ? CarrierError.unavailable(vendorCode('DOWN'), 'Away.') : busyError)() as never,
    { route: ['one', 'two'] },
  );
  expect(event).toMatchObject({ type: 'retry', errorCode: 'BUSY' });
});

it('the remaining parts go to the carrier that accepted the first ones', async () => {
  const acceptedParts = [{ ...PARTS[0], carrier: 'three' }];
  const partlyAccepted = { attempt: 2, details: { ...CLAIMED.details, acceptedParts } };
  const { asked } = await runSend(() => ({ carrierMessageId: 'x' }), {
    claimed: partlyAccepted,
    route: ['one', 'two'],
  });
  expect(asked).toEqual(['three']);
});

it.each([
  [1, 1_000],
  [3, 4_000],
  [500, 300_000],
])('attempt %i is followed by the next one after %i ms', async (attempt, delayMs) => {
  expect((await runSend(createRefusal(busyError), { claimed: { attempt } })).event).toMatchObject({
    type: 'retry',
    delayMs,
  });
});

it('a retry never waits longer than the validity', async () => {
  const error = busyError.with({ pauseMs: 24 * 60 * MINUTE_MS });
  expect((await runSend(createRefusal(error))).event).toMatchObject({ type: 'retry', delayMs: 60 * MINUTE_MS });
});

it('a message that never left because its worker stopped is retried at once and goes to no other carrier', async () => {
  const { event, asked } = await runSend(createRefusal(CarrierError.notSubmitted()), { route: ['one', 'two'] });
  expect(event).toMatchObject({ type: 'retry', delayMs: 0, maybeAccepted: false, errorCode: 'NOT_SUBMITTED' });
  expect(asked).toEqual(['one']);
});

it.each([
  ['an hour', 120, 60],
  ['the end of its validity', 20, 20],
])('a message of a paused channel is set aside until %s', async (_until, validMinutes, minutes) => {
  const validUntil = new Date(NOW.getTime() + validMinutes * MINUTE_MS);
  const { event } = await runSend(createRefusal(busyError.with({ channelPaused: true })), { claimed: { validUntil } });
  expect(event).toMatchObject({ type: 'retry', pausedChannelId: 'channel', delayMs: minutes * MINUTE_MS });
});

it('a message that partly left before its validity ended is expired and not refunded', async () => {
  const { event } = await runSend(
    ({ departure }) => {
      // The test's clock stands still, so the message expires by a change of its `validUntil`.
      (departure as unknown as { message: { validUntil: Date } }).message.validUntil.setTime(NOW.getTime());
      try {
        void departure?.check();
      } catch (error) {
        throw (error as CarrierError).with({ acceptedParts: PARTS.slice(0, 1) });
      }
      return { carrierMessageId: 'x' };
    },
    { claimed: { validUntil: new Date(NOW.getTime() + 1) } },
  );
  expect(event).toMatchObject({ type: 'end', status: 'expired', errorCode: 'EXPIRED', maybeAccepted: true });
  expect(event).toMatchObject({ acceptedParts: { carrier: 'one', parts: PARTS.slice(0, 1) } });
});
