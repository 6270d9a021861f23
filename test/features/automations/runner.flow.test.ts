import type pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AutomationRunner } from '../../../src/features/automations/runner.js';
import type { SendResult } from '../../../src/messages/send/results/result-store.js';
import { openPool } from '../../../src/platform/store/connections/pool.js';
import { createAutomation, listBodiesTo, listRuns, receiveText, waitForRun } from '../../support/automations.js';
import { createGroup } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { ManualClock } from '../../support/manual-clock.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

/** Number of runs, more than a process executes concurrently. */
const MANY = 40;
const PATIENCE_MS = 10_000;
const SENT: SendResult = { status: 'sent', carrierMessageId: 'wamid.1', errorCode: null, errorMessage: null };
const TWO_REPLIES = ['One', 'Two'].map((message) => ({ type: 'send_reply', message }));

class HeldResults {
  readonly watchers = new Map<string, (result: SendResult | null) => void>();

  wait(messageId: string): Promise<SendResult | null> {
    return new Promise((resolve) => this.watchers.set(messageId, resolve));
  }

  abandon(messageId: string): void {
    this.settle(messageId, null);
  }

  settle(messageId: string, result: SendResult | null): void {
    this.watchers.get(messageId)?.(result);
    this.watchers.delete(messageId);
  }
}

let api: TestApp;
let channel: TestChannel;
let clock: ManualClock;
let results: HeldResults;
let pool: pg.Pool;
let runner: AutomationRunner;

const toPhone = (index: number) => `1500557${String(index).padStart(4, '0')}`;
const listBodies = (index: number) => listBodiesTo(api.deps, channel, toPhone(index));

function startRunner(options?: { maxWatched: number }): void {
  runner = new AutomationRunner({
    ...api.deps,
    pool,
    results,
    phoneValidation: api.config.phoneValidation,
    smsMaxChars: api.config.smsMaxChars,
    ...options,
  });
  runner.start();
}

async function startRuns(count: number): Promise<string> {
  const id = await createAutomation(api, channel, TWO_REPLIES, { keyword: 'go' });
  for (let index = 0; index < count; index++) await receiveText(api.deps, channel, toPhone(index), 'go');
  await waitFor('every first message', async () => {
    return (await api.deps.prisma.message.count({ where: { channelId: channel.channelId } })) === count;
  });
  return id;
}

beforeEach(async () => {
  clock = new ManualClock();
  results = new HeldResults();
  api = await testApp({ role: 'api', clock });
  // As in production, the runner has its own pool, because its transactions query prices through the other pool.
  pool = openPool({ url: api.deps.config.databaseUrl as string, size: 3, log: api.deps.log, byKeyOnly: true });
  channel = await createTestChannel(api.deps);
});
afterEach(async () => {
  await runner?.stop();
  await pool.end();
  await api.close();
});

it('runs whose messages are not sent do not block other runs', async () => {
  const warnings: Error[] = [];
  const recordWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', recordWarning);
  try {
    startRunner();
    const troubledAutomation = await startRuns(MANY);
    const otherChannel = await createTestChannel(api.deps);
    const group = await createGroup(api.deps, otherChannel, { size: 0 });
    const id = await createAutomation(api, otherChannel, [{ type: 'add_to_group', groupId: group.id }], {
      keyword: 'join',
    });
    await receiveText(api.deps, otherChannel, toPhone(0), 'join');
    await waitForRun(api, otherChannel, id, 'completed');
    const runs = await listRuns(api, channel, troubledAutomation);
    expect(runs.map(({ status, step, waitingUntil }) => ({ status, step, waitingUntil }))).toEqual(
      runs.map(() => ({ status: 'running', step: 1, waitingUntil: null })),
    );
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', recordWarning);
  }
});

it('a run continues as soon as its message was sent', async () => {
  startRunner();
  await startRuns(2);
  await waitFor('both messages to be watched', () => results.watchers.size === 2);
  const firstMessage = await api.deps.prisma.message.findFirstOrThrow({ where: { recipient: toPhone(0) } });
  results.settle(firstMessage.id, SENT);
  await waitFor('the second message', async () => (await listBodies(0)).length === 2);
  expect(await listBodies(0)).toEqual(['One', 'Two']);
  expect(await listBodies(1)).toEqual(['One']);
});

it('a run whose message is no longer watched continues after the maximum delay', async () => {
  startRunner({ maxWatched: 1 });
  const id = await startRuns(2);
  await waitFor('one message to be watched', () => results.watchers.size === 1);
  expect([await listBodies(0), await listBodies(1)]).toEqual([['One'], ['One']]);
  clock.advance(PATIENCE_MS);
  await waitFor('both runs to end', async () => {
    return (await listRuns(api, channel, id)).every(({ status }) => status === 'completed');
  });
  expect([await listBodies(0), await listBodies(1)]).toEqual([
    ['One', 'Two'],
    ['One', 'Two'],
  ]);
});

it('a step that fails unexpectedly is retried at growing intervals and ends its run after ten failures', async () => {
  startRunner();
  const id = await createAutomation(api, channel, [{ type: 'wait', seconds: 60 }, ...TWO_REPLIES], { keyword: 'go' });
  await receiveText(api.deps, channel, toPhone(0), 'go');
  await waitForRun(api, channel, id, 'waiting');
  const findRun = () => api.deps.prisma.automationRun.findFirstOrThrow({ where: { automationId: id } });
  const { id: runId } = await findRun();
  // No version could have stored a reply step without a message, so performing it throws an unexpected error.
  await pool.query(
    `UPDATE automation_runs SET steps = '[{"type":"wait","seconds":60},{"type":"send_reply"}]' WHERE id = $1`,
    [runId],
  );
  clock.advance(60_000);
  const failedRun = await waitFor('the step to fail', async () => {
    const run = await findRun();
    return run.failures === 1 && run;
  });
  expect(failedRun).toMatchObject({ status: 'running', step: 1, completedAt: null, errorMessage: null });
  expect(failedRun.leaseUntil).not.toBeNull();
  await pool.query('UPDATE automation_runs SET failures = 9, lease_until = NULL WHERE id = $1', [runId]);
  const [ended] = await waitForRun(api, channel, id, 'failed').then(() => listRuns(api, channel, id));
  expect(ended).toMatchObject({ status: 'failed', step: 1 });
  expect(await findRun()).toMatchObject({
    failures: 10,
    errorMessage: 'Heliograph could not perform this step because of an internal error.',
  });
  expect((await findRun()).completedAt).not.toBeNull();
});
