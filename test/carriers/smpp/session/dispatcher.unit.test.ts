import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import type { Bind } from '../../../../src/carriers/smpp/session/bind.js';
import { Dispatcher } from '../../../../src/carriers/smpp/session/dispatcher.js';
import type { Pdu } from '../../../../src/carriers/smpp/wire/pdu.js';
import type { SubmitSm } from '../../../../src/carriers/smpp/wire/submit-sm.js';
import { setDeadline } from '../../../../src/platform/deadline.js';
import { createTestDeparture, type TestDeparture, WITHHELD } from '../../../support/carriers/departures.js';

const submit = {} as SubmitSm;

/** The window of the only bind is full until `makeRoom` is called. */
function fullBind() {
  let room = 0;
  const sent: SubmitSm[] = [];
  const pacer = { getNextSendAt: () => (room > 0 ? 0 : Number.POSITIVE_INFINITY), inFlight: 0, pausedUntil: 0 };
  const bind = {
    ...{ isReady: true, reason: '', retryInMs: 0, pacer },
    submit: async (fields: SubmitSm) => {
      room -= 1;
      sent.push(fields);
      return {} as Pdu;
    },
  };
  const dispatcher = new Dispatcher([bind as unknown as Bind]);
  const makeRoom = (submitCount: number) => {
    room = submitCount;
    dispatcher.dispatch();
  };
  return { dispatcher, sent, makeRoom };
}

const queued = (signal: AbortSignal, departure?: TestDeparture) => ({ fields: () => submit, signal, departure });

const listeners = ({ signal }: AbortController) => getEventListeners(signal, 'abort').length;

it('queued submits share one listener on their signal until the last one is sent', async () => {
  const { dispatcher, sent, makeRoom } = fullBind();
  const stop = new AbortController();
  const sends = [1, 2, 3].map(() => dispatcher.send(queued(stop.signal)));
  expect(listeners(stop)).toBe(1);
  makeRoom(2);
  expect([sent.length, listeners(stop)]).toEqual([2, 1]);
  makeRoom(1);
  await Promise.all(sends);
  expect([sent.length, listeners(stop)]).toEqual([3, 0]);
});

it('a submit that is sent immediately adds no listener to its signal', async () => {
  const { dispatcher, makeRoom } = fullBind();
  const stop = new AbortController();
  makeRoom(1);
  await dispatcher.send(queued(stop.signal));
  expect(listeners(stop)).toBe(0);
});

it('a signal that fires rejects only its own queued submits', async () => {
  const { dispatcher, sent, makeRoom } = fullBind();
  const [stop, other] = [new AbortController(), new AbortController()];
  const rejections = [1, 2].map(() => dispatcher.send(queued(stop.signal)).catch((error: unknown) => error));
  const unaffected = dispatcher.send(queued(other.signal));
  stop.abort();
  for (const each of rejections) expect(await each).toMatchObject({ notTried: true });
  makeRoom(1);
  await unaffected;
  expect([sent.length, listeners(other)]).toEqual([1, 0]);
});

it('a queued submit past its deadline is rejected even before its signal fires', async () => {
  const { dispatcher, sent, makeRoom } = fullBind();
  const [late, other] = [new AbortController(), new AbortController()];
  const rejections = [1, 2].map(() => dispatcher.send(queued(late.signal)).catch((error: unknown) => error));
  const unaffected = dispatcher.send(queued(other.signal));
  setDeadline(late.signal, performance.now());
  makeRoom(1);
  await unaffected;
  for (const each of rejections) expect(await each).toMatchObject({ code: 'NOT_SUBMITTED', notTried: true });
  await expect(dispatcher.send(queued(late.signal))).rejects.toMatchObject({ code: 'NOT_SUBMITTED' });
  expect([sent.length, listeners(late)]).toEqual([1, 0]);
});

it.each([
  ['without waiting', false],
  ['after reading the rules', true],
])('a withheld submit is rejected %s, and the next one is sent in its place', async (_name, reads) => {
  const { dispatcher, sent, makeRoom } = fullBind();
  const { signal } = new AbortController();
  const [held, free] = [createTestDeparture({ reads }), createTestDeparture({ reads })];
  const refused = dispatcher.send(queued(signal, held)).catch((error: unknown) => error);
  const unaffected = dispatcher.send(queued(signal, free));
  held.withhold();
  makeRoom(1);
  expect(await refused).toMatchObject(WITHHELD);
  await unaffected;
  expect(sent).toHaveLength(1);
});

it('no submit overtakes one that is being checked, and an aborted check rejects only its submit', async () => {
  const { dispatcher, sent, makeRoom } = fullBind();
  const [stop, other] = [new AbortController(), new AbortController()];
  const first = createTestDeparture({ reads: true });
  const rejections = dispatcher.send(queued(stop.signal, first)).catch((error: unknown) => error);
  const unaffected = dispatcher.send(queued(other.signal));
  makeRoom(2);
  dispatcher.dispatch();
  expect([first.checks, sent.length]).toEqual([1, 0]);
  stop.abort();
  expect(await rejections).toMatchObject({ code: 'NOT_SUBMITTED' });
  await unaffected;
  expect(sent).toHaveLength(1);
});

it('the fields of a submit are created when it is sent, not when it is queued', async () => {
  const { dispatcher, makeRoom } = fullBind();
  const { signal } = new AbortController();
  let buildCount = 0;
  const fields = () => {
    buildCount += 1;
    return submit;
  };
  const send = dispatcher.send({ ...queued(signal), fields });
  expect(buildCount).toBe(0);
  makeRoom(1);
  await send;
  expect(buildCount).toBe(1);
});

it.each([
  ['longer than a second rejects queued submits', 5_000, 'SMSC_THROTTLES'],
  ['of less than a second keeps submits queued', 500, 'NOT_SUBMITTED'],
])('throttling of every bind %s', async (_name, pauseMs, code) => {
  const until = performance.now() + pauseMs;
  const pacer = { getNextSendAt: () => until, inFlight: 0, pausedUntil: until };
  const dispatcher = new Dispatcher([{ isReady: true, reason: '', retryInMs: 0, pacer } as unknown as Bind]);
  const stop = new AbortController();
  const rejections = dispatcher.send(queued(stop.signal)).catch((error: unknown) => error);
  stop.abort();
  expect(await rejections).toMatchObject({ code, notTried: true });
  dispatcher.close();
});
