import { beforeEach, describe, expect, it } from 'vitest';
import { readBalance } from '../../support/accounts.js';
import { createCampaign, waitForCampaign } from '../../support/campaigns.js';
import { call } from '../../support/channel-calls.js';
import { createGroup } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createTestOperator } from '../../support/operators.js';
import { sharedApp } from '../../support/suite.js';

const CREDIT = 100_000_000n;
const LINE = 'Reply STOP to opt out.';

const test = sharedApp();
let channel: TestChannel;
let groupId: string;
let ids: string[];
let priceMicros: bigint;

beforeEach(async () => {
  channel = await createTestChannel(test.deps, undefined, { kind: 'sms' });
  ({ id: groupId, contactIds: ids } = await createGroup(test.deps, channel));
  const { contact } = test.deps.prisma;
  await contact.update({ where: { id: ids[0] }, data: { name: 'Ann' } });
  await contact.update({ where: { id: ids[1] }, data: { name: 'Žofie' } });
});

const send = async (body: Omit<Parameters<typeof createCampaign>[2], 'groupId'>) => {
  const { id } = await createCampaign(test, channel, { groupId, ...body });
  return waitForCampaign(test, channel, id, 'completed');
};
const listMessages = (campaignId: string) =>
  test.deps.prisma.message.findMany({ where: { campaignId }, orderBy: { contactId: 'asc' } });
const listBodies = async (campaignId: string) => (await listMessages(campaignId)).map(({ body }) => body);
const request = async (method: 'POST' | 'GET', url: string, payload?: object) => {
  const response = await call(test, channel, method, url, payload);
  return { status: response.statusCode, body: response.json() };
};

describe('a campaign on an SMS channel', () => {
  it('sends each member the text with their own values, charged by segment', async () => {
    const campaign = await send({ text: `Hello {{contact.name|there}}, ${'x'.repeat(60)}` });
    expect(campaign).toMatchObject({ messageCount: 3, templateName: null, language: null, optOutLine: null });
    const messages = await listMessages(campaign.id);
    expect(
      messages.map(({ kind, sender, parts, body }) => ({ kind, sender, parts, greeting: body.split(',')[0] })),
    ).toEqual([
      { kind: 'sms', sender: channel.phoneNumber, parts: 1, greeting: 'Hello Ann' },
      { kind: 'sms', sender: channel.phoneNumber, parts: 2, greeting: 'Hello Žofie' },
      { kind: 'sms', sender: channel.phoneNumber, parts: 1, greeting: 'Hello there' },
    ]);
    priceMicros = messages[0]?.priceMicros as bigint;
    expect(priceMicros).toBeGreaterThan(0n);
    expect(await readBalance(test.deps, channel.account.id)).toBe(CREDIT - 4n * priceMicros);
  });

  it('skips members for whom a variable has no value', async () => {
    const campaign = await send({
      text: 'Your code is {{variables.code}}',
      memberVariables: [{ contactId: ids[1], variables: { code: 'B2' } }],
    });
    expect(campaign).toMatchObject({ messageCount: 1, skippedCount: 2 });
    expect(await listBodies(campaign.id)).toEqual(['Your code is B2']);
  });

  it('appends the opt-out line only to the first message to a contact', async () => {
    const earlier = await send({ text: 'Earlier', memberVariables: [] });
    expect(await listBodies(earlier.id)).toEqual(['Earlier', 'Earlier', 'Earlier']);
    const message = (await listMessages(earlier.id))[0];
    await test.deps.prisma.message.deleteMany({ where: { id: message?.id as string } });
    const campaign = await send({ text: 'News', optOutLine: LINE });
    expect(await listBodies(campaign.id)).toEqual([`News\n${LINE}`, 'News', 'News']);
  });

  it("appends the account's line unless the campaign has none", async () => {
    const owner = await createTestOperator(test, { role: 'owner', accountId: channel.account.id });
    const changed = await owner.ask('PATCH', `/accounts/${channel.account.id}/settings`, { optOutLine: LINE });
    expect(changed.json().data).toMatchObject({ optOutLine: LINE, lowBalance: null });
    const withoutLine = await send({ text: 'Without', optOutLine: null });
    expect(await listBodies(withoutLine.id)).toEqual(['Without', 'Without', 'Without']);
    await test.deps.prisma.message.deleteMany({ where: { channelId: channel.channelId } });
    const withLine = await send({ text: 'With' });
    expect(await listBodies(withLine.id)).toEqual([`With\n${LINE}`, `With\n${LINE}`, `With\n${LINE}`]);
  });

  it('an estimate shows segments, encodings, the price and the most expensive recipient, and agrees with the charge', async () => {
    const payload = {
      name: 'Sale',
      groupId,
      text: `Hello {{contact.name|there}}, ${'x'.repeat(60)}`,
      optOutLine: null,
    };
    const { status, body } = await request('POST', '/campaigns/estimate', payload);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      members: 3,
      messages: 3,
      sms: { segments: 4, gsm7: 2, ucs2: 1 },
      countries: [{ callingCode: '49', messages: 3, segments: 4 }],
      sample: { name: 'Ann', body: `Hello Ann, ${'x'.repeat(60)}` },
      mostExpensive: { name: 'Žofie', segments: 2, encoding: 'ucs2' },
    });
    expect((await request('GET', '/campaigns')).body.data.total).toBe(0);
    await send(payload);
    const charged = CREDIT - (await readBalance(test.deps, channel.account.id));
    expect(charged).toBe(BigInt(Math.round(body.data.total * 1_000_000)));
  });

  it.each([
    ['text', {}],
    ['text', { text: ' \u200b' }],
    ['text', { text: 'x'.repeat(1_601) }],
    ['text', { text: 'Hello {{contact.nmae}}' }],
    ['text', { text: 'Hello {{variables.code}}' }],
    ['optOutLine', { text: 'Hello', optOutLine: '' }],
    ['optOutLine', { text: 'Hello', optOutLine: 'x'.repeat(161) }],
    ['optOutLine', { text: 'Hello', optOutLine: 'Stop, {{contact.name}}' }],
    ['templateName', { text: 'Hello', templateName: 'hello' }],
    ['components', { text: 'Hello', components: [] }],
  ])('refuses an unsuitable %s: %j', async (field, change) => {
    const { status, body } = await request('POST', '/campaigns', { name: 'Sale', groupId, ...change });
    expect(status).toBe(400);
    expect(body.error.details).toContainEqual(expect.objectContaining({ field }));
    expect((await request('GET', '/campaigns')).body.data.total).toBe(0);
  });
});

it('a WhatsApp channel refuses a text and an opt-out line', async () => {
  channel = await createTestChannel(test.deps);
  for (const field of ['text', 'optOutLine']) {
    const payload = { name: 'Sale', templateName: 'hello', language: 'en_US', groupId, [field]: 'Hello' };
    const { status, body } = await request('POST', '/campaigns', payload);
    expect(status).toBe(400);
    expect(body.error.details).toMatchObject([{ field }]);
  }
});
