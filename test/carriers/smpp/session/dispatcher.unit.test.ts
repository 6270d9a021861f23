import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import type { Bind } from '../../../../src/carriers/smpp/session/bind.js';
import { Dispatcher } from '../../../../src/carriers/smpp/session/dispatcher.js';
import type { Pdu } from '../../../../src/carriers/smpp/wire/pdu.js';
import type { SubmitSm } from '../../../../src/carriers/smpp/wire/submit-sm.js';
import { setDeadline } from '../../../../src/platform/deadline.js';
import { type TestDeparture, testDeparture, WITHHELD } from '../../../support/carriers/departures.js';

const submit = {} as SubmitSm;

/** A bind whose window is full until it has room. */
function fullBind() {
  let room = 0;
  const sent: SubmitSm[] = [];
  const pacer = { nextAt: () => (room > 0 ? 0 : Number.POSITIVE_INFINITY), inFlight: 0, pausedUntil: 0 };
  const bind = {
    ...{ ready: true, reason: '', retryInMs: 0, pacer },
    submit: async (fields: SubmitSm) => {
      room -= 1;
      sent.push(fields);
      return {} as Pdu;
    },
  };
  const dispatcher = new Dispatcher([bind as unknown as Bind]);
  const makeRoom = (places: number) => {
    room = places;
    dispatcher.dispatch();
  };
  return { dispatcher, sent, makeRoom };
}

/** A submit as a carrier queues it. */
const queued = (signal: AbortSignal, departure?: TestDeparture) => ({ fields: () => submit, signal, departure });

const listeners = ({ signal }: AbortController) => getEventListeners(signal, 'abort').length;

it('what waits listens once to the signal that it shares, until the last of it has left', async () => {
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

it('what leaves at once listens to nothing', async () => {
  const { dispatcher, makeRoom } = fullBind();
  const stop = new AbortController();
  makeRoom(1);
  await dispatcher.send(queued(stop.signal));
  expect(listeners(stop)).toBe(0);
});

it('a signal that fires gives back what waits on it and nothing else', async () => {
  const { dispatcher, sent, makeRoom } = fullBind();
  const [stop, other] = [new AbortController(), new AbortController()];
  const given = [1, 2].map(() => dispatcher.send(queued(stop.signal)).catch((error: unknown) => error));
  const kept = dispatcher.send(queued(other.signal));
  stop.abort();
  for (const each of given) expect(await each).toMatchObject({ notTried: true });
  makeRoom(1);
  await kept;
  expect([sent.length, listeners(other)]).toEqual([1, 0]);
});

it('what waited past its deadline is given back when there is room, though its signal has not fired', async () => {
  const { dispatcher, sent, makeRoom } = fullBind();
  const [late, other] = [new AbortController(), new AbortController()];
  const given = [1, 2].map(() => dispatcher.send(queued(late.signal)).catch((error: unknown) => error));
  const kept = dispatcher.send(queued(other.signal));
  setDeadline(late.signal, performance.now());
  makeRoom(1);
  await kept;
  for (const each of given) expect(await each).toMatchObject({ code: 'NOT_SUBMITTED', notTried: true });
  await expect(dispatcher.send(queued(late.signal))).rejects.toMatchObject({ code: 'NOT_SUBMITTED' });
  expect([sent.length, listeners(late)]).toEqual([1, 0]);
});

it.each([
  ['at once', false],
  ['after a read', true],
])(
  'what must not leave any more is refused when there is room, %s, and the next goes in its place',
  async (_when, reads) => {
    const { dispatcher, sent, makeRoom } = fullBind();
    const { signal } = new AbortController();
    const [held, free] = [testDeparture({ reads }), testDeparture({ reads })];
    const refused = dispatcher.send(queued(signal, held)).catch((error: unknown) => error);
    const kept = dispatcher.send(queued(signal, free));
    held.withhold();
    makeRoom(1);
    expect(await refused).toMatchObject(WITHHELD);
    await kept;
    expect(sent).toHaveLength(1);
  },
);

it('while the first is checked nothing overtakes it, and what is then given back or closed ends once', async () => {
  const { dispatcher, sent, makeRoom } = fullBind();
  const [stop, other] = [new AbortController(), new AbortController()];
  const first = testDeparture({ reads: true });
  const given = dispatcher.send(queued(stop.signal, first)).catch((error: unknown) => error);
  const kept = dispatcher.send(queued(other.signal));
  makeRoom(2);
  dispatcher.dispatch();
  expect([first.checks, sent.length]).toEqual([1, 0]);
  stop.abort();
  expect(await given).toMatchObject({ code: 'NOT_SUBMITTED' });
  await kept;
  expect(sent).toHaveLength(1);
});

it('the fields are made when a submit leaves, so that its validity is what is left then', async () => {
  const { dispatcher, makeRoom } = fullBind();
  const { signal } = new AbortController();
  let made = 0;
  const fields = () => {
    made += 1;
    return submit;
  };
  const send = dispatcher.send({ ...queued(signal), fields });
  expect(made).toBe(0);
  makeRoom(1);
  await send;
  expect(made).toBe(1);
});

it.each([
  ['for longer than a second gives back what waits, so that another carrier may have it', 5_000, 'SMSC_THROTTLES'],
  ['for a moment does not', 500, 'NOT_SUBMITTED'],
])('a pause of every bind %s', async (_what, pauseMs, code) => {
  const until = performance.now() + pauseMs;
  const pacer = { nextAt: () => until, inFlight: 0, pausedUntil: until };
  const dispatcher = new Dispatcher([{ ready: true, reason: '', retryInMs: 0, pacer } as unknown as Bind]);
  const stop = new AbortController();
  const given = dispatcher.send(queued(stop.signal)).catch((error: unknown) => error);
  // Only what still waits hears of it.
  stop.abort();
  expect(await given).toMatchObject({ code, notTried: true });
  dispatcher.close();
});
