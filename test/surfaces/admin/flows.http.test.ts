import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { sharedApp } from '../../support/suite.js';

// Without a worker, campaigns and runs stay unchanged.
const heliograph = sharedApp({ role: 'api' });
let channel: TestChannel;
let developer: TestOperator;
let viewer: TestOperator;
let base: string;

beforeAll(async () => {
  channel = await createCampaignChannel(heliograph.deps);
  const accountId = channel.account.id;
  developer = await createTestOperator(heliograph, { role: 'developer', accountId });
  viewer = await createTestOperator(heliograph, { role: 'viewer', accountId });
  base = `/accounts/${accountId}/channels/${channel.channelId}`;
});

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
const request = async (method: Method, path: string, body?: object, operator = developer) => {
  const response = await operator.ask(method, path, method === 'GET' ? undefined : (body ?? {}));
  return { status: response.statusCode, body: response.json() };
};
const listAuditActions = async (subject: string) => {
  const auditEntries = await heliograph.deps.prisma.auditLine.findMany({ where: { subject }, orderBy: { id: 'asc' } });
  return auditEntries.map(({ action }) => action);
};

describe('campaigns of the console', () => {
  const createCampaign = async (name: string) => {
    const group = await createGroup(heliograph.deps, channel);
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const campaign = { name, templateName: 'hello', language: 'en_US', groupId: group.id, scheduledAt };
    return (await request('POST', `${base}/campaigns`, campaign)).body.data;
  };

  it('are created once if a request is repeated because its response was lost', async () => {
    const group = await createGroup(heliograph.deps, channel);
    const body = { name: 'Once', templateName: 'hello', language: 'en_US', groupId: group.id };
    const url = `/admin/v1${base}/campaigns`;
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const create = () =>
      heliograph.app.inject({
        ...{ method: 'POST' as const, url, payload: { ...body, scheduledAt } },
        headers: { ...developer.headers, 'idempotency-key': 'press-1' },
      });
    const [firstResponse, secondResponse] = [await create(), await create()];
    expect([firstResponse.statusCode, secondResponse.statusCode]).toEqual([200, 200]);
    expect(secondResponse.json().data.id).toBe(firstResponse.json().data.id);
    expect(await heliograph.deps.prisma.campaign.count({ where: { groupId: group.id } })).toBe(1);
    expect(await listAuditActions(firstResponse.json().data.id)).toEqual(['campaign.create']);
    await request('POST', `${base}/campaigns/${firstResponse.json().data.id}/cancel`);
  });

  it('are created, paused, resumed and canceled, each with an audit log entry', async () => {
    const { id, status, groupName, recipientCount, leftCount } = await createCampaign('Sale');
    expect(status).toBe('scheduled');
    expect(groupName).toMatch(/^Group /);
    // Until a campaign starts, all current members of its group count as recipients who have not been sent a message.
    expect({ recipientCount, leftCount }).toEqual({ recipientCount: 3, leftCount: 3 });
    const changeStatus = async (verb: string) =>
      (await request('POST', `${base}/campaigns/${id}/${verb}`)).body.data?.status;
    expect(await changeStatus('pause')).toBe('paused');
    expect((await request('POST', `${base}/campaigns/${id}/pause`)).status).toBe(409);
    expect(await changeStatus('resume')).toBe('scheduled');
    expect(await changeStatus('cancel')).toBe('canceled');
    await heliograph.deps.prisma.contactGroup.updateMany({ where: { name: groupName }, data: { contactCount: 9 } });
    expect((await request('GET', `${base}/campaigns/${id}`, undefined, viewer)).body.data).toMatchObject({
      status: 'canceled',
      groupName,
      recipientCount: 3,
      leftCount: 3,
    });
    expect((await request('GET', `${base}/campaigns/${id}/messages`, undefined, viewer)).body).toEqual({
      data: [],
      next: null,
    });
    expect(await listAuditActions(id)).toEqual([
      'campaign.create',
      'campaign.pause',
      'campaign.resume',
      'campaign.cancel',
    ]);
  });

  it('are listed newest first, by status, with a cursor', async () => {
    const ids: string[] = [];
    for (const name of ['One', 'Two', 'Three']) ids.unshift((await createCampaign(name)).id);
    const firstPage = (await request('GET', `${base}/campaigns?limit=2&status=Scheduled`)).body;
    expect(firstPage.data.map((listed: { id: string }) => listed.id)).toEqual(ids.slice(0, 2));
    const secondPage = (await request('GET', `${base}/campaigns?limit=2&status=scheduled&cursor=${firstPage.next}`))
      .body;
    expect(secondPage.data.map((listed: { id: string }) => listed.id)).toEqual(ids.slice(2));
    expect(secondPage.next).toBeNull();
    expect((await request('GET', `${base}/campaigns?status=nonsense`)).body.data).toEqual([]);
  });
});

describe('automations of the console', () => {
  it('are created, changed, triggered and deleted, and their runs canceled', async () => {
    const steps = [{ type: 'wait', seconds: 60 }];
    const { body } = await request('POST', `${base}/automations`, { name: 'Welcome', keyword: 'hi', steps });
    const { id } = body.data;
    expect((await request('POST', `${base}/automations`, { name: 'Again', keyword: 'HI', steps })).status).toBe(409);
    await request('POST', `/accounts/${channel.account.id}/opt-outs/words`, { word: 'Basta', meaning: 'stop' });
    for (const keyword of ['Stop!', 'basta']) {
      const refusal = await request('PUT', `${base}/automations/${id}`, { keyword });
      expect(refusal.status).toBe(400);
      expect(refusal.body.error.details).toEqual([
        { field: 'keyword', message: expect.stringMatching(/must not be an opt-out word/) },
      ]);
    }
    expect((await request('PUT', `${base}/automations/${id}`, { isActive: false })).body.data.isActive).toBe(false);
    expect((await request('POST', `${base}/automations/${id}/trigger`, { phone: '15005550111' })).status).toBe(409);
    await request('PUT', `${base}/automations/${id}`, { isActive: true });
    const run = (await request('POST', `${base}/automations/${id}/trigger`, { phone: '15005550111' })).body.data;
    expect(run).toMatchObject({ status: 'running', contact: { phone: '15005550111', name: '' } });
    const otherAutomation = (await request('POST', `${base}/automations`, { name: 'Other', steps })).body.data;
    const startRun = (automation: string) =>
      heliograph.app.inject({
        ...{ method: 'POST' as const, url: `/admin/v1${base}/automations/${automation}/trigger` },
        ...{ headers: { ...developer.headers, 'idempotency-key': 'try' }, payload: { phone: '15005550112' } },
      });
    const [firstRun, repeatedRun, otherRun] = [
      await startRun(id),
      await startRun(id),
      await startRun(otherAutomation.id),
    ];
    expect([firstRun.statusCode, repeatedRun.statusCode, otherRun.statusCode]).toEqual([200, 200, 422]);
    expect(repeatedRun.json().data.id).toBe(firstRun.json().data.id);
    await request('DELETE', `${base}/automations/${otherAutomation.id}`);
    await request('POST', `${base}/automations/${id}/runs/${firstRun.json().data.id}/cancel`);
    await heliograph.deps.prisma.automationRun.delete({ where: { id: firstRun.json().data.id } });
    const runs = (await request('GET', `${base}/automations/${id}/runs`, undefined, viewer)).body;
    expect(runs).toEqual({ data: [run], next: null });
    const cancelResponse = await request('POST', `${base}/automations/${id}/runs/${run.id}/cancel`);
    expect(cancelResponse.body.data.status).toBe('canceled');
    expect((await request('GET', `${base}/automations`, undefined, viewer)).body.data).toHaveLength(1);
    expect((await request('DELETE', `${base}/automations/${id}`)).status).toBe(200);
    expect((await request('GET', `${base}/automations/${id}`)).status).toBe(404);
    expect(await listAuditActions(id)).toEqual([
      'automation.create',
      'automation.update',
      'automation.update',
      'automation.trigger',
      'automation.trigger',
      'automation.delete',
    ]);
    expect(await listAuditActions(run.id)).toEqual(['run.cancel']);
  });
});

describe.each([
  ['of a channel', () => `${base}/webhooks`, 'contact.updated'],
  ['of an account', () => `/accounts/${channel.account.id}/webhooks`, 'account.balance_low'],
])('webhooks %s', (_, path, event) => {
  it('show their secret once, and are changed, tested, replayed, rotated and deleted', async () => {
    const url = 'https://example.com/hook';
    const { data } = (await request('POST', path(), { url, events: [event, 'message.status'] })).body;
    const { id, secret } = data;
    expect(secret).toMatch(/^whsec_/);
    expect((await request('GET', `${path()}/${id}`, undefined, viewer)).body.data).not.toHaveProperty('secret');
    expect((await request('GET', path(), undefined, viewer)).body.data).toMatchObject([{ id, url }]);
    expect((await request('PUT', `${path()}/${id}`, { events: [event] })).body.data.events).toEqual([event]);
    const delivery = (await request('POST', `${path()}/${id}/test`)).body.data;
    expect(delivery).toMatchObject({ type: 'webhook.test', status: 'pending' });
    expect(JSON.parse(delivery.body)).toMatchObject({ type: 'webhook.test' });
    const deliveryLog = (await request('GET', `${path()}/${id}/deliveries?status=pending`, undefined, viewer)).body;
    expect(deliveryLog).toMatchObject({ data: [{ id: delivery.id }], next: null });
    const replayResponse = await request('POST', `${path()}/${id}/deliveries/${delivery.id}/replay`);
    expect(replayResponse.body.data.id).toBe(delivery.id);
    const newSecret = (await request('POST', `${path()}/${id}/rotate-secret`)).body.data;
    expect(newSecret.secret).not.toBe(secret);
    expect((await request('DELETE', `${path()}/${id}`)).body).toEqual({ data: { done: true } });
    expect((await request('GET', `${path()}/${id}`)).status).toBe(404);

    const auditEntries = await heliograph.deps.prisma.auditLine.findMany({
      where: { subject: id },
      orderBy: { id: 'asc' },
    });
    const actions = ['webhook.create', 'webhook.update', 'webhook.test', 'webhook.rotate', 'webhook.delete'];
    expect(auditEntries.map(({ action }) => action)).toEqual(actions);
    expect(JSON.stringify(auditEntries)).not.toContain('whsec_');
  });
});

describe('every endpoint for campaigns, automations and webhooks', () => {
  const changes: [Method, string, object?][] = [
    ['POST', '/campaigns', { name: 'x', templateName: 'hello', language: 'en_US', groupId: newId() }],
    ['POST', '/campaigns/estimate', { name: 'x', templateName: 'hello', language: 'en_US', groupId: newId() }],
    ['POST', `/campaigns/${newId()}/cancel`],
    ['POST', '/automations', { name: 'x', steps: [{ type: 'wait', seconds: 1 }] }],
    ['PUT', `/automations/${newId()}`, { name: 'x' }],
    ['DELETE', `/automations/${newId()}`],
    ['POST', `/automations/${newId()}/trigger`, { phone: '15005550111' }],
    ['POST', '/webhooks', { url: 'https://example.com', events: ['message.status'] }],
    ['DELETE', `/webhooks/${newId()}`],
    ['POST', `/webhooks/${newId()}/rotate-secret`],
  ];

  it.each(changes)('%s %s returns 403 for a viewer and 404 for another account', async (method, path, body) => {
    expect((await request(method, `${base}${path}`, body, viewer)).status).toBe(403);
    const otherChannel = await createTestChannel(heliograph.deps);
    const foreignPath = `/accounts/${otherChannel.account.id}/channels/${otherChannel.channelId}${path}`;
    expect((await request(method, foreignPath, body)).status).toBe(404);
    const mixedPath = `/accounts/${channel.account.id}/channels/${otherChannel.channelId}${path}`;
    expect((await request(method, mixedPath, body)).status).toBe(404);
  });
});
