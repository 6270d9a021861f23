import type pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AutomationRunner } from '../../../src/features/automations/runner.js';
import type { SendResult } from '../../../src/messages/send/results/result-store.js';
import { openPool } from '../../../src/platform/store/connections/pool.js';
import { bodiesTo, createAutomation, runReaches, runsOf, say } from '../../support/automations.js';
import { createGroup } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { ManualClock } from '../../support/manual-clock.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

/** More than a process works on at once. */
const MANY = 40;
const PATIENCE_MS = 10_000;
const SENT: SendResult = { status: 'sent', carrierMessageId: 'wamid.1', errorCode: null, errorMessage: null };
const TWO_REPLIES = ['One', 'Two'].map((message) => ({ type: 'send_reply', message }));

/** The results of a carrier that answers when the test says so. */
class HeldResults {
  readonly waiting = new Map<string, (result: SendResult | null) => void>();

  wait(messageId: string): Promise<SendResult | null> {
    return new Promise((resolve) => this.waiting.set(messageId, resolve));
  }

  letGo(messageId: string): void {
    this.settle(messageId, null);
  }

  settle(messageId: string, result: SendResult | null): void {
    this.waiting.get(messageId)?.(result);
    this.waiting.delete(messageId);
  }
}

let api: TestApp;
let channel: TestChannel;
let clock: ManualClock;
let results: HeldResults;
let pool: pg.Pool;
let runner: AutomationRunner;

const phoneOf = (index: number) => `1500557${String(index).padStart(4, '0')}`;
const bodiesOf = (index: number) => bodiesTo(api.deps, channel, phoneOf(index));

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

/** Each contact starts the automation of two replies, and its first one is on its way. */
async function sendFirstOf(count: number): Promise<string> {
  const id = await createAutomation(api, channel, TWO_REPLIES, { keyword: 'go' });
  for (let index = 0; index < count; index++) await say(api.deps, channel, phoneOf(index), 'go');
  await waitFor('every first message', async () => {
    return (await api.deps.prisma.message.count({ where: { channelId: channel.channelId } })) === count;
  });
  return id;
}

beforeEach(async () => {
  clock = new ManualClock();
  results = new HeldResults();
  api = await testApp({ role: 'api', clock });
  // As in production: its transactions ask the other pool for prices, and must not have taken all of its connections.
  pool = openPool({ url: api.deps.config.databaseUrl as string, size: 3, log: api.deps.log, byKeyOnly: true });
  channel = await createTestChannel(api.deps);
});
afterEach(async () => {
  await runner?.stop();
  await pool.end();
  await api.close();
});

it('runs whose messages do not leave hold up no other run', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  try {
    startRunner();
    const troubled = await sendFirstOf(MANY);
    const other = await createTestChannel(api.deps);
    const group = await createGroup(api.deps, other, { size: 0 });
    const id = await createAutomation(api, other, [{ type: 'add_to_group', groupId: group.id }], { keyword: 'join' });
    await say(api.deps, other, phoneOf(0), 'join');
    await runReaches(api, other, id, 'completed');
    const runs = await runsOf(api, channel, troubled);
    expect(runs.map(({ status, step, waitingUntil }) => ({ status, step, waitingUntil }))).toEqual(
      runs.map(() => ({ status: 'running', step: 1, waitingUntil: null })),
    );
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', note);
  }
});

it('a run goes on as soon as its message was sent, and no sooner', async () => {
  startRunner();
  await sendFirstOf(2);
  await waitFor('both messages to be watched', () => results.waiting.size === 2);
  const first = await api.deps.prisma.message.findFirstOrThrow({ where: { recipient: phoneOf(0) } });
  results.settle(first.id, SENT);
  await waitFor('the second message', async () => (await bodiesOf(0)).length === 2);
  expect(await bodiesOf(0)).toEqual(['One', 'Two']);
  expect(await bodiesOf(1)).toEqual(['One']);
});

it('a run whose message nobody watches any more goes on when its patience ends', async () => {
  startRunner({ maxWatched: 1 });
  const id = await sendFirstOf(2);
  await waitFor('one message to be watched', () => results.waiting.size === 1);
  expect([await bodiesOf(0), await bodiesOf(1)]).toEqual([['One'], ['One']]);
  clock.advance(PATIENCE_MS);
  await waitFor('both runs to end', async () => {
    return (await runsOf(api, channel, id)).every(({ status }) => status === 'completed');
  });
  expect([await bodiesOf(0), await bodiesOf(1)]).toEqual([
    ['One', 'Two'],
    ['One', 'Two'],
  ]);
});

it('a run whose step fails unexpectedly is tried again at growing intervals, and ends after ten failures', async () => {
  startRunner();
  const id = await createAutomation(api, channel, [{ type: 'wait', seconds: 60 }, ...TWO_REPLIES], { keyword: 'go' });
  await say(api.deps, channel, phoneOf(0), 'go');
  await runReaches(api, channel, id, 'waiting');
  const row = () => api.deps.prisma.automationRun.findFirstOrThrow({ where: { automationId: id } });
  const { id: runId } = await row();
  // A step that no version could have stored: performing it throws what nobody expects.
  await pool.query(
    `UPDATE automation_runs SET steps = '[{"type":"wait","seconds":60},{"type":"send_reply"}]' WHERE id = $1`,
    [runId],
  );
  clock.advance(60_000);
  const failed = await waitFor('the step to fail', async () => {
    const run = await row();
    return run.failures === 1 && run;
  });
  expect(failed).toMatchObject({ status: 'running', step: 1, completedAt: null, errorMessage: null });
  expect(failed.leaseUntil).not.toBeNull();
  await pool.query('UPDATE automation_runs SET failures = 9, lease_until = NULL WHERE id = $1', [runId]);
  const [ended] = await runReaches(api, channel, id, 'failed').then(() => runsOf(api, channel, id));
  expect(ended).toMatchObject({ status: 'failed', step: 1 });
  expect(await row()).toMatchObject({
    failures: 10,
    errorMessage: 'Heliograph could not perform this step because of an internal error.',
  });
  expect((await row()).completedAt).not.toBeNull();
});
