import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { readBalance } from '../../support/accounts.js';
import { createCampaign, waitForCampaign } from '../../support/campaigns.js';
import { call } from '../../support/channel-calls.js';
import { createGroup, createTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createTestOperator } from '../../support/operators.js';
import { sharedApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const LATER = new Date(Date.now() + 3_600_000).toISOString();
const OWN = '15005550111';

const test = sharedApp();
let channel: TestChannel;
let groupId: string;
let ids: string[];

beforeEach(async () => {
  channel = await createTestChannel(test.deps, undefined, { kind: 'sms' });
  ({ id: groupId, contactIds: ids } = await createGroup(test.deps, channel));
  await test.deps.prisma.contact.update({ where: { id: ids[0] as string }, data: { name: 'Ann' } });
});

type CampaignBody = Omit<Parameters<typeof createCampaign>[2], 'groupId'>;
const schedule = (body: CampaignBody) => createCampaign(test, channel, { groupId, scheduledAt: LATER, ...body });
const sendTest = async (id: string, body: object, key?: string) => {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  const response = await call(test, channel, 'POST', `/campaigns/${id}/test`, body, headers);
  return { status: response.statusCode, body: response.json(), headers: response.headers };
};
const listMessages = () =>
  test.deps.prisma.message.findMany({ where: { channelId: channel.channelId }, orderBy: { recipient: 'asc' } });
const readSpent = async () => 100_000_000n - (await readBalance(test.deps, channel.account.id));

describe('POST /api/v1/campaigns/:id/test', () => {
  it('sends charged messages with the values of a contact, outside the campaign', async () => {
    const { id } = await schedule({
      text: 'Hello {{contact.name}}, code {{variables.code}}',
      variables: { code: 'A1' },
      memberVariables: [{ contactId: ids[0], variables: { code: 'B2' } }],
    });
    const { status, body } = await sendTest(id, { to: [OWN, '15005550112'], contactId: ids[0] });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data.messages).toMatchObject([
      { to: OWN, body: 'Hello Ann, code B2', segments: 1 },
      { to: '15005550112', body: 'Hello Ann, code B2', segments: 1 },
    ]);
    const messages = await listMessages();
    expect(messages).toHaveLength(2);
    for (const message of messages) {
      expect(message).toMatchObject({
        campaignId: null,
        purpose: 'marketing',
        metadata: { campaignTest: id },
        sender: channel.phoneNumber,
      });
      expect(message.contactId).not.toBeNull();
      expect(message.priceMicros).toBeGreaterThan(0n);
    }
    expect(await readSpent()).toBe(messages.reduce((sum, { priceMicros }) => sum + priceMicros, 0n));
    await waitFor('both messages to be delivered', async () =>
      (await listMessages()).every((message) => message.status === 'delivered'),
    );
    const campaign = await call(test, channel, 'GET', `/campaigns/${id}`);
    expect(campaign.json().data).toMatchObject({ status: 'scheduled', messageCount: 0, counts: { delivered: 0 } });
  });

  it('appends the opt-out line, shortens links for each number and sends the chosen variant', async () => {
    const { id } = await schedule({
      text: 'See https://example.com/spring',
      optOutLine: 'Reply STOP to opt out.',
      shortenLinks: true,
      variants: [{ text: 'Look: https://example.com/sale', share: 50 }],
    });
    const { body } = await sendTest(id, { to: [OWN, '15005550112'], variant: 'B' });
    const bodies: string[] = body.data.messages.map((message: { body: string }) => message.body);
    for (const each of bodies) expect(each).toMatch(/^Look: http\S+\/l\/\S+\nReply STOP to opt out\.$/);
    expect(new Set(bodies).size).toBe(2);
    const links = await test.deps.prisma.link.findMany({ where: { accountId: channel.account.id } });
    expect(links.map(({ target, campaignId }) => [target, campaignId])).toEqual([
      ['https://example.com/sale', null],
      ['https://example.com/sale', null],
    ]);
    expect((await sendTest(id, { to: [OWN], variant: 'C' })).body.error).toMatchObject({
      message: expect.stringContaining('variant must be a variant of the campaign'),
    });
  });

  it('sends a template, and needs a contact where a placeholder has no fallback', async () => {
    channel = await createTestChannel(test.deps);
    ({ id: groupId, contactIds: ids } = await createGroup(test.deps, channel));
    await test.deps.prisma.contact.update({ where: { id: ids[0] as string }, data: { name: 'Ann' } });
    await createTemplate(test.deps, channel, { name: 'spring', body: 'Hello {{1}}' });
    const components = [{ type: 'body', parameters: [{ type: 'text', text: '{{contact.name}}' }] }];
    const { id } = await schedule({ templateName: 'spring', components });
    const refused = await sendTest(id, { to: [OWN] });
    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toContain('contactId is required, because a placeholder has no fallback');
    const nameless = await sendTest(id, { to: [OWN], contactId: ids[1] });
    expect(nameless.body.error.message).toContain('contactId must be a contact with a value for every placeholder');
    expect(await listMessages()).toEqual([]);
    const sent = await sendTest(id, { to: [OWN], contactId: ids[0] });
    expect(sent.body.data.messages).toMatchObject([{ to: OWN, body: 'Hello Ann', segments: 1 }]);
    expect(await listMessages()).toMatchObject([{ campaignId: null, kind: 'whatsapp', recipient: OWN }]);
  });

  it('sends once for an idempotency key, also when requests arrive together', async () => {
    const { id } = await schedule({ text: 'Hello' });
    const answers = await Promise.all([1, 2, 3].map(() => sendTest(id, { to: [OWN, '15005550112'] }, 'once')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [first] = answers;
    for (const { body } of answers) expect(body).toEqual(first?.body);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(2);
    expect(await listMessages()).toHaveLength(2);
    expect((await sendTest(id, { to: [OWN] }, 'once')).status).toBe(422);
  });

  it('stores and charges nothing if the request is refused', async () => {
    const { id } = await schedule({ text: 'Hello' });
    const refusals = [
      [{ to: [] }, 'to must be an array of 1 to 5 phone numbers'],
      [{ to: [OWN, '1', '2', '3', '4', '5'] }, 'to must be an array of 1 to 5 phone numbers'],
      [{ to: ['+15005550111'] }, 'to[0] must be a phone number with country code, digits only'],
      [{ to: [OWN, OWN] }, 'to[1] must not appear in the list twice'],
      [{ to: [OWN], contactId: 'x' }, 'contactId'],
    ] as const;
    for (const [body, message] of refusals) {
      const answer = await sendTest(id, body);
      expect(answer.status).toBe(400);
      expect(answer.body.error.message).toContain(message);
    }
    expect((await sendTest(id, { to: [OWN], contactId: newId() })).status).toBe(404);
    expect((await sendTest(newId(), { to: [OWN] })).status).toBe(404);
    await test.deps.prisma.account.update({ where: { id: channel.account.id }, data: { balanceMicros: 1n } });
    expect((await sendTest(id, { to: [OWN] }, 'broke')).status).toBe(402);
    expect(await listMessages()).toEqual([]);
    expect(await test.deps.prisma.contact.count({ where: { channelId: channel.channelId, phone: OWN } })).toBe(0);
    await test.deps.prisma.account.update({ where: { id: channel.account.id }, data: { balanceMicros: 100_000_000n } });
    expect((await sendTest(id, { to: [OWN] }, 'broke')).status).toBe(200);
  });

  it('is refused once the campaign has ended', async () => {
    const { id } = await createCampaign(test, channel, { groupId, text: 'Hello' });
    await waitForCampaign(test, channel, id, 'completed');
    const { status, body } = await sendTest(id, { to: [OWN] });
    expect(status).toBe(409);
    expect(body.error.message).toBe('The campaign is completed. Only a campaign that has not ended can be tested.');
  });

  it('does not send to a number that has opted out', async () => {
    const { id } = await schedule({ text: 'Hello' });
    await sendTest(id, { to: [OWN] });
    const { contactId } = (await listMessages())[0] as { contactId: string };
    await call(test, channel, 'PUT', `/contacts/${contactId}`, { optedOut: true });
    await sendTest(id, { to: [OWN] });
    const last = await waitFor('the second message to end', async () => {
      const [message] = await test.deps.prisma.message.findMany({
        where: { channelId: channel.channelId },
        orderBy: { id: 'desc' },
        take: 1,
      });
      return message?.endedAt && message;
    });
    expect(last).toMatchObject({ status: 'rejected', refunded: true });
  });

  it('is recorded in the audit log when an operator sends it in the console', async () => {
    const { id } = await schedule({ text: 'Hello' });
    const operator = await createTestOperator(test, { role: 'developer', accountId: channel.account.id });
    const path = `/accounts/${channel.account.id}/channels/${channel.channelId}/campaigns/${id}/test`;
    const response = await operator.ask('POST', path, { to: ['+1 500 555 0111'] });
    expect(response.statusCode, response.body).toBe(200);
    const [message] = response.json().data.messages;
    expect(message).toMatchObject({ to: OWN, body: 'Hello' });
    const entries = await test.deps.prisma.auditLine.findMany({ where: { subject: id } });
    expect(entries).toMatchObject([{ action: 'campaign.test', after: { messageIds: [message.messageId] } }]);
  });
});
