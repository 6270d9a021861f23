import { beforeEach, describe, expect, it } from 'vitest';
import { readBalance } from '../../support/accounts.js';
import { countMessagesPerContact, createCampaign, readCampaign, waitForCampaign } from '../../support/campaigns.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { createCampaignChannel, createGroup, createTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const PRICE = 10_000n;
const CREDIT = 100_000_000n;
const MEMBERS = 60;

describe('a campaign with variants', () => {
  const clock = new ShiftedClock();
  const test = suiteApp({ clock });
  let channel: TestChannel;
  let group: { id: string; contactIds: string[] };

  beforeEach(async () => {
    channel = await createCampaignChannel(test.deps);
    await createTemplate(test.deps, channel, { name: 'second', body: 'Good morning' });
    await createTemplate(test.deps, channel, { name: 'third', body: 'Good evening' });
    group = await createGroup(test.deps, channel, { size: MEMBERS });
  });

  const variant = (templateName: string, share: number) => ({ templateName, language: 'en_US', share });
  const create = (body: object) => createCampaign(test, channel, { groupId: group.id, ...body });
  const listMessages = (campaignId: string) =>
    test.deps.prisma.message.findMany({ where: { campaignId }, orderBy: { id: 'asc' } });
  const expectOneEach = async (id: string) => {
    expect(await countMessagesPerContact(test.deps, id)).toEqual(
      new Map(group.contactIds.map((contactId) => [contactId, 1])),
    );
    expect(await readBalance(test.deps, channel.account.id)).toBe(CREDIT - BigInt(MEMBERS) * PRICE);
  };
  /** Waits until every message of the test is created, and returns those messages. */
  const waitForTest = async (id: string) => {
    await waitFor('the end of the test to be set', async () => {
      const { testEndsAt } = (await call(test, channel, 'GET', `/campaigns/${id}`)).json().data;
      return testEndsAt !== null;
    });
    return listMessages(id);
  };

  it('members are divided by share, and each message has the template of its variant', async () => {
    const { id } = await create({ variants: [variant('second', 30), variant('third', 20)] });
    await waitForCampaign(test, channel, id, 'completed');
    await expectOneEach(id);
    const messages = await listMessages(id);
    const bodies = ['Hello', 'Good morning', 'Good evening'];
    for (const { campaignVariant, body } of messages) expect(body).toBe(bodies[campaignVariant as number]);
    expect([0, 1, 2].map((index) => messages.filter((each) => each.campaignVariant === index).length)).toEqual([
      30, 18, 12,
    ]);

    const results = (await call(test, channel, 'GET', `/campaigns/${id}/results`)).json().data;
    expect(results.byVariant).toMatchObject([
      { variant: 'A', messages: 30, cost: { total: 0.3 } },
      { variant: 'B', messages: 18, cost: { total: 0.18 } },
      { variant: 'C', messages: 12, cost: { total: 0.12 } },
    ]);
    const csv = (await call(test, channel, 'GET', `/campaigns/${id}/recipients.csv`)).body;
    expect(csv.match(/,B,0\.01,/g)).toHaveLength(18);
    const { data } = (await call(test, channel, 'GET', `/campaigns/${id}/messages?limit=1`)).json();
    expect(data.messages[0].variant).toMatch(/^[ABC]$/);
  });

  it('the variant with the most replies in the test goes to all other members', async () => {
    const { id } = await create({
      variants: [variant('second', 50)],
      test: { share: 50, criterion: 'replied', minutes: 60 },
    });
    const tested = await waitForTest(id);
    expect(tested.length).toBeGreaterThan(0);
    expect(tested.length).toBeLessThan(MEMBERS);
    const withSecondVariant = tested.filter(({ campaignVariant }) => campaignVariant === 1);
    await waitFor('the test messages to be delivered', async () =>
      (await listMessages(id)).every(({ status }) => status === 'delivered'),
    );
    for (const { recipient } of withSecondVariant) await playInbound(test, channel, { from: recipient, text: 'Yes' });
    clock.advance(61 * 60_000);
    await waitForCampaign(test, channel, id, 'completed');
    await expectOneEach(id);
    const messages = await listMessages(id);
    for (const message of messages) {
      const earlier = tested.find((each) => each.id === message.id);
      expect(message.campaignVariant).toBe(earlier ? earlier.campaignVariant : 1);
    }
    expect(await readCampaign(test, channel, id)).toMatchObject({
      winner: 'B',
      winnerReason: 'most',
      messageCount: MEMBERS,
      skippedCount: 0,
    });
  });

  it('the variant with the most clicks by people wins', async () => {
    const { id } = await create({
      variants: [variant('second', 50)],
      test: { share: 50, criterion: 'clicked', minutes: 60 },
    });
    const tested = await waitForTest(id);
    await test.deps.prisma.link.createMany({
      data: tested.map(({ id: messageId, campaignVariant }) => ({
        ...{ code: messageId, messageId, accountId: channel.account.id, target: 'http://127.0.0.1/' },
        ...(campaignVariant === 1 ? { clicks: 1, firstClickedAt: clock.now() } : { botClicks: 1 }),
      })),
    });
    clock.advance(61 * 60_000);
    await waitForCampaign(test, channel, id, 'completed');
    await expectOneEach(id);
    expect(await readCampaign(test, channel, id)).toMatchObject({ winner: 'B', winnerReason: 'most' });
  });

  it('an SMS campaign divides its members among texts, which all get the opt-out line', async () => {
    const sms = await createTestChannel(test.deps, undefined, { kind: 'sms' });
    const members = await createGroup(test.deps, sms, { size: 10 });
    const { id } = await createCampaign(test, sms, {
      groupId: members.id,
      text: 'Hello',
      optOutLine: 'Reply STOP to opt out.',
      variants: [{ text: 'Good morning', share: 50 }],
    });
    await waitForCampaign(test, sms, id, 'completed');
    const bodies = (await listMessages(id)).map(({ campaignVariant, body }) => `${campaignVariant} ${body}`).sort();
    expect(bodies).toEqual([
      ...Array<string>(5).fill('0 Hello\nReply STOP to opt out.'),
      ...Array<string>(5).fill('1 Good morning\nReply STOP to opt out.'),
    ]);
  });

  it('variant A wins a test without any events', async () => {
    const { id } = await create({
      variants: [variant('second', 50)],
      test: { share: 20, criterion: 'read', minutes: 1 },
    });
    await waitForTest(id);
    clock.advance(2 * 60_000);
    await waitForCampaign(test, channel, id, 'completed');
    await expectOneEach(id);
    expect(await readCampaign(test, channel, id)).toMatchObject({ winner: 'A', winnerReason: 'no_events' });
  });

  it.each([
    [
      'shares that leave nothing for variant A',
      { variants: [variant('second', 60), variant('third', 40)] },
      'variants',
    ],
    ['unknown templates', { variants: [variant('unknown', 50)] }, null],
    [
      'parameters that the template does not have',
      {
        variants: [
          { ...variant('second', 50), components: [{ type: 'body', parameters: [{ type: 'text', text: 'x' }] }] },
        ],
      },
      'variants[0].components',
    ],
    ['tests without variants', { test: { share: 50, criterion: 'read', minutes: 1 } }, 'test'],
  ])('%s are refused and create nothing', async (_, body, field) => {
    const payload = { name: 'Test', templateName: 'hello', language: 'en_US', groupId: group.id, ...body };
    const response = await call(test, channel, 'POST', '/campaigns', payload);
    expect(response.statusCode, response.body).toBe(field === null ? 404 : 400);
    if (field !== null)
      expect(response.json().error.message).toMatch(new RegExp(`^${field.replace('[0]', '\\[0\\]')}`));
    expect(await test.deps.prisma.campaign.count({ where: { channelId: channel.channelId } })).toBe(0);
  });
});
