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
  let respond = async () => {};
  const query = async ({ values: [ids] }: { values: [string] }) => {
    const requestedIds = ids.slice(1, -1).split(',');
    reads.push(requestedIds);
    await respond();
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
  const createMessage = (id: string, overrides: Partial<ClaimedMessage> = {}) =>
    ({
      ...{ id, carrier: 'one', optedOut: false, cancelReason: null, code: null },
      validUntil: new Date('2026-11-24T13:00:00Z'),
      ...overrides,
    }) as ClaimedMessage;
  const openDeparture = (id: string, agoMs = LONG_AGO_MS, overrides: Partial<ClaimedMessage> = {}) =>
    departures.open(createMessage(id, overrides), performance.now() - agoMs);
  return {
    ...{ departures, reads, optedOut, openDeparture, createMessage },
    answers: (respondWith: typeof respond) => {
      respond = respondWith;
    },
    moveTo: (time: string) => {
      now = new Date(time);
    },
  };
}

it('a message claimed a moment ago needs no query', () => {
  const { reads, openDeparture } = createDepartures();
  expect(openDeparture('a', 0).check()).toBeUndefined();
  expect(reads).toEqual([]);
});

it('an older message is read again together with those behind it, which then need no query', async () => {
  const { reads, openDeparture } = createDepartures();
  const openDepartures = ['a', 'b', 'c'].map((id) => openDeparture(id));
  openDeparture('d', LONG_AGO_MS, { carrier: 'another' });
  openDeparture('e', 0);
  await openDepartures[0]?.check();
  expect(openDepartures[1]?.check()).toBeUndefined();
  expect(reads).toEqual([['a', 'b', 'c']]);
});

it('one statement reads at most 500 messages', async () => {
  const { reads, openDeparture } = createDepartures();
  const openDepartures = Array.from({ length: 700 }, (_, index) => openDeparture(`m${index}`));
  await openDepartures[0]?.check();
  expect(reads.map(({ length }) => length)).toEqual([500]);
});

it('a message is withheld, with the reason, if its recipient has opted out', async () => {
  const { optedOut, openDeparture } = createDepartures();
  const [firstDeparture, secondDeparture] = [openDeparture('a'), openDeparture('b')];
  optedOut.add('b');
  await firstDeparture.check();
  expect(() => secondDeparture.check()).toThrow('wants no more messages');
  expect(secondDeparture.obstacle).toMatchObject({ status: 'rejected', errorCode: 'OPTED_OUT' });
  expect(firstDeparture.obstacle).toBeNull();
});

it('the ends of validity and of a sign-in code count even for data read a moment ago', () => {
  const { openDeparture, moveTo } = createDepartures();
  const code = { verificationId: 'v', sealed: 'x', expiresAt: '2026-11-24T12:30:00Z' };
  const [plain, withCode] = [openDeparture('a', 0), openDeparture('b', 0, { code })];
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
  const { openDeparture, answers } = createDepartures();
  answers(async () => {
    throw new Error('away');
  });
  const departure = openDeparture('a');
  await expect(departure.check()).rejects.toMatchObject({ code: 'NOT_SUBMITTED', retryable: true, notTried: true });
  expect(departure.obstacle).toBeNull();
  expect(() => departure.require()).toThrow('waited too long');
});

it('messages that left or ended are not read again', async () => {
  const { departures, reads, openDeparture, createMessage } = createDepartures();
  const [firstDeparture, secondDeparture, third] = [openDeparture('a'), openDeparture('b'), openDeparture('c')];
  departures.close(createMessage('b'), secondDeparture);
  await firstDeparture.check();
  expect(third.check()).toBeUndefined();
  expect(reads).toEqual([['a', 'c']]);
});

it('messages that leave one after the other are read ahead, so that none waits', async () => {
  const { reads, openDeparture } = createDepartures();
  const [firstDeparture, secondDeparture] = [openDeparture('a'), openDeparture('b')];
  const deadline = performance.now() + 50;
  firstDeparture.update(null, deadline);
  secondDeparture.update(null, deadline);
  expect(firstDeparture.check()).toBeUndefined();
  await waitFor('the next to be read', () => reads.length === 1);
  expect(reads).toEqual([['b']]);
});
