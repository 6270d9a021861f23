import { expect, it } from 'vitest';
import { readBalance } from '../../support/accounts.js';
import {
  createAutomation,
  createCompletionWebhook,
  listBodiesTo,
  listRuns,
  triggerAutomation,
} from '../../support/automations.js';
import { call } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const CREDIT = 100_000_000n;
const PRICE = 10_000n;
const PHONE = '4915112345678';
const OTHER = '4915112345679';
const faults = new ControlledFaults();
const test = suiteApp({ faults });

const REPLY = (message: string) => ({ type: 'send_reply', message });
const cancel = (channel: TestChannel, id: string, runId: string) =>
  call(test, channel, 'POST', `/automations/${id}/runs/${runId}/cancel`);

/** Stores a message from a contact, which opens the 24-hour window for replies. */
async function receiveMessage(channel: TestChannel, from: string): Promise<void> {
  await test.app.inject({
    method: 'POST',
    url: '/simulator/v1/inbound',
    headers: channel.headers,
    payload: { from, text: 'Hi' },
  });
}

it.each([
  ['its only step', [REPLY('One')]],
  ['the first of two steps', [REPLY('One'), REPLY('Two')]],
  ['a step that only waits', [{ type: 'wait', seconds: 1 }, REPLY('Two')]],
])('a run canceled before %s sends nothing and stays canceled', async (_, steps) => {
  const channel = await createTestChannel(test.deps);
  const webhook = await createCompletionWebhook(test.deps, channel);
  for (const phone of [PHONE, OTHER]) await receiveMessage(channel, phone);
  const id = await createAutomation(test, channel, steps);
  const hold = faults.holdForTest('automation:claimed');
  const { id: runId } = await triggerAutomation(test, channel, id, { phone: PHONE });
  await hold.reached;
  expect((await cancel(channel, id, runId)).json().data).toMatchObject({ status: 'canceled' });
  hold.release();
  // A later run of the same automation completes only after the canceled run has been processed.
  await triggerAutomation(test, channel, id, { phone: OTHER });
  await waitFor('the other run to end', async () =>
    (await listRuns(test, channel, id)).some(({ status }) => status === 'completed'),
  );
  const findRun = (await listRuns(test, channel, id)).find((run) => run.id === runId);
  expect(findRun).toMatchObject({ status: 'canceled', step: 0, errorMessage: null });
  expect(await listBodiesTo(test.deps, channel, PHONE)).toEqual([]);
  const events = await test.deps.prisma.webhookDelivery.findMany({ where: { webhookId: webhook.id } });
  const statuses = events.map(({ data }) => data as { runId: string; status: string });
  expect(statuses.filter((event) => event.runId === runId).map(({ status }) => status)).toEqual(['canceled']);
});

it('a run canceled while a step commits keeps that step and performs no other', async () => {
  const channel = await createTestChannel(test.deps);
  await receiveMessage(channel, PHONE);
  const id = await createAutomation(test, channel, [REPLY('One'), { type: 'wait', seconds: 1 }, REPLY('Two')]);
  const hold = faults.holdForTest('automation:before-commit');
  const { id: runId } = await triggerAutomation(test, channel, id, { phone: PHONE });
  await hold.reached;
  const cancelRequest = cancel(channel, id, runId);
  await waitFor('the cancellation to wait', async () => {
    const { rowCount } = await test.deps.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        AND query LIKE '%automation_runs%'`,
    );
    return rowCount !== 0;
  });
  const nextHold = faults.holdForTest('automation:before-commit');
  hold.release();
  expect((await cancelRequest).json().data).toMatchObject({ status: 'canceled', step: 1 });
  nextHold.release();
  await waitFor('the run to be given back', async () => {
    const row = await test.deps.prisma.automationRun.findUniqueOrThrow({ where: { id: runId } });
    return row.leaseUntil === null;
  });
  expect(await listBodiesTo(test.deps, channel, PHONE)).toEqual(['One']);
  expect(await readBalance(test.deps, channel.account.id)).toBe(CREDIT - PRICE);
});
