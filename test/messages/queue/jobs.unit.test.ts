import { expect, it } from 'vitest';
import { type DueMessage, jobsOf } from '../../../src/messages/queue/jobs.js';
import { LaneOrder } from '../../../src/messages/queue/lane-order.js';
import { unpackIds } from '../../../src/messages/queue/packed-ids.js';
import { newId } from '../../../src/platform/ids.js';

const due = (count: number, more: Partial<DueMessage> = {}): DueMessage[] =>
  Array.from({ length: count }, () => ({
    ...{ id: newId(), accountId: 'account-1', campaignId: null, priority: 0, carrier: 'one', ...more },
  }));

/** The jobs of messages, by carrier and size. */
function jobs(messages: readonly DueMessage[], { order = new LaneOrder(), rate = null as number | null } = {}) {
  return jobsOf(messages, order, () => rate).map(({ data, opts, traceparent }) => ({
    ...{ carrier: data.carrier, size: unpackIds(data.ids).length, account: data.line?.account ?? null },
    ...{ number: opts.priority, traceparent },
  }));
}
const sizes = (...given: Parameters<typeof jobs>) => jobs(...given).map(({ size }) => size);

it('a backlog goes in jobs of a hundred, what was just accepted in jobs of five hundred', () => {
  expect(sizes(due(250))).toEqual([100, 100, 50]);
  expect(sizes(due(600, { flows: true }))).toEqual([500, 100]);
  // A campaign may be canceled as long as its messages are in no job that runs.
  expect(sizes(due(250, { flows: true, campaignId: 'campaign-1' }))).toEqual([100, 100, 50]);
});

it('a job holds a quarter of a second of its carrier, and at least one message', () => {
  expect(sizes(due(30), { rate: 40 })).toEqual([10, 10, 10]);
  expect(sizes(due(3, { flows: true }), { rate: 1 })).toEqual([1, 1, 1]);
  expect(sizes(due(150), { rate: 10_000 })).toEqual([100, 50]);
});

it('messages of several accounts share a job of the same turn, which then belongs to no line', () => {
  const messages = [...due(10), ...due(10, { accountId: 'account-2' })];
  expect(jobs(messages)).toMatchObject([{ size: 20, account: null }]);
  expect(jobs(due(10))).toMatchObject([{ size: 10, account: 'account-1' }]);
});

it('an account whose backlog waits does not get ahead in the job of another', () => {
  const order = new LaneOrder();
  jobs(due(300), { order });
  const [first, second, ...others] = jobs([...due(10), ...due(10, { accountId: 'account-2' })], { order });
  expect(others).toEqual([]);
  expect([first?.account, second?.account]).toEqual(['account-2', 'account-1']);
  expect(second?.number).toBeGreaterThan(first?.number as number);
});

it('each carrier has jobs of its own', () => {
  expect(jobs([...due(2), ...due(3, { carrier: 'two' })])).toMatchObject([
    { carrier: 'one', size: 2 },
    { carrier: 'two', size: 3 },
  ]);
});

it('a job belongs to the trace of the first traced message that begins a part of it', () => {
  const messages = [...due(2), ...due(2, { accountId: 'account-2', traceparent: 'trace' })];
  expect(jobs(messages)).toMatchObject([{ size: 4, traceparent: 'trace' }]);
});
