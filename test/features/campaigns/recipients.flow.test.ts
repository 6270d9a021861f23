import { expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { readBalance } from '../../support/accounts.js';
import { describeFeature } from '../../support/backends.js';
import { countMessagesPerContact, createCampaign, waitForCampaign } from '../../support/campaigns.js';
import { createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import type { TestChannel } from '../../support/channels.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { suiteApp } from '../../support/suite.js';

const PRICE = 10_000n;
const CREDIT = 100_000_000n;
const HOUR_MS = 60 * 60 * 1000;

describeFeature('a campaign to groups, audiences and numbers', (backend) => {
  const clock = new ShiftedClock();
  const faults = new ControlledFaults();
  const test = suiteApp({ backend, clock, faults });
  let channel: TestChannel;

  const createChannel = async () => {
    channel = await createCampaignChannel(test.deps, { kind: 'sms' });
  };
  const post = async (path: string, payload: object) =>
    test.app.inject({ method: 'POST', url: `/api/v1/${path}`, headers: channel.headers, payload });
  const createAudience = async (country: string): Promise<string> => {
    const condition = { field: 'country', operator: 'is', value: country };
    const response = await post('audiences', { name: `Audience ${newId()}`, condition });
    expect(response.statusCode, response.body).toBe(200);
    return response.json().data.id;
  };
  const findPhones = async (campaignId: string) =>
    (await test.deps.prisma.message.findMany({ where: { campaignId } })).map(({ recipient }) => recipient).sort();
  const TEXT = { text: 'Spring sale', optOutLine: null };

  it('a campaign to groups, an audience and a list sends each person one message', async () => {
    await createChannel();
    const [first, second] = [await createGroup(test.deps, channel), await createGroup(test.deps, channel)];
    const { pool } = test.deps;
    await pool.query('INSERT INTO group_members (group_id, contact_id) VALUES ($1, $2)', [
      second.id,
      first.contactIds[0],
    ]);
    const audienceId = await createAudience('DE');
    const contact = await test.deps.prisma.contact.findUniqueOrThrow({ where: { id: first.contactIds[1] as string } });
    const body = {
      groupIds: [first.id, second.id],
      audienceIds: [audienceId],
      recipients: [contact.phone as string, '15005550111', '15005550111', '15005550112'],
      ...TEXT,
    };
    const estimate = (await post('campaigns/estimate', { name: 'Test', ...body })).json().data;
    expect(estimate).toMatchObject({ members: 8, messages: 8, total: 0.08 });
    const campaign = await createCampaign(test, channel, body);
    expect(campaign).toMatchObject({
      groupId: null,
      groupIds: [first.id, second.id].sort(),
      audienceIds: [audienceId],
      listedCount: 3,
    });
    expect(await waitForCampaign(test, channel, campaign.id, 'completed')).toMatchObject({ messageCount: 8 });
    expect([...(await countMessagesPerContact(test.deps, campaign.id)).values()]).toEqual(Array(8).fill(1));
    expect(await findPhones(campaign.id)).toEqual(
      expect.arrayContaining(['15005550111', '15005550112', contact.phone]),
    );
    expect(await readBalance(test.deps, channel.account.id)).toBe(CREDIT - 8n * PRICE);
    const { memberCount } = await test.deps.prisma.campaign.findUniqueOrThrow({ where: { id: campaign.id } });
    expect(memberCount).toBe(8);
    const { contactCount } = await test.deps.prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } });
    expect(contactCount).toBe(2);
  });

  it('the audience of a campaign is evaluated at the start', async () => {
    await createChannel();
    const audienceIds = [await createAudience('DE')];
    const scheduledAt = new Date(clock.now().getTime() + HOUR_MS).toISOString();
    const { id } = await createCampaign(test, channel, { audienceIds, scheduledAt, ...TEXT });
    const { contactIds } = await createGroup(test.deps, channel);
    clock.advance(HOUR_MS);
    await waitForCampaign(test, channel, id, 'completed');
    expect([...(await countMessagesPerContact(test.deps, id)).keys()].sort()).toEqual([...contactIds].sort());
  });

  it('a contact that leaves all groups of a campaign gets no message, unless an audience or the list contains it', async () => {
    await createChannel();
    const [first, second] = [await createGroup(test.deps, channel), await createGroup(test.deps, channel)];
    const [left, listed] = first.contactIds as [string, string];
    const { phone } = await test.deps.prisma.contact.findUniqueOrThrow({ where: { id: listed } });
    const hold = faults.hold('campaign:gathered');
    const groupIds = [first.id, second.id];
    const { id } = await createCampaign(test, channel, { groupIds, recipients: [phone as string], ...TEXT });
    await hold.reached;
    await test.deps.prisma.groupMember.deleteMany({ where: { contactId: { in: [left, listed] } } });
    await test.deps.prisma.contact.delete({ where: { id: second.contactIds[0] as string } });
    hold.release();
    await waitForCampaign(test, channel, id, 'completed');
    const expected = [listed, first.contactIds[2], second.contactIds[1], second.contactIds[2]].sort();
    expect([...(await countMessagesPerContact(test.deps, id)).keys()].sort()).toEqual(expected);
  });

  it.each(['group', 'audience'])(
    'a campaign fails before any message if its %s was deleted before the start',
    async (kind) => {
      await createChannel();
      const group = await createGroup(test.deps, channel);
      const secondGroup = await createGroup(test.deps, channel);
      const audienceId = await createAudience('DE');
      const scheduledAt = new Date(clock.now().getTime() + HOUR_MS).toISOString();
      const sources = { groupIds: [group.id, secondGroup.id], audienceIds: [audienceId] };
      const { id } = await createCampaign(test, channel, { ...sources, scheduledAt, ...TEXT });
      if (kind === 'group') await test.deps.prisma.contactGroup.delete({ where: { id: group.id } });
      else await test.deps.pool.query('DELETE FROM audiences WHERE id = $1', [audienceId]);
      clock.advance(HOUR_MS);
      const campaign = await waitForCampaign(test, channel, id, 'failed');
      expect(campaign).toMatchObject({
        messageCount: 0,
        errorMessage: expect.stringContaining(`${kind} of the campaign was deleted`),
      });
    },
  );

  it('a test of variants takes its random share from all recipients', async () => {
    await createChannel();
    const group = await createGroup(test.deps, channel, { size: 60 });
    const secondGroup = await createGroup(test.deps, channel, { size: 60 });
    const { id } = await createCampaign(test, channel, {
      groupIds: [group.id, secondGroup.id],
      ...TEXT,
      variants: [{ text: 'Second', share: 50 }],
      test: { share: 30, criterion: 'delivered', minutes: 1 },
    });
    await expect
      .poll(async () => (await test.deps.prisma.campaign.findUniqueOrThrow({ where: { id } })).testEndsAt)
      .not.toBeNull();
    const tested = await test.deps.prisma.message.count({ where: { campaignId: id } });
    expect(tested).toBeGreaterThan(10);
    expect(tested).toBeLessThan(80);
    clock.advance(HOUR_MS);
    await waitForCampaign(test, channel, id, 'completed');
    expect([...(await countMessagesPerContact(test.deps, id)).values()]).toEqual(Array(120).fill(1));
  });
});
