import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { ClaimedMessage } from '../../../src/messages/send/send-store.js';
import { SendTraces } from '../../../src/messages/send/send-traces.js';
import { Submitter, type SubmitterOptions } from '../../../src/messages/send/submitter.js';
import { setDeadline } from '../../../src/platform/deadline.js';

it('a message whose lease is over goes to no carrier, even if no timer has fired', async () => {
  const usedCarriers: string[] = [];
  const carrier = {
    submit: async ({ id }: { id: string }) => {
      usedCarriers.push(id);
      return { carrierMessageId: 'x' };
    },
  };
  const activity = {
    recordSubmission: () => undefined,
    recordAcceptance: () => undefined,
    recordFailure: () => undefined,
  };
  const submitter = new Submitter({
    log: pino({ enabled: false }),
    carriers: { get: () => carrier, find: () => carrier, activity } as unknown as SubmitterOptions['carriers'],
    routing: { findCarriers: () => null },
    traces: new SendTraces(null),
  });
  const message = { id: 'a', kind: 'sms', carrier: 'one', body: 'Hello', attempt: 1, details: null } as ClaimedMessage;
  const departure = { check: () => undefined, require: () => undefined };
  const { signal } = new AbortController();
  setDeadline(signal, performance.now() + 60_000);
  expect(await submitter.submit(message, departure, signal, null)).toMatchObject({ accepted: true });
  setDeadline(signal, performance.now());
  expect(await submitter.submit(message, departure, signal, null)).toMatchObject({
    accepted: false,
    error: { code: 'NOT_SUBMITTED' },
  });
  expect(usedCarriers).toEqual(['a']);
});
