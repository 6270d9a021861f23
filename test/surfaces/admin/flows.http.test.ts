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
const ask = async (method: Method, path: string, body?: object, who = developer) => {
  const response = await who.ask(method, path, method === 'GET' ? undefined : (body ?? {}));
  return { status: response.statusCode, body: response.json() };
};
const audited = async (subject: string) => {
  const lines = await heliograph.deps.prisma.auditLine.findMany({ where: { subject }, orderBy: { id: 'asc' } });
  return lines.map(({ action }) => action);
};

describe('campaigns of the console', () => {
  const made = async (name: string) => {
    const group = await createGroup(heliograph.deps, channel);
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const campaign = { name, templateName: 'hello', language: 'en_US', groupId: group.id, scheduledAt };
    return (await ask('POST', `${base}/campaigns`, campaign)).body.data;
  };

  it('are created once if a request is repeated because its answer was lost', async () => {
    const group = await createGroup(heliograph.deps, channel);
    const body = { name: 'Once', templateName: 'hello', language: 'en_US', groupId: group.id };
    const url = `/admin/v1${base}/campaigns`;
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const again = () =>
      heliograph.app.inject({
        ...{ method: 'POST' as const, url, payload: { ...body, scheduledAt } },
        headers: { ...developer.headers, 'idempotency-key': 'press-1' },
      });
    const [first, second] = [await again(), await again()];
    expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
    expect(second.json().data.id).toBe(first.json().data.id);
    expect(await heliograph.deps.prisma.campaign.count({ where: { groupId: group.id } })).toBe(1);
    expect(await audited(first.json().data.id)).toEqual(['campaign.create']);
    await ask('POST', `${base}/campaigns/${first.json().data.id}/cancel`);
  });

  it('are created, paused, resumed and canceled, each with an audit log entry', async () => {
    const { id, status, groupName, recipientCount, leftCount } = await made('Sale');
    expect(status).toBe('scheduled');
    expect(groupName).toMatch(/^Group /);
    // Before the start, the group's current members count. After a cancellation, all of them are left out.
    expect({ recipientCount, leftCount }).toEqual({ recipientCount: 3, leftCount: 3 });
    const to = async (verb: string) => (await ask('POST', `${base}/campaigns/${id}/${verb}`)).body.data?.status;
    expect(await to('pause')).toBe('paused');
    expect((await ask('POST', `${base}/campaigns/${id}/pause`)).status).toBe(409);
    expect(await to('resume')).toBe('scheduled');
    expect(await to('cancel')).toBe('canceled');
    await heliograph.deps.prisma.contactGroup.updateMany({ where: { name: groupName }, data: { contactCount: 9 } });
    expect((await ask('GET', `${base}/campaigns/${id}`, undefined, viewer)).body.data).toMatchObject({
      status: 'canceled',
      groupName,
      recipientCount: 3,
      leftCount: 3,
    });
    expect((await ask('GET', `${base}/campaigns/${id}/messages`, undefined, viewer)).body).toEqual({
      data: [],
      next: null,
    });
    expect(await audited(id)).toEqual(['campaign.create', 'campaign.pause', 'campaign.resume', 'campaign.cancel']);
  });

  it('are listed by cursor, newest first, by status', async () => {
    const ids: string[] = [];
    for (const name of ['One', 'Two', 'Three']) ids.unshift((await made(name)).id);
    const first = (await ask('GET', `${base}/campaigns?limit=2&status=Scheduled`)).body;
    expect(first.data.map((each: { id: string }) => each.id)).toEqual(ids.slice(0, 2));
    const second = (await ask('GET', `${base}/campaigns?limit=2&status=scheduled&cursor=${first.next}`)).body;
    expect(second.data.map((each: { id: string }) => each.id)).toEqual(ids.slice(2));
    expect(second.next).toBeNull();
    expect((await ask('GET', `${base}/campaigns?status=nonsense`)).body.data).toEqual([]);
  });
});

describe('automations of the console', () => {
  it('are created, changed, triggered and deleted, and their runs canceled', async () => {
    const steps = [{ type: 'wait', seconds: 60 }];
    const { body } = await ask('POST', `${base}/automations`, { name: 'Welcome', keyword: 'hi', steps });
    const { id } = body.data;
    expect((await ask('POST', `${base}/automations`, { name: 'Again', keyword: 'HI', steps })).status).toBe(409);
    await ask('POST', `/accounts/${channel.account.id}/opt-outs/words`, { word: 'Basta', meaning: 'stop' });
    for (const keyword of ['Stop!', 'basta']) {
      const refused = await ask('PUT', `${base}/automations/${id}`, { keyword });
      expect(refused.status).toBe(400);
      expect(refused.body.error.details).toEqual([
        { field: 'keyword', message: expect.stringMatching(/must not be an opt-out word/) },
      ]);
    }
    expect((await ask('PUT', `${base}/automations/${id}`, { isActive: false })).body.data.isActive).toBe(false);
    expect((await ask('POST', `${base}/automations/${id}/trigger`, { phone: '15005550111' })).status).toBe(409);
    await ask('PUT', `${base}/automations/${id}`, { isActive: true });
    const run = (await ask('POST', `${base}/automations/${id}/trigger`, { phone: '15005550111' })).body.data;
    expect(run).toMatchObject({ status: 'running', contact: { phone: '15005550111', name: '' } });
    const other = (await ask('POST', `${base}/automations`, { name: 'Other', steps })).body.data;
    const started = (automation: string) =>
      heliograph.app.inject({
        ...{ method: 'POST' as const, url: `/admin/v1${base}/automations/${automation}/trigger` },
        ...{ headers: { ...developer.headers, 'idempotency-key': 'try' }, payload: { phone: '15005550112' } },
      });
    const [one, again, wrong] = [await started(id), await started(id), await started(other.id)];
    expect([one.statusCode, again.statusCode, wrong.statusCode]).toEqual([200, 200, 422]);
    expect(again.json().data.id).toBe(one.json().data.id);
    await ask('DELETE', `${base}/automations/${other.id}`);
    await ask('POST', `${base}/automations/${id}/runs/${one.json().data.id}/cancel`);
    await heliograph.deps.prisma.automationRun.delete({ where: { id: one.json().data.id } });
    const runs = (await ask('GET', `${base}/automations/${id}/runs`, undefined, viewer)).body;
    expect(runs).toEqual({ data: [run], next: null });
    const canceled = await ask('POST', `${base}/automations/${id}/runs/${run.id}/cancel`);
    expect(canceled.body.data.status).toBe('canceled');
    expect((await ask('GET', `${base}/automations`, undefined, viewer)).body.data).toHaveLength(1);
    expect((await ask('DELETE', `${base}/automations/${id}`)).status).toBe(200);
    expect((await ask('GET', `${base}/automations/${id}`)).status).toBe(404);
    expect(await audited(id)).toEqual([
      'automation.create',
      'automation.update',
      'automation.update',
      'automation.trigger',
      'automation.trigger',
      'automation.delete',
    ]);
    expect(await audited(run.id)).toEqual(['run.cancel']);
  });
});

describe.each([
  ['of a channel', () => `${base}/webhooks`, 'contact.updated'],
  ['of an account', () => `/accounts/${channel.account.id}/webhooks`, 'account.balance_low'],
])('webhooks %s', (_, path, event) => {
  it('show their secret once, are changed, tested, replayed, rotated and deleted', async () => {
    const url = 'https://example.com/hook';
    const { data } = (await ask('POST', path(), { url, events: [event, 'message.status'] })).body;
    const { id, secret } = data;
    expect(secret).toMatch(/^whsec_/);
    expect((await ask('GET', `${path()}/${id}`, undefined, viewer)).body.data).not.toHaveProperty('secret');
    expect((await ask('GET', path(), undefined, viewer)).body.data).toMatchObject([{ id, url }]);
    expect((await ask('PUT', `${path()}/${id}`, { events: [event] })).body.data.events).toEqual([event]);
    const delivery = (await ask('POST', `${path()}/${id}/test`)).body.data;
    expect(delivery).toMatchObject({ type: 'webhook.test', status: 'pending' });
    expect(JSON.parse(delivery.body)).toMatchObject({ type: 'webhook.test' });
    const log = (await ask('GET', `${path()}/${id}/deliveries?status=pending`, undefined, viewer)).body;
    expect(log).toMatchObject({ data: [{ id: delivery.id }], next: null });
    const replayed = await ask('POST', `${path()}/${id}/deliveries/${delivery.id}/replay`);
    expect(replayed.body.data.id).toBe(delivery.id);
    const rotated = (await ask('POST', `${path()}/${id}/rotate-secret`)).body.data;
    expect(rotated.secret).not.toBe(secret);
    expect((await ask('DELETE', `${path()}/${id}`)).body).toEqual({ data: { done: true } });
    expect((await ask('GET', `${path()}/${id}`)).status).toBe(404);

    const lines = await heliograph.deps.prisma.auditLine.findMany({ where: { subject: id }, orderBy: { id: 'asc' } });
    const actions = ['webhook.create', 'webhook.update', 'webhook.test', 'webhook.rotate', 'webhook.delete'];
    expect(lines.map(({ action }) => action)).toEqual(actions);
    expect(JSON.stringify(lines)).not.toContain('whsec_');
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

  it.each(changes)('%s %s answers 403 to a viewer and 404 for another account', async (method, path, body) => {
    expect((await ask(method, `${base}${path}`, body, viewer)).status).toBe(403);
    const other = await createTestChannel(heliograph.deps);
    const foreign = `/accounts/${other.account.id}/channels/${other.channelId}${path}`;
    expect((await ask(method, foreign, body)).status).toBe(404);
    const mixed = `/accounts/${channel.account.id}/channels/${other.channelId}${path}`;
    expect((await ask(method, mixed, body)).status).toBe(404);
  });
});
