import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { readBalance } from '../../support/accounts.js';
import { listBodiesTo } from '../../support/automations.js';
import { createCampaign, waitForCampaign } from '../../support/campaigns.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { createGroup, createTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createTestOperator } from '../../support/operators.js';
import { sharedApp } from '../../support/suite.js';

const PRICE = 10_000n;
const CREDIT = 100_000_000n;

const test = sharedApp();
let channel: TestChannel;
let ids: string[];
let phones: string[];
let groupId: string;

beforeEach(async () => {
  channel = await createTestChannel(test.deps);
  await createTemplate(test.deps, channel, { name: 'order', body: 'Hello {{1}}, {{2}}!' });
  const group = await createGroup(test.deps, channel);
  groupId = group.id;
  ids = group.contactIds;
  const { contact } = test.deps.prisma;
  await contact.update({ where: { id: ids[0] }, data: { name: 'Ann', email: 'ann@example.com' } });
  await contact.update({ where: { id: ids[1] }, data: { name: 'Bob\nthe  Builder' } });
  phones = await Promise.all(ids.map(async (id) => (await contact.findUniqueOrThrow({ where: { id } })).phone ?? ''));
});

const send = async (texts: readonly string[], overrides: object = {}) => {
  const components = [{ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) }];
  const { id } = await createCampaign(test, channel, { groupId, templateName: 'order', components, ...overrides });
  return waitForCampaign(test, channel, id, 'completed');
};
const listBodies = async () =>
  (await Promise.all(phones.map((phone) => listBodiesTo(test.deps, channel, phone)))).flat();

describe('placeholders of a campaign', () => {
  it('placeholders of a campaign are filled for each member, with the fallback for missing values', async () => {
    const campaign = await send(['{{contact.name|there}}', 'call {{contact.phone}} or {{contact.email|us}}']);
    expect(campaign).toMatchObject({ messageCount: 3, skippedCount: 0 });
    expect(await listBodies()).toEqual([
      `Hello Ann, call ${phones[0]} or ann@example.com!`,
      `Hello Bob the Builder, call ${phones[1]} or us!`,
      `Hello there, call ${phones[2]} or us!`,
    ]);
    const sentMessage = await test.deps.prisma.message.findFirstOrThrow({ where: { contactId: ids[1] } });
    expect(sentMessage.content).toMatchObject({
      components: [{ parameters: [{ text: 'Bob the Builder' }, { text: `call ${phones[1]} or us` }] }],
    });
  });

  it('fields of the account are filled in, and contacts without a value get the fallback', async () => {
    const { contact } = test.deps.prisma;
    await contact.update({ where: { id: ids[0] }, data: { fields: { plan: 'pro', seats: 12 } } });
    await send(['{{contact.fields.plan|basic}}', '{{contact.fields.seats|no}} seats']);
    expect(await listBodies()).toEqual(['Hello pro, 12 seats!', 'Hello basic, no seats!', 'Hello basic, no seats!']);
  });

  it('members with an empty parameter are skipped and counted, without a charge', async () => {
    const campaign = await send(['{{contact.name}}', 'now']);
    expect(campaign).toMatchObject({ messageCount: 2, skippedCount: 1, counts: { failed: 0 } });
    expect(await listBodies()).toEqual(['Hello Ann, now!', 'Hello Bob the Builder, now!']);
    expect(await readBalance(test.deps, channel.account.id)).toBe(CREDIT - 2n * PRICE);
    expect(await test.deps.prisma.conversation.count({ where: { contactId: ids[2] } })).toBe(0);
  });

  it("placeholders of a campaign prefer a member's own variables over the campaign's", async () => {
    const campaign = await send(['{{variables.code}}', '{{variables.until|soon}}'], {
      variables: { code: 'SPRING' },
      memberVariables: [
        { phone: phones[0], variables: { code: 'ANN-1', until: 'Monday' } },
        { phone: phones[2], variables: { until: 'Friday' } },
      ],
    });
    expect(campaign).toMatchObject({ messageCount: 3, skippedCount: 0 });
    expect(await listBodies()).toEqual(['Hello ANN-1, Monday!', 'Hello SPRING, soon!', 'Hello SPRING, Friday!']);
    expect(await test.deps.prisma.campaignMemberVariables.count({ where: { campaignId: campaign.id } })).toBe(0);
  });

  it('placeholders of a campaign use own variables given by user ID or contact ID, including merged contacts', async () => {
    const userId = 'US.13491208655302741918';
    const [, , nameless = ''] = ids;
    await playInbound(test, channel, { from: phones[1], userId, text: 'Hi' });
    const former = newId();
    await test.deps.prisma.mergedContact.create({ data: { id: former, contactId: nameless, mergedAt: new Date() } });
    const request = {
      variables: { code: 'SPRING' },
      memberVariables: [
        { phone: phones[0], variables: { code: 'by number' } },
        { contactId: ids[0], variables: { code: 'ANN' } },
        { userId, variables: { code: 'BOB' } },
        { contactId: former, variables: { code: 'NOBODY' } },
      ],
    };
    const components = [
      { type: 'body', parameters: ['{{variables.code}}', 'now'].map((text) => ({ type: 'text', text })) },
    ];
    const body = { groupId, templateName: 'order', language: 'en_US', name: 'Sale', components, ...request };
    const operator = await createTestOperator(test, { role: 'developer', accountId: channel.account.id });
    const path = `/accounts/${channel.account.id}/channels/${channel.channelId}/campaigns/estimate`;
    const estimate = await operator.ask('POST', path, body);
    expect(estimate.json().data, estimate.body).toMatchObject({ messages: 3, sample: { body: 'Hello ANN, now!' } });
    await send(['{{variables.code}}', 'now'], request);
    expect(await listBodies()).toEqual(['Hello ANN, now!', 'Hello BOB, now!', 'Hello NOBODY, now!']);
  });

  it.each([
    [{}, 'memberVariables[0].phone', 'is required unless'],
    [{ phone: '15005550111', userId: 'US.1' }, 'memberVariables[0].userId', 'must not be sent together with phone'],
    [{ userId: 'ada' }, 'memberVariables[0].userId', 'must be a WhatsApp user ID'],
  ])('member variables identified by %j are rejected', async (person, field, rule) => {
    const memberVariables = [{ ...person, variables: { code: 'A' } }];
    const body = { name: 'Sale', groupId, templateName: 'order', language: 'en_US', memberVariables };
    const refusal = await call(test, channel, 'POST', '/campaigns', body);
    expect([refusal.statusCode, refusal.json().error.details[0].field]).toEqual([400, field]);
    expect(refusal.json().error.message).toContain(rule);
  });

  it('members without own variables are skipped when the campaign has none', async () => {
    const memberVariables = [{ phone: phones[1], variables: { code: 'BOB' } }];
    const campaign = await send(['{{variables.code}}', 'now'], { memberVariables });
    expect(campaign).toMatchObject({ messageCount: 1, skippedCount: 2 });
    expect(await listBodies()).toEqual(['Hello BOB, now!']);
  });
});

describe('a member who leaves the group during a campaign', () => {
  it('a member who leaves the group during a campaign gets no message, even after rejoining', async () => {
    const scheduledAt = new Date(Date.now() + 60_000).toISOString();
    const components = [{ type: 'body', parameters: ['a', 'b'].map((text) => ({ type: 'text', text })) }];
    const request = { groupId, templateName: 'order', components, scheduledAt };
    const { id } = await createCampaign(test, channel, request);
    await test.deps.pool.query('UPDATE campaigns SET members_at = now() WHERE id = $1', [id]);
    const { pool } = test.deps;
    await pool.query('DELETE FROM group_members WHERE contact_id = ANY($1::uuid[])', [ids.slice(0, 2)]);
    await pool.query(
      `INSERT INTO group_members (group_id, contact_id, added_at) VALUES ($1, $2, now() + interval '1 millisecond')`,
      [groupId, ids[1]],
    );
    await pool.query('UPDATE campaigns SET scheduled_at = NULL WHERE id = $1', [id]);
    expect(await waitForCampaign(test, channel, id, 'completed')).toMatchObject({ messageCount: 1 });
    expect(await listBodiesTo(test.deps, channel, phones[2] as string)).toHaveLength(1);
  });
});
