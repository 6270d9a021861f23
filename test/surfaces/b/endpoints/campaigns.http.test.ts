import { beforeEach, describe, expect, it } from 'vitest';
import { MESSAGE_STATUSES } from '../../../../src/messages/message-status.js';
import { newId } from '../../../../src/platform/ids.js';
import { type CampaignResponse, createCampaign, waitForCampaign } from '../../../support/campaigns.js';
import { call } from '../../../support/channel-calls.js';
import { createGroup, createTemplate } from '../../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { countStatuses } from '../../../support/sends.js';
import { suiteApp } from '../../../support/suite.js';
import { type TestApp, testApp } from '../../../support/test-app.js';
import { waitFor } from '../../../support/wait-for.js';

const START = '2027-01-15T12:00:00.000Z';
const ZERO_COUNTS = Object.fromEntries(MESSAGE_STATUSES.map((status) => [status, 0]));

const clock = new ManualClock(START);
const test = suiteApp({ role: 'api', clock });
let channel: TestChannel;
let groupId: string;

const request = async (method: 'GET' | 'POST', url: string, payload?: object, headers: Record<string, string> = {}) => {
  const response = await call(test, channel, method, `/campaigns${url}`, payload, headers);
  return { status: response.statusCode, headers: response.headers, body: response.json() };
};
const validCampaign = () => ({ name: 'Spring sale', templateName: 'hello', language: 'en_US', groupId });

/** Ends the campaigns of earlier tests first, because a worker would send all their messages. */
async function openWorker(): Promise<TestApp> {
  await test.deps.prisma.campaign.updateMany({ data: { nextLook: null } });
  return testApp({ role: 'worker', sharesWith: test, clock });
}

// Without a worker, campaigns stay unchanged.
beforeEach(async () => {
  clock.set(START);
  channel = await createTestChannel(test.deps);
  await createTemplate(test.deps, channel);
  groupId = (await createGroup(test.deps, channel)).id;
});

describe('POST /api/v1/campaigns', () => {
  it('returns the campaign with counts by status, and null for events that have not happened', async () => {
    const { status, body } = await request('POST', '', validCampaign());
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'Spring sale',
        status: 'scheduled',
        templateName: 'hello',
        language: 'en_US',
        text: null,
        optOutLine: null,
        shortenLinks: false,
        variants: [],
        test: null,
        testEndsAt: null,
        winner: null,
        winnerReason: null,
        groupId,
        groupIds: [groupId],
        audienceIds: [],
        listedCount: 0,
        messageCount: 0,
        skippedCount: 0,
        refusedCount: 0,
        cappedCount: 0,
        counts: ZERO_COUNTS,
        errorMessage: null,
        scheduledAt: null,
        startedAt: null,
        pausedAt: null,
        completedAt: null,
        createdAt: START,
      },
    });
  });

  it('accepts scheduledAt in any time zone, even in the past, and returns it in UTC', async () => {
    for (const [scheduledAt, expected] of [
      ['2027-01-16T14:00:00+02:00', '2027-01-16T12:00:00.000Z'],
      ['2020-01-01T00:00Z', '2020-01-01T00:00:00.000Z'],
    ]) {
      const { body } = await request('POST', '', { ...validCampaign(), scheduledAt });
      expect(body.data).toMatchObject({ status: 'scheduled', scheduledAt: expected });
    }
  });

  it.each([
    ['name', { name: undefined }],
    ['name', { name: '' }],
    ['name', { name: '  ' }],
    ['name', { name: 'x'.repeat(256) }],
    ['name', { name: 'Spring\nsale' }],
    ['name', { name: null }],
    ['templateName', { templateName: undefined }],
    ['templateName', { templateName: 7 }],
    ['language', { language: undefined }],
    ['language', { language: 'english!' }],
    ['groupId', { groupId: undefined }],
    ['groupId', { groupId: 'friends' }],
    ['groupId', { groupId: undefined, groupIds: [], audienceIds: [], recipients: [] }],
    ['groupIds[0]', { groupIds: ['friends'] }],
    ['groupIds', { groupIds: Array(21).fill(newId()) }],
    ['audienceIds[0]', { audienceIds: [7] }],
    ['recipients', { recipients: '15005550111' }],
    ['recipients[1]', { recipients: ['15005550111', '+1 500 555 0112'] }],
    ['recipients', { recipients: Array(10_001).fill('15005550111') }],
    ['components', { components: {} }],
    ['components[0].type', { components: [{ parameters: [] }] }],
    ['scheduledAt', { scheduledAt: 'tomorrow' }],
    ['scheduledAt', { scheduledAt: null }],
    ['scheduledAt', { scheduledAt: 1_800_000_000 }],
    ['scheduledAt', { scheduledAt: '2027-02-01' }],
    ['scheduledAt', { scheduledAt: '2027-02-01T10:00:00' }],
    ['scheduledAt', { scheduledAt: '2027-02-30T10:00:00Z' }],
    ['scheduledAt', { scheduledAt: '2030-01-01T00:00:00Z' }],
  ])('refuses an invalid %s: %j', async (field, change) => {
    const { status, body } = await request('POST', '', { ...validCampaign(), ...change });
    expect(status).toBe(400);
    expect(body.error.code).toBe('INVALID_REQUEST');
    expect(body.error.details).toContainEqual(expect.objectContaining({ field }));
    expect((await request('GET', '')).body.data.total).toBe(0);
  });

  it('returns 404 for an unknown template or group', async () => {
    expect((await request('POST', '', { ...validCampaign(), templateName: 'unknown' })).status).toBe(404);
    expect((await request('POST', '', { ...validCampaign(), language: 'de' })).status).toBe(404);
    expect((await request('POST', '', { ...validCampaign(), groupId: newId() })).status).toBe(404);
    expect((await request('POST', '', { ...validCampaign(), groupIds: [newId()] })).status).toBe(404);
    expect((await request('POST', '', { ...validCampaign(), audienceIds: [newId()] })).status).toBe(404);
  });

  it('accepts a single group in either field, and a list whose numbers become contacts at once', async () => {
    const { groupId: only, ...rest } = validCampaign();
    const single = await request('POST', '', { ...rest, groupIds: [only, only.toUpperCase()] });
    expect(single.body.data).toMatchObject({ groupId: only, groupIds: [only], audienceIds: [], listedCount: 0 });
    const listed = await request('POST', '', { ...rest, recipients: ['15005550111', '15005550111'] });
    expect(listed.body.data).toMatchObject({ groupId: null, groupIds: [], listedCount: 1 });
    expect(
      await test.deps.prisma.contact.count({ where: { channelId: channel.channelId, phone: '15005550111' } }),
    ).toBe(1);
  });

  it('returns 404 for the group and the template of another channel of the account', async () => {
    const otherChannel = await createTestChannel(test.deps, channel.account);
    await createTemplate(test.deps, otherChannel, { name: 'theirs' });
    const foreignGroupId = await createGroup(test.deps, otherChannel);
    expect((await request('POST', '', { ...validCampaign(), groupId: foreignGroupId.id })).status).toBe(404);
    expect((await request('POST', '', { ...validCampaign(), templateName: 'theirs' })).status).toBe(404);
  });

  it('refuses a template that is not approved, and parameters that do not fit, naming them', async () => {
    await createTemplate(test.deps, channel, { name: 'paused', status: 'PAUSED' });
    const pausedResponse = await request('POST', '', { ...validCampaign(), templateName: 'paused' });
    expect(pausedResponse.status).toBe(400);
    expect(pausedResponse.body.error.message).toMatch(/PAUSED/);

    await createTemplate(test.deps, channel, { name: 'order', body: 'Order {{1}}' });
    const missingResponse = await request('POST', '', { ...validCampaign(), templateName: 'order' });
    expect(missingResponse.status).toBe(400);
    expect(missingResponse.body.error.message).toMatch(/\{\{1\}\}/);
    const parameters = ['A', 'B'].map((text) => ({ type: 'text', text }));
    const surplusResponse = await request('POST', '', {
      ...validCampaign(),
      templateName: 'order',
      components: [{ type: 'body', parameters }],
    });
    expect(surplusResponse.status).toBe(400);
    expect(surplusResponse.body.error.details[0].field).toBe('components[0].parameters[1]');
  });

  it.each([
    ['{{contact.id}}', {}, /{{contact\.id}}; a placeholder is/],
    ['{{1}}', {}, /\{\{1}}; a placeholder is/],
    ['{{first_name|there}}', {}, /{{first_name\|there}}; a placeholder is/],
    ['{{variables.code}}', { variables: { other: 'x' } }, /variables\.code}}, which is neither/],
    ['{{variables.code}}', { memberVariables: [{ phone: '15005550111', variables: {} }] }, /neither in variables/],
  ])('refuses the placeholder %s with %j, naming the parameter', async (text, extraFields, rule) => {
    await createTemplate(test.deps, channel, { name: 'order', body: 'Order {{1}}' });
    const components = [{ type: 'body', parameters: [{ type: 'text', text }] }];
    const { status, body } = await request('POST', '', {
      ...validCampaign(),
      templateName: 'order',
      components,
      ...extraFields,
    });
    expect(status).toBe(400);
    expect(body.error.details[0]).toMatchObject({
      field: 'components[0].parameters[0].text',
      message: expect.stringMatching(rule),
    });
    expect((await request('GET', '')).body.data.total).toBe(0);
  });

  it.each([
    ['variables', { variables: { 'a b': 'x' } }],
    ['variables', { variables: [] }],
    ['variables.code', { variables: { code: 1 } }],
    ['memberVariables[0].phone', { memberVariables: [{ phone: '+15005550111', variables: {} }] }],
    ['memberVariables[0].variables', { memberVariables: [{ phone: '15005550111' }] }],
    ['memberVariables[1].phone', { memberVariables: Array(2).fill({ phone: '15005550111', variables: {} }) }],
    ['memberVariables[0].variables', { memberVariables: [{ phone: '15005550111', variables: { '': 'x' } }] }],
  ])('refuses invalid %s: %j', async (field, extraFields) => {
    const { status, body } = await request('POST', '', { ...validCampaign(), ...extraFields });
    expect(status).toBe(400);
    expect(body.error.details.map((detail: { field: string }) => detail.field)).toContain(field);
  });

  it('creates one campaign per Idempotency-Key, even for concurrent requests', async () => {
    const key = { 'idempotency-key': 'spring' };
    const responses = await Promise.all(Array.from({ length: 5 }, () => request('POST', '', validCampaign(), key)));
    expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(new Set(responses.map(({ body }) => body.data.id)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(4);
    expect((await request('POST', '', { ...validCampaign(), name: 'Other' }, key)).status).toBe(422);
    expect((await request('GET', '')).body.data.total).toBe(1);

    clock.advance(24 * 60 * 60 * 1000);
    expect((await request('POST', '', { ...validCampaign(), name: 'Other' }, key)).body.data.name).toBe('Other');
  });
});

describe('Campaign list (Surface B)', () => {
  const readNames = (body: { data: { campaigns: CampaignResponse[] } }) => body.data.campaigns.map(({ name }) => name);

  beforeEach(async () => {
    for (const name of ['one', 'two', 'three']) await createCampaign(test, channel, { groupId, name });
  });

  it('returns campaigns, total, limit and offset, newest first', async () => {
    const { status, body } = await request('GET', '');
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, data: { total: 3, limit: 50, offset: 0 } });
    expect(readNames(body)).toEqual(['three', 'two', 'one']);
    expect(body.data.campaigns[0]).toEqual((await request('GET', `/${body.data.campaigns[0].id}`)).body.data);
  });

  it('is paged by limit and offset', async () => {
    const { body } = await request('GET', '?limit=1&offset=1');
    expect(readNames(body)).toEqual(['two']);
    expect(body.data).toMatchObject({ total: 3, limit: 1, offset: 1 });
    expect(readNames((await request('GET', '?offset=3')).body)).toEqual([]);
  });

  it('is filtered by status in upper or lower case; an unknown status matches nothing', async () => {
    await test.deps.prisma.campaign.updateMany({
      where: { channelId: channel.channelId, name: 'two' },
      data: { status: 'completed' },
    });
    expect(readNames((await request('GET', '?status=completed')).body)).toEqual(['two']);
    expect(readNames((await request('GET', '?status=COMPLETED')).body)).toEqual(['two']);
    expect((await request('GET', '?status=scheduled')).body.data.total).toBe(2);
    expect((await request('GET', '?status=')).body.data).toEqual((await request('GET', '')).body.data);
    const unknownResponse = await request('GET', '?status=finished');
    expect(unknownResponse.status).toBe(200);
    expect(unknownResponse.body.data).toEqual({ campaigns: [], total: 0, limit: 50, offset: 0 });
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'offset=-1', 'offset=1.5'])('refuses %s', async (query) => {
    expect((await request('GET', `?${query}`)).status).toBe(400);
  });

  it('shows only the campaigns of its channel', async () => {
    channel = await createTestChannel(test.deps, channel.account);
    expect((await request('GET', '')).body.data).toMatchObject({ campaigns: [], total: 0 });
  });
});

describe('GET /api/v1/campaigns/:id and POST /api/v1/campaigns/:id/cancel', () => {
  it.each(['unknown', newId()])('return 404 for %s', async (id) => {
    expect((await request('GET', `/${id}`)).status).toBe(404);
    expect((await request('POST', `/${id}/cancel`)).status).toBe(404);
  });

  it('cancel a scheduled campaign once, then return 409', async () => {
    const { id } = await createCampaign(test, channel, { groupId });
    const cancelResponse = await request('POST', `/${id}/cancel`);
    expect(cancelResponse.status).toBe(200);
    expect(cancelResponse.body.data).toMatchObject({ id, status: 'canceled' });
    expect((await request('GET', `/${id}`)).body.data.status).toBe('canceled');
    const repeatedResponse = await request('POST', `/${id}/cancel`);
    expect(repeatedResponse.status).toBe(409);
    expect(repeatedResponse.body.error).toMatchObject({ code: 'CONFLICT', message: expect.stringMatching(/canceled/) });
  });

  it.each(['completed', 'failed'] as const)('do not cancel a campaign that is %s', async (status) => {
    const { id } = await createCampaign(test, channel, { groupId });
    await test.deps.prisma.campaign.update({ where: { id }, data: { status, nextLook: null } });
    expect((await request('POST', `/${id}/cancel`)).status).toBe(409);
  });
});

describe('POST /api/v1/campaigns/:id/pause and /resume', () => {
  it('pause and resume a campaign once each, then return 409', async () => {
    const { id } = await createCampaign(test, channel, { groupId });
    const notPausedResponse = await request('POST', `/${id}/resume`);
    expect(notPausedResponse.status).toBe(409);
    expect(notPausedResponse.body.error.message).toMatch(/not paused but scheduled/);
    const pauseResponse = await request('POST', `/${id}/pause`);
    expect(pauseResponse.body.data).toMatchObject({ id, status: 'paused', pausedAt: START });
    const repeatedResponse = await request('POST', `/${id}/pause`);
    expect(repeatedResponse.status).toBe(409);
    expect(repeatedResponse.body.error).toMatchObject({ code: 'CONFLICT', message: 'The campaign is paused already.' });
    const resumeResponse = await request('POST', `/${id}/resume`);
    expect(resumeResponse.body.data).toMatchObject({ id, status: 'scheduled', pausedAt: null });
  });

  it('do not change a completed campaign or one of another channel', async () => {
    const { id } = await createCampaign(test, channel, { groupId });
    await test.deps.prisma.campaign.update({ where: { id }, data: { status: 'completed', nextLook: null } });
    expect((await request('POST', `/${id}/pause`)).body.error.message).toMatch(/completed already/);
    expect((await request('POST', `/${id}/resume`)).status).toBe(409);
    channel = await createTestChannel(test.deps, channel.account);
    expect((await request('POST', `/${id}/pause`)).status).toBe(404);
    expect((await request('POST', `/${newId()}/resume`)).status).toBe(404);
  });

  it('change the status in the list, and a paused campaign can be canceled', async () => {
    const { id } = await createCampaign(test, channel, { groupId });
    await createCampaign(test, channel, { groupId });
    await request('POST', `/${id}/pause`);
    const countCampaigns = async (status: string) => (await request('GET', `?status=${status}`)).body.data.total;
    expect(await countCampaigns('paused')).toBe(1);
    expect(await countCampaigns('scheduled')).toBe(1);
    expect((await request('POST', `/${id}/cancel`)).body.data).toMatchObject({ status: 'canceled', pausedAt: null });
    expect(await countCampaigns('paused')).toBe(0);
  });
});

describe('GET /api/v1/campaigns/:id/messages', () => {
  it('lists recipients with the status of their message, by page and by status', async () => {
    const group = await createGroup(test.deps, channel);
    // The simulator refuses messages to 15005550001.
    const [refusedContactId, deletedContactId] = group.contactIds;
    await test.deps.prisma.contact.update({ where: { id: refusedContactId }, data: { phone: '15005550001' } });
    const worker = await openWorker();
    try {
      const { id } = await createCampaign(test, channel, { groupId: group.id });
      await waitForCampaign(test, channel, id, 'completed');
      const areAllFinal = async () => {
        const { delivered, failed } = await countStatuses(test.deps, channel.account.id);
        return delivered === 2 && failed === 1;
      };
      await waitFor('the final status of every message', areAllFinal, { intervalMs: 25 });
      expect((await call(test, channel, 'DELETE', `/contacts/${deletedContactId}`)).statusCode).toBe(200);
      const { body } = await request('GET', `/${id}/messages`);
      expect(body.data).toMatchObject({ total: 3, limit: 50, offset: 0 });
      const messages: { id: string; contactId: string | null; phone: string; status: string }[] = body.data.messages;
      expect(messages.map((message) => message.id)).toEqual(
        messages
          .map((message) => message.id)
          .sort()
          .reverse(),
      );
      expect(messages.filter(({ status }) => status === 'delivered')).toHaveLength(2);
      expect(messages.map(({ contactId }) => contactId)).toContain(null);
      expect(messages.find(({ phone }) => phone === '15005550001')).toMatchObject({
        contactId: refusedContactId,
        errorCode: expect.any(String),
        deliveredAt: null,
        endedAt: expect.any(String),
      });
      const page = await request('GET', `/${id}/messages?status=DELIVERED&limit=1&offset=1`);
      expect(page.body.data).toMatchObject({ messages: [{ status: 'delivered' }], total: 2, limit: 1, offset: 1 });
      expect((await request('GET', `/${id}/messages?status=unknown`)).body.data).toMatchObject({
        messages: [],
        total: 0,
      });
    } finally {
      await worker.close();
    }
  });

  it('returns 404 for a campaign of another channel', async () => {
    const { id } = await createCampaign(test, channel, { groupId });
    channel = await createTestChannel(test.deps, channel.account);
    expect((await request('GET', `/${id}/messages`)).status).toBe(404);
  });
});

describe('a list of campaigns with sent messages', () => {
  it('has the same counts as each single campaign', async () => {
    const worker = await openWorker();
    try {
      const { id } = await createCampaign(test, channel, { groupId });
      await waitForCampaign(test, channel, id, 'completed');
      const getListedCounts = async () => (await request('GET', '')).body.data.campaigns[0].counts;
      await expect.poll(getListedCounts).toEqual({ ...ZERO_COUNTS, delivered: 3 });
      expect((await request('GET', `/${id}`)).body.data.counts).toEqual({ ...ZERO_COUNTS, delivered: 3 });
    } finally {
      await worker.close();
    }
  });
});
