import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Handover, type HandoverOptions } from '../../../src/messages/send/handover.js';
import type { ClaimedMessage } from '../../../src/messages/send/send-store.js';
import { SendTraces } from '../../../src/messages/send/send-traces.js';
import { setDeadline } from '../../../src/platform/deadline.js';

it('a message whose lease is over goes to no carrier, though no timer has told so', async () => {
  const asked: string[] = [];
  const carrier = {
    submit: async ({ id }: { id: string }) => {
      asked.push(id);
      return { carrierMessageId: 'x' };
    },
  };
  const activity = { began: () => undefined, took: () => undefined, failed: () => undefined };
  const handover = new Handover({
    log: pino({ enabled: false }),
    carriers: { get: () => carrier, find: () => carrier, activity } as unknown as HandoverOptions['carriers'],
    routing: { carriersFor: () => null },
    traces: new SendTraces(null),
  });
  const message = { id: 'a', kind: 'sms', carrier: 'one', body: 'Hello', attempt: 1, more: null } as ClaimedMessage;
  const departure = { check: () => undefined, require: () => undefined };
  const { signal } = new AbortController();
  setDeadline(signal, performance.now() + 60_000);
  expect(await handover.submit(message, departure, signal, null)).toMatchObject({ taken: true });
  setDeadline(signal, performance.now());
  expect(await handover.submit(message, departure, signal, null)).toMatchObject({
    taken: false,
    error: { code: 'NOT_SUBMITTED' },
  });
  expect(asked).toEqual(['a']);
});
