import { expect, it } from 'vitest';
import { buildJobs, type DueMessage } from '../../../src/messages/queue/jobs.js';
import { LaneOrder } from '../../../src/messages/queue/lane-order.js';
import { unpackIds } from '../../../src/messages/queue/packed-ids.js';
import { newId } from '../../../src/platform/ids.js';

const createDueMessages = (count: number, overrides: Partial<DueMessage> = {}): DueMessage[] =>
  Array.from({ length: count }, () => ({
    ...{ id: newId(), accountId: 'account-1', campaignId: null, priority: 0, carrier: 'one', ...overrides },
  }));

function packJobs(messages: readonly DueMessage[], { order = new LaneOrder(), rate = null as number | null } = {}) {
  return buildJobs(messages, order, () => rate).map(({ data, opts, traceparent }) => ({
    ...{ carrier: data.carrier, size: unpackIds(data.ids).length, account: data.line?.account ?? null },
    ...{ number: opts.priority, traceparent },
  }));
}
const listJobSizes = (...parameters: Parameters<typeof packJobs>) => packJobs(...parameters).map(({ size }) => size);

it('backlog jobs have 100 messages, and jobs of just accepted messages 500', () => {
  expect(listJobSizes(createDueMessages(250))).toEqual([100, 100, 50]);
  expect(listJobSizes(createDueMessages(600, { isFlowing: true }))).toEqual([500, 100]);
  // Messages in a running job can no longer be canceled, so the jobs of a campaign stay small.
  expect(listJobSizes(createDueMessages(250, { isFlowing: true, campaignId: 'campaign-1' }))).toEqual([100, 100, 50]);
});

it('a job has the messages that its carrier accepts in a quarter of a second, at least one', () => {
  expect(listJobSizes(createDueMessages(30), { rate: 40 })).toEqual([10, 10, 10]);
  expect(listJobSizes(createDueMessages(3, { isFlowing: true }), { rate: 1 })).toEqual([1, 1, 1]);
  expect(listJobSizes(createDueMessages(150), { rate: 10_000 })).toEqual([100, 50]);
});

it('messages of several accounts share a job of the same turn, which belongs to no line', () => {
  const messages = [...createDueMessages(10), ...createDueMessages(10, { accountId: 'account-2' })];
  expect(packJobs(messages)).toMatchObject([{ size: 20, account: null }]);
  expect(packJobs(createDueMessages(10))).toMatchObject([{ size: 10, account: 'account-1' }]);
});

it("an account with a backlog does not get ahead by sharing another account's job", () => {
  const order = new LaneOrder();
  packJobs(createDueMessages(300), { order });
  const [first, second, ...others] = packJobs(
    [...createDueMessages(10), ...createDueMessages(10, { accountId: 'account-2' })],
    {
      order,
    },
  );
  expect(others).toEqual([]);
  expect([first?.account, second?.account]).toEqual(['account-2', 'account-1']);
  expect(second?.number).toBeGreaterThan(first?.number as number);
});

it('each carrier gets its own jobs', () => {
  expect(packJobs([...createDueMessages(2), ...createDueMessages(3, { carrier: 'two' })])).toMatchObject([
    { carrier: 'one', size: 2 },
    { carrier: 'two', size: 3 },
  ]);
});

it('a job belongs to the trace of the first traced message that starts a chunk', () => {
  const messages = [...createDueMessages(2), ...createDueMessages(2, { accountId: 'account-2', traceparent: 'trace' })];
  expect(packJobs(messages)).toMatchObject([{ size: 4, traceparent: 'trace' }]);
});
