import type pg from 'pg';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { DueMessage } from '../../../src/messages/queue/jobs.js';
import { Relay, type RelayOptions } from '../../../src/messages/queue/relay/relay.js';
import type { DueRow } from '../../../src/messages/queue/relay/relay-store.js';
import type { QueueContents } from '../../../src/messages/queue/send-hints.js';
import { waitFor } from '../../support/wait-for.js';

const NOW = new Date('2026-11-24T12:00:00Z');
const createRow = (id: string, overrides: Partial<DueRow> = {}) => ({
  ...{ id, accountId: 'a', campaignId: null, priority: 0, carrier: 'one', kind: 'sms', recipient: '15005550100' },
  ...{ carrierMessageId: null, action: 'queue' },
  ...overrides,
});

async function runRelay({
  due = [] as object[],
  forgotten: forgottenRows = {} as Record<number, object[]>,
  queue = null as QueueContents | null,
}) {
  const statements: { name: string; values: unknown[] }[] = [];
  const added: string[][] = [];
  const checks: unknown[][] = [];
  const repeatRequests: unknown[] = [];
  let collected = 0;
  const query = async ({ name, values }: { name: string; values: unknown[] }) => {
    statements.push({ name, values });
    if (name === 'relay-take-due') return { rows: due };
    return { rows: name === 'relay-take-forgotten' ? (forgottenRows[values[0] as number] ?? []) : [] };
  };
  const relay = new Relay({
    pool: { query } as unknown as pg.Pool,
    log: pino({ enabled: false }),
    clock: { now: () => NOW },
    hints: {
      add: async (messages: readonly DueMessage[]) => added.push(messages.map(({ id }) => id)),
      inspect: async () => queue,
    },
    workers: { check: (...checkArguments: unknown[]) => void checks.push(checkArguments) },
    carriers: {
      listNamesWithReceiptRequests: () => ['polled'],
      findReceiving: () => ({ requestReceipts: (messages: unknown) => void repeatRequests.push(messages) }),
    },
    receipts: {
      sweep: async () => {
        collected += 1;
      },
    },
  } as unknown as RelayOptions);
  relay.start();
  await waitFor('a whole look', () => checks.length > 0);
  await relay.stop();
  return { statements, added, checks, asked: repeatRequests, collected };
}

it('the relay queues due messages by priority, then in order of acceptance', async () => {
  const dueRows = [
    createRow('2', { priority: 1 }),
    createRow('3', { priority: 3 }),
    createRow('1', { priority: 1 }),
    createRow('0'),
  ];
  expect((await runRelay({ due: dueRows })).added[0]).toEqual(['3', '1', '2', '0']);
});

it('the relay expires a message that has had no receipt for too long, and does not queue it', async () => {
  const dueRows = [
    createRow('2', { action: 'overdue' }),
    createRow('1', { action: 'overdue' }),
    createRow('3', { action: 'none' }),
  ];
  const { statements, added } = await runRelay({ due: dueRows });
  const expire = statements.find(({ name }) => name === 'relay-expire-overdue');
  expect(expire?.values.slice(0, 2)).toEqual([['1', '2'], NOW.toISOString()]);
  expect(added).toEqual([]);
});

it('the relay requests missing receipts from carriers that can repeat them, each for its own messages', async () => {
  const dueRows = [
    createRow('1', { action: 'repeat', carrier: 'polled', carrierMessageId: 'x' }),
    createRow('2', { action: 'repeat', carrier: 'polled' }),
    createRow('3', { action: 'repeat', carrier: 'another', carrierMessageId: 'y' }),
    createRow('4', { carrier: 'polled', carrierMessageId: 'z' }),
  ];
  const { asked } = await runRelay({ due: dueRows });
  expect(asked[0]).toEqual([{ carrierMessageId: 'x', to: '15005550100', kind: 'sms' }]);
});

it('the relay re-adds messages that the queue lost, only in lanes without jobs', async () => {
  const forgottenRows = { 0: [createRow('2'), createRow('1')], 1: [createRow('3')], 3: [createRow('4')] };
  const { statements, added, checks } = await runRelay({
    forgotten: forgottenRows,
    queue: { empty: [1, 0], ready: ['urgent'] },
  });
  const priorities = statements.filter(({ name }) => name === 'relay-take-forgotten').map(({ values }) => values[0]);
  expect(priorities.slice(0, 2)).toEqual([1, 0]);
  expect(added.slice(0, 2)).toEqual([['3'], ['1', '2']]);
  expect(checks[0]).toEqual([['urgent'], ['bulk']]);
});

it('the relay re-adds no messages and checks no workers while the queue does not answer', async () => {
  const { statements, checks, collected } = await runRelay({ forgotten: { 0: [createRow('1')] }, queue: null });
  expect(statements.map(({ name }) => name)).not.toContain('relay-take-forgotten');
  expect(checks[0]).toEqual([[], []]);
  expect(collected).toBeGreaterThan(0);
});
