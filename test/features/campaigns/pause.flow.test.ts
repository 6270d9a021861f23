import { expect, it } from 'vitest';
import { releaseCampaigns } from '../../../src/features/campaigns/campaign-store.js';
import { readBalance } from '../../support/accounts.js';
import { countMessagesPerContact, createCampaign, readCampaign, waitForCampaign } from '../../support/campaigns.js';
import { call } from '../../support/channel-calls.js';
import { createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';

const PRICE = 10_000n;
const CREDIT = 100_000_000n;
const HOUR_MS = 60 * 60 * 1000;

const clock = new ShiftedClock();
const faults = new ControlledFaults();
const test = suiteApp({ clock, faults });

it('a paused running campaign sends only committed messages and continues when resumed', async () => {
  const channel = await createCampaignChannel(test.deps);
  const group = await createGroup(test.deps, channel, { size: 450 });
  const hold = faults.hold('campaign:before-commit');
  const { id } = await createCampaign(test, channel, { groupId: group.id });
  await hold.reached;
  const pauseRequest = call(test, channel, 'POST', `/campaigns/${id}/pause`);
  const nextHold = faults.hold('campaign:taken');
  hold.release();
  const { messageCount, ...paused } = (await pauseRequest).json().data;
  nextHold.release();
  expect(paused).toMatchObject({ status: 'paused', pausedAt: expect.any(String), completedAt: null });
  expect(messageCount).toBe(200);

  await releaseCampaigns(test.deps.pool);
  const otherCampaign = await createCampaign(test, channel, { groupId: (await createGroup(test.deps, channel)).id });
  await waitForCampaign(test, channel, otherCampaign.id, 'completed');
  expect(await waitForAllMessages(test.deps, channel.account.id, 'delivered')).toBe(messageCount + 3);
  expect(await readCampaign(test, channel, id)).toMatchObject({ status: 'paused', messageCount });

  const resumeResponse = await call(test, channel, 'POST', `/campaigns/${id}/resume`);
  expect(resumeResponse.json().data).toMatchObject({ status: 'running', pausedAt: null });
  expect(await waitForCampaign(test, channel, id, 'completed')).toMatchObject({ messageCount: 450 });
  expect(await countMessagesPerContact(test.deps, id)).toEqual(
    new Map(group.contactIds.map((contactId) => [contactId, 1])),
  );
  expect(await waitForAllMessages(test.deps, channel.account.id, 'delivered')).toBe(453);
  expect(await readBalance(test.deps, channel.account.id)).toBe(CREDIT - 453n * PRICE);
});

it('a paused scheduled campaign does not start; resumed after its time, it starts immediately', async () => {
  const channel = await createCampaignChannel(test.deps);
  const { id: groupId } = await createGroup(test.deps, channel, { size: 2 });
  const scheduledAt = new Date(clock.now().getTime() + HOUR_MS).toISOString();
  const { id } = await createCampaign(test, channel, { groupId, scheduledAt });
  await call(test, channel, 'POST', `/campaigns/${id}/pause`);
  clock.advance(HOUR_MS);
  const otherCampaign = await createCampaign(test, channel, { groupId });
  await waitForCampaign(test, channel, otherCampaign.id, 'completed');
  expect(await readCampaign(test, channel, id)).toMatchObject({ status: 'paused', startedAt: null });
  await call(test, channel, 'POST', `/campaigns/${id}/resume`);
  expect(await waitForCampaign(test, channel, id, 'completed')).toMatchObject({ messageCount: 2 });
});
