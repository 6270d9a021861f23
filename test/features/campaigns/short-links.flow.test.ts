import { beforeEach, describe, expect, it } from 'vitest';
import { changeLinkSettings } from '../../../src/features/links/domain/settings.js';
import { createCampaign, waitForCampaign } from '../../support/campaigns.js';
import { call } from '../../support/channel-calls.js';
import { addTemplate, createGroup } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { visit } from '../../support/links.js';
import { createTestOperator } from '../../support/operators.js';
import { sharedApp } from '../../support/suite.js';

const test = sharedApp();
let channel: TestChannel;
let groupId: string;
let ids: string[];

const openChannel = async (kind: 'sms' | 'whatsapp') => {
  channel = await createTestChannel(test.deps, undefined, { kind });
  ({ id: groupId, contactIds: ids } = await createGroup(test.deps, channel));
};
const run = async (body: Omit<Parameters<typeof createCampaign>[2], 'groupId'>) => {
  const { id } = await createCampaign(test, channel, { groupId, ...body });
  const campaign = await waitForCampaign(test, channel, id, 'completed');
  const messages = await test.deps.prisma.message.findMany({
    where: { campaignId: id },
    orderBy: { contactId: 'asc' },
  });
  return { campaign, messages };
};
const findLinks = async (messageId: string) =>
  (await call(test, channel, 'GET', `/messages/links/${messageId}`)).json().data as {
    url: string;
    shortUrl: string;
    clicks: number;
    botClicks: number;
  }[];
const base = () => `${test.config.publicUrl}/l/`;

describe('short links of a campaign on an SMS channel', () => {
  beforeEach(() => openChannel('sms'));

  it('gives each recipient a link before segments and price are computed', async () => {
    const long = `https://shop.example/${'x'.repeat(200)}?id={{contact.fields.id}}`;
    await test.deps.prisma.contact.update({ where: { id: ids[0] }, data: { fields: { id: 7 } } });
    const body = { text: `Hello: ${long}.`, shortenLinks: true };
    const owner = await createTestOperator(test, { role: 'owner', accountId: channel.account.id });
    const url = `/accounts/${channel.account.id}/channels/${channel.channelId}/campaigns/estimate`;
    const estimate = await owner.ask('POST', url, { name: 'Test', groupId, ...body });
    const { campaign, messages } = await run(body);
    expect(estimate.json().data).toMatchObject({ messages: 3, sms: { segments: 3 } });
    expect(messages.map(({ parts }) => parts)).toEqual([1, 1, 1]);
    const links = await Promise.all(messages.map(({ id }) => findLinks(id)));
    expect(links.flat().map(({ url: target }) => target.slice(-5))).toEqual(['?id=7', 'x?id=', 'x?id=']);
    expect(messages.map(({ body: text }) => text)).toEqual(links.map(([link]) => `Hello: ${link?.shortUrl}.`));
    expect(new Set(links.flat().map(({ shortUrl }) => shortUrl)).size).toBe(3);

    await visit(test, new URL(links[0]?.[0]?.shortUrl as string).pathname);
    await visit(test, new URL(links[1]?.[0]?.shortUrl as string).pathname, { agent: 'WhatsApp/2.23.20.0' });
    await test.deps.links.clicks.flush();
    expect(await findLinks(messages[0]?.id as string)).toMatchObject([{ clicks: 1, botClicks: 0 }]);
    expect(await findLinks(messages[1]?.id as string)).toMatchObject([{ clicks: 0, botClicks: 1 }]);
    const results = await call(test, channel, 'GET', `/campaigns/${campaign.id}/results`);
    expect(results.json().data.funnel).toMatchObject({ recipients: 3, clicked: 1 });
  });

  it('shortens only links of the sender', async () => {
    await test.deps.prisma.contact.update({ where: { id: ids[0] }, data: { name: 'https://evil.example/' } });
    const { messages } = await run({
      text: 'Hi {{contact.name|you}}: {{variables.page}}',
      variables: { page: 'https://shop.example/' },
      shortenLinks: true,
    });
    expect(messages[0]?.body.startsWith(`Hi https://evil.example/: ${base()}`)).toBe(true);
    expect(await findLinks(messages[0]?.id as string)).toMatchObject([{ url: 'https://shop.example/' }]);
  });

  it('keeps links unless the campaign or the account shortens them', async () => {
    const text = 'See https://shop.example/';
    expect((await run({ text })).messages.map(({ body }) => body)).toEqual([text, text, text]);
    const owner = { accountId: channel.account.id, ownHosts: [] };
    await changeLinkSettings(test.deps.prisma, owner, { isOn: true });
    expect((await run({ text, shortenLinks: false })).messages[0]?.body).toBe(text);
    const { campaign, messages } = await run({ text });
    expect(campaign).toMatchObject({ shortenLinks: true });
    expect(messages[0]?.body.startsWith(`See ${base()}`)).toBe(true);
  });
});

it("shortens links in the parameters of a WhatsApp template, and hides them from other accounts' keys", async () => {
  await openChannel('whatsapp');
  await addTemplate(test, channel, { name: 'offer', components: [{ type: 'BODY', text: 'New: {{1}}' }] });
  const { messages } = await run({
    templateName: 'offer',
    components: [{ type: 'body', parameters: [{ type: 'text', text: 'https://shop.example/new' }] }],
    shortenLinks: true,
  });
  const [first] = messages;
  const [link] = await findLinks(first?.id as string);
  expect(link?.url).toBe('https://shop.example/new');
  expect(first?.body).toBe(`New: ${link?.shortUrl}`);
  expect(new Set(messages.map(({ body }) => body)).size).toBe(3);
  await openChannel('whatsapp');
  expect((await call(test, channel, 'GET', `/messages/links/${first?.id}`)).statusCode).toBe(404);
});
