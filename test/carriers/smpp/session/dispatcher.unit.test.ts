import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import type { Bind } from '../../../../src/carriers/smpp/session/bind.js';
import { Dispatcher } from '../../../../src/carriers/smpp/session/dispatcher.js';
import type { Pdu } from '../../../../src/carriers/smpp/wire/pdu.js';
import type { SubmitSm } from '../../../../src/carriers/smpp/wire/submit-sm.js';
import { setDeadline } from '../../../../src/platform/deadline.js';
import { createTestDeparture, type TestDeparture, WITHHELD } from '../../../support/carriers/departures.js';

const submit = {} as SubmitSm;

/** Creates a bind whose window is full until `makeRoom` is called. */
function createFullBind() {
  let room = 0;
  const sentSubmits: SubmitSm[] = [];
  const pacer = { getNextSendAt: () => (room > 0 ? 0 : Number.POSITIVE_INFINITY), inFlight: 0, pausedUntil: 0 };
  const bind = {
    ...{ isReady: true, reason: '', retryInMs: 0, pacer },
    submit: async (fields: SubmitSm) => {
      room -= 1;
      sentSubmits.push(fields);
      return {} as Pdu;
    },
  };
  const dispatcher = new Dispatcher([bind as unknown as Bind]);
  const makeRoom = (submitCount: number) => {
    room = submitCount;
    dispatcher.dispatch();
  };
  return { dispatcher, sentSubmits, makeRoom };
}

const createQueued = (signal: AbortSignal, departure?: TestDeparture) => ({ fields: () => submit, signal, departure });

const countListeners = ({ signal }: AbortController) => getEventListeners(signal, 'abort').length;

it('queued submits share one listener on their signal until the last one is sent', async () => {
  const { dispatcher, sentSubmits, makeRoom } = createFullBind();
  const controller = new AbortController();
  const sends = [1, 2, 3].map(() => dispatcher.send(createQueued(controller.signal)));
  expect(countListeners(controller)).toBe(1);
  makeRoom(2);
  expect([sentSubmits.length, countListeners(controller)]).toEqual([2, 1]);
  makeRoom(1);
  await Promise.all(sends);
  expect([sentSubmits.length, countListeners(controller)]).toEqual([3, 0]);
});

it('a submit that is sent immediately adds no listener to its signal', async () => {
  const { dispatcher, makeRoom } = createFullBind();
  const controller = new AbortController();
  makeRoom(1);
  await dispatcher.send(createQueued(controller.signal));
  expect(countListeners(controller)).toBe(0);
});

it('a signal that fires rejects only its own queued submits', async () => {
  const { dispatcher, sentSubmits, makeRoom } = createFullBind();
  const [controller, otherController] = [new AbortController(), new AbortController()];
  const rejections = [1, 2].map(() =>
    dispatcher.send(createQueued(controller.signal)).catch((error: unknown) => error),
  );
  const unaffectedSend = dispatcher.send(createQueued(otherController.signal));
  controller.abort();
  for (const rejection of rejections) expect(await rejection).toMatchObject({ notTried: true });
  makeRoom(1);
  await unaffectedSend;
  expect([sentSubmits.length, countListeners(otherController)]).toEqual([1, 0]);
});

it('a queued submit past its deadline is rejected even before its signal fires', async () => {
  const { dispatcher, sentSubmits, makeRoom } = createFullBind();
  const [expiredController, otherController] = [new AbortController(), new AbortController()];
  const rejections = [1, 2].map(() =>
    dispatcher.send(createQueued(expiredController.signal)).catch((error: unknown) => error),
  );
  const unaffectedSend = dispatcher.send(createQueued(otherController.signal));
  setDeadline(expiredController.signal, performance.now());
  makeRoom(1);
  await unaffectedSend;
  for (const rejection of rejections) expect(await rejection).toMatchObject({ code: 'NOT_SUBMITTED', notTried: true });
  await expect(dispatcher.send(createQueued(expiredController.signal))).rejects.toMatchObject({
    code: 'NOT_SUBMITTED',
  });
  expect([sentSubmits.length, countListeners(expiredController)]).toEqual([1, 0]);
});

it.each([
  ['without waiting', false],
  ['after reading the rules', true],
])('a withheld submit is rejected %s, and the next one is sent in its place', async (_name, reads) => {
  const { dispatcher, sentSubmits, makeRoom } = createFullBind();
  const { signal } = new AbortController();
  const [heldDeparture, allowedDeparture] = [createTestDeparture({ reads }), createTestDeparture({ reads })];
  const rejection = dispatcher.send(createQueued(signal, heldDeparture)).catch((error: unknown) => error);
  const unaffectedSend = dispatcher.send(createQueued(signal, allowedDeparture));
  heldDeparture.withhold();
  makeRoom(1);
  expect(await rejection).toMatchObject(WITHHELD);
  await unaffectedSend;
  expect(sentSubmits).toHaveLength(1);
});

it('no submit overtakes one that is being checked, and an aborted check rejects only its submit', async () => {
  const { dispatcher, sentSubmits, makeRoom } = createFullBind();
  const [controller, otherController] = [new AbortController(), new AbortController()];
  const firstDeparture = createTestDeparture({ reads: true });
  const rejection = dispatcher.send(createQueued(controller.signal, firstDeparture)).catch((error: unknown) => error);
  const unaffectedSend = dispatcher.send(createQueued(otherController.signal));
  makeRoom(2);
  dispatcher.dispatch();
  expect([firstDeparture.checks, sentSubmits.length]).toEqual([1, 0]);
  controller.abort();
  expect(await rejection).toMatchObject({ code: 'NOT_SUBMITTED' });
  await unaffectedSend;
  expect(sentSubmits).toHaveLength(1);
});

it('the fields of a submit are created when it is sent, not when it is queued', async () => {
  const { dispatcher, makeRoom } = createFullBind();
  const { signal } = new AbortController();
  let buildCount = 0;
  const buildFields = () => {
    buildCount += 1;
    return submit;
  };
  const send = dispatcher.send({ ...createQueued(signal), fields: buildFields });
  expect(buildCount).toBe(0);
  makeRoom(1);
  await send;
  expect(buildCount).toBe(1);
});

it.each([
  ['longer than a second rejects queued submits', 5_000, 'SMSC_THROTTLES'],
  ['of less than a second keeps submits queued', 500, 'NOT_SUBMITTED'],
])('throttling of every bind %s', async (_name, pauseMs, code) => {
  const pausedUntil = performance.now() + pauseMs;
  const pacer = { getNextSendAt: () => pausedUntil, inFlight: 0, pausedUntil: pausedUntil };
  const dispatcher = new Dispatcher([{ isReady: true, reason: '', retryInMs: 0, pacer } as unknown as Bind]);
  const controller = new AbortController();
  const rejection = dispatcher.send(createQueued(controller.signal)).catch((error: unknown) => error);
  controller.abort();
  expect(await rejection).toMatchObject({ code, notTried: true });
  dispatcher.close();
});
