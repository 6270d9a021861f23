import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../../src/platform/ids.js';
import { createCampaign } from '../../../support/campaigns.js';
import { call } from '../../../support/channel-calls.js';
import { createGroup, createTemplate } from '../../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { suiteApp } from '../../../support/suite.js';
import { waitFor } from '../../../support/wait-for.js';

// Without a worker, campaigns do not start.
const test = suiteApp({ role: 'api' });
const LATER = new Date(Date.now() + 3_600_000).toISOString();
let channel: TestChannel;
let groupId: string;

beforeEach(async () => {
  channel = await createTestChannel(test.deps);
  await createTemplate(test.deps, channel);
  await createTemplate(test.deps, channel, { name: 'order', body: 'Order {{1}}' });
  groupId = (await createGroup(test.deps, channel)).id;
});

const edit = async (id: string, change: object) => {
  const response = await call(test, channel, 'PATCH', `/campaigns/${id}`, change);
  return { status: response.statusCode, body: response.json() };
};
const findStored = (id: string) => test.deps.prisma.campaign.findUniqueOrThrow({ where: { id } });
const listVariables = async (campaignId: string) =>
  (await test.deps.prisma.campaignMemberVariables.findMany({ where: { campaignId }, orderBy: { phone: 'asc' } })).map(
    ({ phone, variables }) => [phone, variables],
  );

describe('PATCH /api/v1/campaigns/:id', () => {
  it('changes only the fields that are sent', async () => {
    const { id } = await createCampaign(test, channel, { groupId, scheduledAt: LATER });
    const otherGroup = await createGroup(test.deps, channel);
    const before = await findStored(id);
    const { status, body } = await edit(id, { name: 'Summer sale', groupId: otherGroup.id });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id,
      name: 'Summer sale',
      groupId: otherGroup.id,
      scheduledAt: LATER,
      status: 'scheduled',
    });
    expect(await findStored(id)).toEqual({
      ...before,
      name: 'Summer sale',
      groupId: otherGroup.id,
      groupIds: [otherGroup.id],
    });
  });

  it('keeps the groups and the list of a campaign, or replaces all of its recipients', async () => {
    const otherGroup = await createGroup(test.deps, channel);
    const groupIds = [groupId, otherGroup.id];
    const { id } = await createCampaign(test, channel, { groupIds, recipients: ['15005550111'], scheduledAt: LATER });
    const sources = { groupId: null, groupIds, audienceIds: [], listedCount: 1 };
    expect((await edit(id, { name: 'Summer sale' })).body.data).toMatchObject({ name: 'Summer sale', ...sources });
    const findListed = () => test.deps.prisma.campaignRecipient.count({ where: { campaignId: id } });
    expect(await findListed()).toBe(1);
    expect((await edit(id, { groupId })).body.data).toMatchObject({ groupId, groupIds: [groupId], listedCount: 0 });
    expect(await findListed()).toBe(0);
    const { gathering } = await test.deps.prisma.campaign.findUniqueOrThrow({ where: { id } });
    expect(gathering).toBeNull();
  });

  it('starts the campaign at once if scheduledAt is null', async () => {
    const { id } = await createCampaign(test, channel, { groupId, scheduledAt: LATER });
    expect((await edit(id, { scheduledAt: null })).body.data).toMatchObject({ scheduledAt: null, status: 'scheduled' });
  });

  it('keeps the values of variables until others are sent', async () => {
    const components = [{ type: 'body', parameters: [{ type: 'text', text: '{{variables.order}}' }] }];
    const contactId = newId();
    const memberVariables = [
      { phone: '15005550111', variables: { order: 'A' } },
      { contactId, variables: { order: 'B' } },
    ];
    const body = { groupId, templateName: 'order', components, memberVariables, scheduledAt: LATER };
    const { id } = await createCampaign(test, channel, body);
    const stored = await listVariables(id);
    expect(stored).toHaveLength(2);
    expect((await edit(id, { name: 'Orders' })).status).toBe(200);
    expect(await listVariables(id)).toEqual(stored);
    expect((await edit(id, { memberVariables: [{ phone: '15005550112', variables: { order: 'C' } }] })).status).toBe(
      200,
    );
    expect(await listVariables(id)).toEqual([['15005550112', { order: 'C' }]]);
    const refused = await edit(id, { memberVariables: [] });
    expect(refused.body.error.message).toMatch(/needs \{\{variables.order\}\}/);
    expect(await listVariables(id)).toHaveLength(1);
  });

  it('keeps variants and their test, and replaces both together', async () => {
    const variants = [{ templateName: 'hello', language: 'en_US', share: 30 }];
    const variantTest = { share: 20, criterion: 'read', minutes: 60 };
    const { id } = await createCampaign(test, channel, { groupId, variants, test: variantTest, scheduledAt: LATER });
    const { variants: stored } = await findStored(id);
    const renamed = (await edit(id, { name: 'Renamed' })).body.data;
    expect(renamed).toMatchObject({ test: variantTest, variants: [{ share: 70 }, { share: 30 }] });
    expect((await findStored(id)).variants).toEqual(stored);
    const changed = (await edit(id, { variants: [{ ...variants[0], share: 40 }] })).body.data;
    expect(changed).toMatchObject({ test: null, variants: [{ share: 60 }, { share: 40 }] });
    expect((await edit(id, { variants: [] })).body.data).toMatchObject({ test: null, variants: [] });
  });

  it('changes the text and the opt-out line of an SMS, and keeps the line otherwise', async () => {
    channel = await createTestChannel(test.deps, undefined, { kind: 'sms' });
    groupId = (await createGroup(test.deps, channel)).id;
    const variants = [{ text: 'Second', share: 50 }];
    const sms = { groupId, text: 'First', optOutLine: 'Reply STOP to opt out.', variants, scheduledAt: LATER };
    const { id } = await createCampaign(test, channel, sms);
    const texts = {
      text: 'Changed',
      optOutLine: 'Reply STOP to opt out.',
      variants: [{ text: 'Changed' }, { text: 'Second' }],
    };
    expect((await edit(id, { text: 'Changed' })).body.data).toMatchObject(texts);
    expect((await edit(id, { optOutLine: null })).body.data).toMatchObject({ text: 'Changed', optOutLine: null });
    expect((await edit(id, { templateName: 'hello' })).body.error.message).toMatch(
      /must not be sent on an SMS channel/,
    );
  });

  it('changes a paused campaign that has not started, which stays paused', async () => {
    const { id } = await createCampaign(test, channel, { groupId });
    await call(test, channel, 'POST', `/campaigns/${id}/pause`);
    expect((await edit(id, { name: 'Later' })).body.data).toMatchObject({ name: 'Later', status: 'paused' });
  });

  it.each([
    ['an unknown group', () => ({ groupId: newId() }), 404, /group/],
    ['an unknown template', () => ({ templateName: 'missing' }), 404, /template/i],
    [
      'parameters that the template does not have',
      () => ({ components: [{ type: 'body', parameters: [{ type: 'text', text: 'x' }] }] }),
      400,
      /components/,
    ],
    ['a time more than a year ahead', () => ({ scheduledAt: '2099-01-01T00:00:00Z' }), 400, /scheduledAt/],
    ['a blank name', () => ({ name: ' ' }), 400, /name/],
    ['a name of the wrong type', () => ({ name: 1 }), 400, /name/],
  ])('refuses %s and changes nothing', async (_, change, status, message) => {
    const { id } = await createCampaign(test, channel, { groupId, scheduledAt: LATER });
    const before = await findStored(id);
    const response = await edit(id, change());
    expect(response.status).toBe(status);
    expect(response.body.error.message).toMatch(message);
    expect(await findStored(id)).toEqual(before);
  });

  it('is 409 once the campaign has started, and 404 on another channel', async () => {
    const { id } = await createCampaign(test, channel, { groupId });
    await test.deps.prisma.campaign.update({ where: { id }, data: { status: 'running', nextLook: null } });
    const { status, body } = await edit(id, { name: 'Late' });
    expect(status).toBe(409);
    expect(body.error).toMatchObject({
      code: 'CONFLICT',
      message: 'The campaign is running. Only a campaign that has not started can be changed.',
    });
    channel = await createTestChannel(test.deps, channel.account);
    expect((await edit(id, { name: 'Late' })).status).toBe(404);
  });

  it('is 409 if the campaign starts at the same moment', async () => {
    const { id } = await createCampaign(test, channel, { groupId, scheduledAt: LATER });
    const client = await test.deps.pool.connect();
    let response: ReturnType<typeof edit>;
    try {
      await client.query('BEGIN');
      await client.query(`UPDATE campaigns SET status = 'running', next_look = NULL WHERE id = $1`, [id]);
      response = edit(id, { name: 'Late' });
      await waitFor('the edit to wait for the start', async () => {
        const { rows } = await test.deps.pool.query(
          `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE campaigns SET gathering%'`,
        );
        return rows.length > 0;
      });
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    expect((await response).status).toBe(409);
    expect((await findStored(id)).name).toBe('Test');
  });
});
