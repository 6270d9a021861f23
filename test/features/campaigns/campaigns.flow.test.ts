import { expect, it } from 'vitest';
import { BACKLOG_MESSAGES } from '../../../src/features/campaigns/runner.js';
import { readBalance } from '../../support/accounts.js';
import { describeFeature } from '../../support/backends.js';
import {
  countMessagesPerContact,
  createCampaign,
  readCampaign,
  startCampaign,
  waitForCampaign,
} from '../../support/campaigns.js';
import { createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import type { TestChannel } from '../../support/channels.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { countStatuses, waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const PRICE = 10_000n;
const CREDIT = 100_000_000n;
const HOUR_MS = 60 * 60 * 1000;

describeFeature('a campaign', (backend) => {
  const clock = new ShiftedClock();
  const faults = new ControlledFaults();
  const test = suiteApp({ backend, clock, faults });
  let channel: TestChannel;

  const createChannel = async (creditMicros?: bigint) => {
    channel = await createCampaignChannel(test.deps, { creditMicros });
  };

  it('a campaign sends each member of the group one message, charges each once, and completes', async () => {
    await createChannel();
    const group = await createGroup(test.deps, channel, { size: 1_200 });
    const { id } = await createCampaign(test, channel, { groupId: group.id });
    const campaign = await waitForCampaign(test, channel, id, 'completed');

    expect(await countMessagesPerContact(test.deps, id)).toEqual(
      new Map(group.contactIds.map((contactId) => [contactId, 1])),
    );
    expect(campaign).toMatchObject({ messageCount: 1_200, errorMessage: null });
    expect(campaign.counts).toMatchObject({ queued: 0, sending: 0 });
    expect(await waitForAllMessages(test.deps, channel.account.id, 'delivered')).toBe(1_200);
    expect((await readCampaign(test, channel, id)).counts).toMatchObject({ delivered: 1_200, sent: 0, failed: 0 });
    expect(await readBalance(test.deps, channel.account.id)).toBe(CREDIT - 1_200n * PRICE);
  });

  it('a campaign creates a conversation for each member and sends with the lowest priority', async () => {
    await createChannel();
    const group = await createGroup(test.deps, channel);
    const { id } = await createCampaign(test, channel, { groupId: group.id });
    const { startedAt, completedAt } = await waitForCampaign(test, channel, id, 'completed');

    const messages = await test.deps.prisma.message.findMany({ where: { campaignId: id } });
    const conversations = await test.deps.prisma.conversation.findMany({ where: { channelId: channel.channelId } });
    expect(conversations.map(({ contactId }) => contactId).sort()).toEqual([...group.contactIds].sort());
    for (const { contactId, conversationId, priority } of messages) {
      expect(priority).toBe(0);
      const conversation = conversations.find((entry) => entry.id === conversationId);
      expect(conversation?.contactId).toBe(contactId);
      const lastMessageAt = conversation?.lastMessageAt.toISOString() ?? '';
      expect(lastMessageAt >= (startedAt as string) && lastMessageAt <= (completedAt as string), lastMessageAt).toBe(
        true,
      );
    }
  });

  it('a campaign waits for its start time and is sent to the members at that time', async () => {
    await createChannel();
    const group = await createGroup(test.deps, channel, { size: 2 });
    const scheduledAt = new Date(clock.now().getTime() + HOUR_MS).toISOString();
    const { id } = await createCampaign(test, channel, { groupId: group.id, scheduledAt });
    const otherCampaign = await createCampaign(test, channel, { groupId: group.id });
    await waitForCampaign(test, channel, otherCampaign.id, 'completed');
    expect(await readCampaign(test, channel, id)).toMatchObject({
      status: 'scheduled',
      scheduledAt,
      startedAt: null,
      completedAt: null,
      messageCount: 0,
    });

    const laterGroup = await createGroup(test.deps, channel, { size: 1 });
    await test.deps.pool.query('INSERT INTO group_members (group_id, contact_id) VALUES ($1, $2)', [
      group.id,
      laterGroup.contactIds[0],
    ]);
    clock.advance(HOUR_MS);
    const campaign = await waitForCampaign(test, channel, id, 'completed');
    expect(campaign.messageCount).toBe(3);
    expect(Date.parse(campaign.startedAt as string)).toBeGreaterThanOrEqual(Date.parse(scheduledAt));
    expect((await test.deps.prisma.campaign.findUniqueOrThrow({ where: { id } })).memberCount).toBe(3);
  });

  it('a campaign does not message contacts who join the group after the start', async () => {
    await createChannel();
    const group = await createGroup(test.deps, channel, { size: 2 });
    const [late] = (await createGroup(test.deps, channel, { size: 1 })).contactIds;
    const hold = faults.hold('campaign:taken');
    const { id } = await createCampaign(test, channel, { groupId: group.id });
    await hold.reached;
    // The member is added a millisecond later, because the order of events in the same millisecond is undefined.
    await test.deps.pool.query(
      `INSERT INTO group_members (group_id, contact_id, added_at) VALUES ($1, $2, now() + interval '1 millisecond')`,
      [group.id, late],
    );
    hold.release();
    await waitForCampaign(test, channel, id, 'completed');
    expect([...(await countMessagesPerContact(test.deps, id)).keys()].sort()).toEqual([...group.contactIds].sort());
  });

  it('a campaign skips a member deleted during the campaign', async () => {
    await createChannel();
    const group = await createGroup(test.deps, channel, { size: 3 });
    const hold = faults.hold('campaign:taken');
    const { id } = await createCampaign(test, channel, { groupId: group.id });
    await hold.reached;
    await test.deps.prisma.contact.delete({ where: { id: group.contactIds[1] } });
    hold.release();
    expect(await waitForCampaign(test, channel, id, 'completed')).toMatchObject({ messageCount: 2 });
  });

  it('a campaign completes without a message for an empty group', async () => {
    await createChannel();
    const group = await createGroup(test.deps, channel, { size: 0 });
    const { id } = await createCampaign(test, channel, { groupId: group.id });
    expect(await waitForCampaign(test, channel, id, 'completed')).toMatchObject({ messageCount: 0 });
  });

  it('a campaign spends the balance down to its last message, then fails with a reason', async () => {
    await createChannel(7n * PRICE);
    const group = await createGroup(test.deps, channel, { size: 30 });
    const { id } = await createCampaign(test, channel, { groupId: group.id });
    const campaign = await waitForCampaign(test, channel, id, 'failed');
    expect(campaign).toMatchObject({ messageCount: 7, completedAt: null });
    expect(campaign.errorMessage).toMatch(/balance/);
    expect(await waitForAllMessages(test.deps, channel.account.id, 'delivered')).toBe(7);
    expect(await readBalance(test.deps, channel.account.id)).toBe(0n);
  });

  it('a campaign fails when its template was paused before the start', async () => {
    await createChannel();
    const group = await createGroup(test.deps, channel);
    const scheduledAt = new Date(clock.now().getTime() + HOUR_MS).toISOString();
    const { id } = await createCampaign(test, channel, { groupId: group.id, scheduledAt });
    await test.deps.prisma.template.updateMany({
      where: { channelId: channel.channelId },
      data: { status: 'PAUSED' },
    });
    clock.advance(HOUR_MS);
    const campaign = await waitForCampaign(test, channel, id, 'failed');
    expect(campaign).toMatchObject({ messageCount: 0 });
    expect(campaign.errorMessage).toMatch(/PAUSED/);
  });

  it('a campaign fails when its group was deleted before the start', async () => {
    await createChannel();
    const group = await createGroup(test.deps, channel);
    const scheduledAt = new Date(clock.now().getTime() + HOUR_MS).toISOString();
    const { id } = await createCampaign(test, channel, { groupId: group.id, scheduledAt });
    await test.deps.prisma.contactGroup.delete({ where: { id: group.id } });
    clock.advance(HOUR_MS);
    expect((await waitForCampaign(test, channel, id, 'failed')).errorMessage).toMatch(/group/);
  });

  it('a campaign is not complete while one of its messages waits for a retry', async () => {
    await createChannel();
    const group = await createGroup(test.deps, channel, { size: 2 });
    // The simulator throttles messages to this number twice, so the retries follow after one and two seconds.
    await test.deps.prisma.contact.update({
      where: { id: group.contactIds[0] },
      data: { phone: '15005550003' },
    });
    const { id } = await createCampaign(test, channel, { groupId: group.id });
    const waitingMessage = await waitFor('one message to wait', async () => {
      const campaign = await readCampaign(test, channel, id);
      return campaign.counts.sending === 1 && campaign.counts.delivered === 1 && campaign;
    });
    expect(waitingMessage.status).toBe('running');
    const campaign = await waitForCampaign(test, channel, id, 'completed');
    expect((campaign.counts.sent ?? 0) + (campaign.counts.delivered ?? 0)).toBe(2);
  });

  it('a campaign never starts once canceled while scheduled', async () => {
    await createChannel();
    const group = await createGroup(test.deps, channel);
    const scheduledAt = new Date(clock.now().getTime() + HOUR_MS).toISOString();
    const { id } = await createCampaign(test, channel, { groupId: group.id, scheduledAt });
    const { headers } = channel;
    await test.app.inject({ method: 'POST', url: `/api/v1/campaigns/${id}/cancel`, headers });
    clock.advance(HOUR_MS);
    const otherCampaign = await createCampaign(test, channel, { groupId: group.id });
    await waitForCampaign(test, channel, otherCampaign.id, 'completed');
    expect(await readCampaign(test, channel, id)).toMatchObject({
      status: 'canceled',
      startedAt: null,
      messageCount: 0,
    });
  });
});

describeFeature('canceling a running campaign', (backend) => {
  it('canceling a running campaign cancels and refunds every message that no worker had claimed', async () => {
    const api = await testApp({ backend, role: 'api' });
    const faults = new ControlledFaults();
    const worker = await testApp({ role: 'worker', sharesWith: api, faults });
    try {
      const claims = faults.hold('send:claimed');
      const { id, channel } = await startCampaign(api, 3_000);
      await claims.reached;
      await waitFor(
        'the campaign to be some batches ahead',
        async () => (await readCampaign(api, channel, id)).messageCount > BACKLOG_MESSAGES / 2,
      );

      const response = await api.app.inject({
        method: 'POST',
        url: `/api/v1/campaigns/${id}/cancel`,
        headers: channel.headers,
      });
      expect(response.json().data).toMatchObject({ status: 'canceled' });
      const { messageCount, counts } = response.json().data;
      expect(messageCount).toBeLessThanOrEqual(BACKLOG_MESSAGES);
      expect(counts.canceled).toBeGreaterThan(0);
      expect(counts.queued).toBe(0);
      claims.release();

      await waitFor('what was claimed to be delivered', async () => {
        const { delivered, canceled = 0 } = await countStatuses(api.deps, channel.account.id);
        return (delivered ?? 0) + canceled === messageCount;
      });
      const { canceled, delivered } = await countStatuses(api.deps, channel.account.id);
      // On a slow machine a lease may expire, and the message that its worker then releases is canceled too.
      expect(canceled).toBeGreaterThanOrEqual(counts.canceled);
      const charged = CREDIT - (await readBalance(api.deps, channel.account.id));
      expect(charged).toBe(BigInt(delivered ?? 0) * PRICE);
      expect((await readCampaign(api, channel, id)).messageCount).toBe(messageCount);
    } finally {
      await worker.close();
      await api.close();
    }
  });
});
