import { expect, it } from 'vitest';
import { lockAccounts } from '../../../src/accounts/ledger-store.js';
import { cancelCampaign } from '../../../src/features/campaigns/cancel.js';
import { readBalance } from '../../support/accounts.js';
import { createCampaign, readCampaign, waitForCampaign } from '../../support/campaigns.js';
import { call } from '../../support/channel-calls.js';
import { createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { countStatuses } from '../../support/sends.js';
import { listBlockedStatements } from '../../support/store/blocked-statements.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const CREDIT = 100_000_000n;
const faults = new ControlledFaults();
const test = suiteApp({ faults });

it('a campaign paused while its turn starts commits nothing until it is resumed', async () => {
  const channel = await createCampaignChannel(test.deps);
  const { id: groupId } = await createGroup(test.deps, channel, { size: 3 });
  const hold = faults.holdForTest('campaign:taken');
  const { id } = await createCampaign(test, channel, { groupId });
  await hold.reached;
  const paused = await call(test, channel, 'POST', `/campaigns/${id}/pause`);
  expect(paused.json().data).toMatchObject({ status: 'paused' });
  const takenBefore = faults.count('campaign:taken');
  hold.release();
  // Another campaign gets a turn only after the turn of the paused campaign has ended.
  const nextHold = faults.holdForTest('campaign:taken');
  const laterCampaign = await createCampaign(test, channel, { groupId: (await createGroup(test.deps, channel)).id });
  await nextHold.reached;
  expect(faults.count('campaign:taken')).toBe(takenBefore + 1);
  expect(await readCampaign(test, channel, id)).toMatchObject({ status: 'paused', messageCount: 0 });
  expect(await test.deps.prisma.message.count({ where: { campaignId: id } })).toBe(0);
  expect(await readBalance(test.deps, channel.account.id)).toBe(CREDIT);
  nextHold.release();
  // Waits for the later campaign, so that it does not reach a fault point of the next test.
  await waitForCampaign(test, channel, laterCampaign.id, 'completed');
});

it('a campaign canceled while its turn starts commits nothing', async () => {
  const channel = await createCampaignChannel(test.deps);
  const { id: groupId } = await createGroup(test.deps, channel, { size: 3 });
  const hold = faults.holdForTest('campaign:taken');
  const { id } = await createCampaign(test, channel, { groupId });
  await hold.reached;
  expect((await call(test, channel, 'POST', `/campaigns/${id}/cancel`)).statusCode).toBe(200);
  hold.release();
  const nextHold = faults.holdForTest('campaign:taken');
  const laterCampaign = await createCampaign(test, channel, { groupId: (await createGroup(test.deps, channel)).id });
  await nextHold.reached;
  nextHold.release();
  await waitForCampaign(test, channel, laterCampaign.id, 'completed');
  expect(await readCampaign(test, channel, id)).toMatchObject({ status: 'canceled', messageCount: 0 });
  expect(await test.deps.prisma.message.count({ where: { campaignId: id } })).toBe(0);
});

it('canceling a campaign while a batch commits cancels and refunds that batch', async () => {
  const channel = await createCampaignChannel(test.deps);
  const { id: groupId } = await createGroup(test.deps, channel, { size: 3 });
  const hold = faults.holdForTest('campaign:before-commit');
  const committedHold = faults.holdForTest('campaign:committed');
  const { id } = await createCampaign(test, channel, { groupId });
  await hold.reached;
  const cancelRequest = call(test, channel, 'POST', `/campaigns/${id}/cancel`);
  await waitFor('the cancellation to wait', async () => {
    const { rowCount } = await test.deps.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        AND query LIKE '%accounts%'`,
    );
    return rowCount !== 0;
  });
  hold.release();
  expect((await cancelRequest).json().data).toMatchObject({ status: 'canceled', messageCount: 3 });
  committedHold.release();
  expect(await countStatuses(test.deps, channel.account.id)).toEqual({ canceled: 3 });
  expect(await readBalance(test.deps, channel.account.id)).toBe(CREDIT);
});

it('canceling locks the account before the campaign, like a runner, so they cannot deadlock', async () => {
  const channel = await createCampaignChannel(test.deps);
  const { id: groupId } = await createGroup(test.deps, channel, { size: 1 });
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
  const { id } = await createCampaign(test, channel, { groupId, scheduledAt });
  const { pool } = test.deps;
  const runner = await pool.connect();
  try {
    await runner.query('BEGIN');
    await lockAccounts(runner, [channel.account.id]);
    const campaign = { id, accountId: channel.account.id, channelId: channel.channelId };
    const cancelRequest = cancelCampaign(test.deps, campaign);
    await waitFor('the cancellation to wait', async () => (await listBlockedStatements(pool, runner)).length > 0);
    const { rowCount } = await runner.query('SELECT FROM campaigns WHERE id = $1 FOR UPDATE NOWAIT', [id]);
    expect(rowCount).toBe(1);
    await runner.query('COMMIT');
    await cancelRequest;
    expect(await readCampaign(test, channel, id)).toMatchObject({ status: 'canceled' });
  } finally {
    runner.release();
  }
});
