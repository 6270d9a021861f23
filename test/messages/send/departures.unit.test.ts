import type pg from 'pg';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Departures } from '../../../src/messages/send/checks/departures.js';
import type { ClaimedMessage } from '../../../src/messages/send/send-store.js';
import { waitFor } from '../../support/wait-for.js';

const LONG_AGO_MS = 10_000;

function createDepartures() {
  const reads: string[][] = [];
  const optedOut = new Set<string>();
  let answer = async () => {};
  const query = async ({ values: [ids] }: { values: [string] }) => {
    const requestedIds = ids.slice(1, -1).split(',');
    reads.push(requestedIds);
    await answer();
    return {
      rows: requestedIds.filter((id) => optedOut.has(id)).map((id) => ({ id, optedOut: true, cancelReason: null })),
    };
  };
  let now = new Date('2026-11-24T12:00:00Z');
  const departures = new Departures({
    pool: { query } as unknown as pg.Pool,
    log: pino({ enabled: false }),
    clock: { now: () => now },
  });
  const message = (id: string, more: Partial<ClaimedMessage> = {}) =>
    ({
      ...{ id, carrier: 'one', optedOut: false, cancelReason: null, code: null },
      validUntil: new Date('2026-11-24T13:00:00Z'),
      ...more,
    }) as ClaimedMessage;
  const open = (id: string, agoMs = LONG_AGO_MS, more: Partial<ClaimedMessage> = {}) =>
    departures.open(message(id, more), performance.now() - agoMs);
  return {
    ...{ departures, reads, optedOut, open, message },
    answers: (by: typeof answer) => {
      answer = by;
    },
    moveTo: (time: string) => {
      now = new Date(time);
    },
  };
}

it('a message claimed a moment ago needs no query', () => {
  const { reads, open } = createDepartures();
  expect(open('a', 0).check()).toBeUndefined();
  expect(reads).toEqual([]);
});

it('an older message is read again together with those behind it, which then need no query', async () => {
  const { reads, open } = createDepartures();
  const all = ['a', 'b', 'c'].map((id) => open(id));
  open('d', LONG_AGO_MS, { carrier: 'another' });
  open('e', 0);
  await all[0]?.check();
  expect(all[1]?.check()).toBeUndefined();
  expect(reads).toEqual([['a', 'b', 'c']]);
});

it('one statement reads at most 500 messages', async () => {
  const { reads, open } = createDepartures();
  const all = Array.from({ length: 700 }, (_, index) => open(`m${index}`));
  await all[0]?.check();
  expect(reads.map(({ length }) => length)).toEqual([500]);
});

it('a message is withheld, with the reason, if its recipient has opted out', async () => {
  const { optedOut, open } = createDepartures();
  const [first, second] = [open('a'), open('b')];
  optedOut.add('b');
  await first.check();
  expect(() => second.check()).toThrow('wants no more messages');
  expect(second.obstacle).toMatchObject({ status: 'rejected', errorCode: 'OPTED_OUT' });
  expect(first.obstacle).toBeNull();
});

it('the ends of validity and of a sign-in code count even for data read a moment ago', () => {
  const { open, moveTo } = createDepartures();
  const code = { verificationId: 'v', sealed: 'x', expiresAt: '2026-11-24T12:30:00Z' };
  const [plain, withCode] = [open('a', 0), open('b', 0, { code })];
  moveTo('2026-11-24T12:29:59.999Z');
  expect([plain.check(), withCode.check()]).toEqual([undefined, undefined]);
  moveTo('2026-11-24T12:30:00Z');
  expect(() => withCode.require()).toThrow('used or expired');
  expect(withCode.obstacle).toMatchObject({ status: 'expired', errorCode: 'CODE_ENDED' });
  expect(plain.check()).toBeUndefined();
  moveTo('2026-11-24T13:00:00Z');
  expect(() => plain.check()).toThrow('validity');
  expect(plain.obstacle).toMatchObject({ status: 'expired', errorCode: 'EXPIRED' });
});

it('while PostgreSQL is away, unchecked messages do not leave and are returned', async () => {
  const { open, answers } = createDepartures();
  answers(async () => {
    throw new Error('away');
  });
  const departure = open('a');
  await expect(departure.check()).rejects.toMatchObject({ code: 'NOT_SUBMITTED', retryable: true, notTried: true });
  expect(departure.obstacle).toBeNull();
  expect(() => departure.require()).toThrow('waited too long');
});

it('messages that left or ended are not read again', async () => {
  const { departures, reads, open, message } = createDepartures();
  const [first, second, third] = [open('a'), open('b'), open('c')];
  departures.close(message('b'), second);
  await first.check();
  expect(third.check()).toBeUndefined();
  expect(reads).toEqual([['a', 'c']]);
});

it('messages that leave one after the other are read ahead, so that none waits', async () => {
  const { reads, open } = createDepartures();
  const [first, second] = [open('a'), open('b')];
  const soon = performance.now() + 50;
  first.update(null, soon);
  second.update(null, soon);
  expect(first.check()).toBeUndefined();
  await waitFor('the next to be read', () => reads.length === 1);
  expect(reads).toEqual([['b']]);
});
