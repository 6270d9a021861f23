import type pg from 'pg';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { OutboundMessage, Submission } from '../../../src/carriers/carrier.js';
import { CarrierError } from '../../../src/carriers/carrier-error.js';
import { Sender, type SenderOptions } from '../../../src/messages/send/sender.js';
import type { StatusEvent } from '../../../src/messages/status/events.js';
import { noFaults } from '../../../src/platform/faults.js';

const NOW = new Date('2026-11-24T12:00:00Z');
const MINUTE_MS = 60_000;
const PARTS = [1, 2].map((part) => ({ part, carrierMessageId: `part-${part}` }));

/** A message as the store claims it: valid for an hour, of the channel `channel`. */
const CLAIMED = {
  ...{ id: 'a', accountId: 'account', kind: 'sms', carrier: 'one', sender: 'Shop', recipient: '15005550100' },
  ...{ body: 'Hello', content: null, attempt: 1, requestId: null, traceparent: null, code: null },
  ...{ optedOut: false, cancelReason: null, validUntil: new Date(NOW.getTime() + 60 * MINUTE_MS) },
  more: { channelId: 'channel', channelSettings: null, pause: null, acceptedParts: null },
};

/** What the sender writes down of a message that its carriers treat so. */
async function outcomeOf(
  submit: (message: OutboundMessage, carrier: string) => Submission,
  { claimed = {}, route = ['one'], down = [] }: { claimed?: object; route?: string[]; down?: string[] } = {},
): Promise<{ event: StatusEvent; asked: string[] }> {
  const events: StatusEvent[] = [];
  const asked: string[] = [];
  const carrierOf = (name: string) => ({
    ...{ name, needsReferences: true },
    state: () => ({ up: !down.includes(name) }),
    submit: async (message: OutboundMessage) => {
      asked.push(name);
      return submit(message, name);
    },
  });
  const activity = { began: () => undefined, took: () => undefined, failed: () => undefined };
  const options = {
    pool: {
      query: async ({ name }: { name: string }) => ({
        rows: name === 'send-claim' ? [{ ...CLAIMED, ...claimed }] : [],
      }),
    },
    log: pino({ enabled: false }),
    clock: { now: () => NOW },
    faults: noFaults,
    carriers: { get: carrierOf, find: carrierOf, activity },
    routing: { carriersFor: () => route },
    writer: { write: async (event: StatusEvent) => void events.push(event) },
    traces: null,
    random: () => 0.5,
  };
  const sender = new Sender({ ...options, pool: options.pool as unknown as pg.Pool } as unknown as SenderOptions);
  await sender.send(['a'], 'urgent', new AbortController().signal);
  return { event: events[0] as StatusEvent, asked };
}

const refuse = (error: CarrierError) => () => {
  throw error;
};
const busy = CarrierError.refused('BUSY', 'Not now.', { retryable: true });

it('a message that its carrier took is sent, by its id or by those of its parts', async () => {
  const whole = await outcomeOf(() => ({ carrierMessageId: 'x' }));
  expect(whole.event).toMatchObject({ type: 'sent', carrier: 'one', carrierMessageId: 'x', needsReference: true });
  expect(whole.event).not.toHaveProperty('rerouted');
  const parts = await outcomeOf(() => ({ carrierMessageId: 'part-1', parts: PARTS }));
  // Each part has a row of its own, by which receipts find it.
  expect(parts.event).toMatchObject({ type: 'sent', needsReference: false, parts: PARTS });
});

it('one that another carrier took than it was given to says so', async () => {
  const { event } = await outcomeOf(() => ({ carrierMessageId: 'x' }), { route: ['two'] });
  expect(event).toMatchObject({ type: 'sent', carrier: 'two', rerouted: true });
});

it('one that its carrier refused for good has failed, and may be refunded', async () => {
  const { event, asked } = await outcomeOf(refuse(CarrierError.refused('NO', 'Never.')), { route: ['one', 'two'] });
  expect(event).toMatchObject({ type: 'end', status: 'failed', errorCode: 'NO', maybeAccepted: false });
  expect(asked).toEqual(['one']);
});

it.each([
  ['was lost', busy.with({ answerLost: true })],
  ['says that a part was taken', busy.with({ acceptedParts: PARTS.slice(0, 1) })],
])('one whose answer %s may have been taken, and is offered to no other carrier', async (_what, error) => {
  const { event, asked } = await outcomeOf(refuse(error), { route: ['one', 'two'] });
  expect(event).toMatchObject({ type: 'retry', maybeAccepted: true });
  expect(asked).toEqual(['one']);
});

it('one that no carrier takes now goes to all of its route, those that are up first, and waits the shortest pause', async () => {
  const pauses: Record<string, number> = { one: 5 * MINUTE_MS, two: 2 * MINUTE_MS, three: 3 * MINUTE_MS };
  const { event, asked } = await outcomeOf(
    (_message, name) => refuse(busy.with({ pauseMs: pauses[name] as number }))() as never,
    { route: ['one', 'two', 'three'], down: ['one'] },
  );
  expect(asked).toEqual(['two', 'three', 'one']);
  expect(event).toMatchObject({ type: 'retry', delayMs: 2 * MINUTE_MS, maybeAccepted: false });
});

it('reports the error of the carrier that responded, not of those that were down', async () => {
  const { event } = await outcomeOf(
    (_message, name) => refuse(name === 'one' ? CarrierError.unavailable('DOWN', 'Away.') : busy)() as never,
    { route: ['one', 'two'] },
  );
  expect(event).toMatchObject({ type: 'retry', errorCode: 'BUSY' });
});

it('the rest of one of which a part was taken goes to the carrier that has it', async () => {
  const acceptedParts = [{ ...PARTS[0], carrier: 'three' }];
  const claimed = { attempt: 2, more: { ...CLAIMED.more, acceptedParts } };
  const { asked } = await outcomeOf(() => ({ carrierMessageId: 'x' }), { claimed, route: ['one', 'two'] });
  expect(asked).toEqual(['three']);
});

it.each([
  [1, 1_000],
  [3, 4_000],
  [500, 300_000],
])('after attempt %i the next follows in %i ms', async (attempt, delayMs) => {
  expect((await outcomeOf(refuse(busy), { claimed: { attempt } })).event).toMatchObject({ type: 'retry', delayMs });
});

it('a try never waits for longer than the validity', async () => {
  const error = busy.with({ pauseMs: 24 * 60 * MINUTE_MS });
  expect((await outcomeOf(refuse(error))).event).toMatchObject({ type: 'retry', delayMs: 60 * MINUTE_MS });
});

it('one that never left, for its worker stopped, is free at once and goes to no other carrier', async () => {
  const { event, asked } = await outcomeOf(refuse(CarrierError.notSubmitted()), { route: ['one', 'two'] });
  expect(event).toMatchObject({ type: 'retry', delayMs: 0, maybeAccepted: false, errorCode: 'NOT_SUBMITTED' });
  expect(asked).toEqual(['one']);
});

it.each([
  ['an hour', 120, 60],
  ['the end of its validity', 20, 20],
])('one of a paused channel is put aside until %s', async (_until, validMinutes, minutes) => {
  const validUntil = new Date(NOW.getTime() + validMinutes * MINUTE_MS);
  const { event } = await outcomeOf(refuse(busy.with({ channelPaused: true })), { claimed: { validUntil } });
  expect(event).toMatchObject({ type: 'retry', pausedIn: 'channel', delayMs: minutes * MINUTE_MS });
});

it('one of which a part left before its validity ended is expired, and not refunded', async () => {
  const { event } = await outcomeOf(
    ({ departure }) => {
      // The clock stands; the validity of the claim is what ends.
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
  expect(event).toMatchObject({ taken: { carrier: 'one', parts: PARTS.slice(0, 1) } });
});
