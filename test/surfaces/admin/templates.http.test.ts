import { beforeAll, describe, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp();
let channel: TestChannel;
let operator: TestOperator;

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  operator = await createTestOperator(heliograph, { role: 'developer', accountId: channel.account.id });
});

const pathOf = (path = '', of = channel) => `/accounts/${of.account.id}/channels/${of.channelId}/templates${path}`;
const list = async () => (await operator.ask('GET', pathOf())).json().data;
const DRAFT = {
  name: 'order_sent',
  language: 'en_US',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Your order {{1}} is on its way.', example: { body_text: [['A-1001']] } }],
};

describe('templates', () => {
  it('are drafted, synced, edited and deleted, each with an audit log entry', async () => {
    expect(await list()).toEqual({ templates: [], syncedAt: null });
    const created = await operator.ask('POST', pathOf(), DRAFT);
    expect(created.json().data).toMatchObject({ ...DRAFT, status: 'PENDING', createdAt: expect.any(String) });
    const { id } = created.json().data;

    const before = Date.now();
    await heliograph.deps.prisma.template.update({ where: { id }, data: { status: 'APPROVED' } });
    const synced = await operator.ask('POST', pathOf('/sync'), {});
    expect(synced.json().data).toEqual({ added: 1, updated: 0, disabled: 0 });
    const { syncedAt, templates } = await list();
    expect(templates).toMatchObject([{ name: 'hello_world' }, { id, status: 'APPROVED' }]);
    expect(Math.abs(new Date(syncedAt).getTime() - before)).toBeLessThan(3_600_000);

    const components = [{ type: 'BODY', text: 'It leaves today.' }];
    const edited = await operator.ask('PUT', pathOf(`/${id}`), { components });
    expect(edited.json().data).toMatchObject({ id, status: 'PENDING', components });
    expect((await operator.ask('DELETE', pathOf(`/${id}`))).json()).toEqual({ data: { done: true } });
    expect((await list()).templates).toMatchObject([{ name: 'hello_world' }]);

    const lines = await heliograph.deps.prisma.auditLine.findMany({
      where: { accountId: channel.account.id },
      orderBy: { id: 'asc' },
    });
    expect(lines.map(({ action, subject }) => [action, subject])).toEqual([
      ['template.create', id],
      ['template.sync', channel.channelId],
      ['template.edit', id],
      ['template.delete', id],
    ]);
  });

  it('name every field of a draft that breaks a rule of Meta', async () => {
    const body = { ...DRAFT, language: 'xx_YY', components: [{ type: 'BODY', text: '{{1}} first' }] };
    const refused = await operator.ask('POST', pathOf(), body);
    expect(refused.statusCode).toBe(400);
    expect(refused.json().error.details.map(({ field }: { field: string }) => field)).toEqual([
      'language',
      'components[0].text',
    ]);
  });

  it('answer 404 if unknown, and 403 on an SMS channel and to viewers', async () => {
    for (const id of ['x', crypto.randomUUID()]) {
      expect((await operator.ask('DELETE', pathOf(`/${id}`))).statusCode).toBe(404);
      expect((await operator.ask('PUT', pathOf(`/${id}`), { components: DRAFT.components })).statusCode).toBe(404);
    }
    const sms = await createTestChannel(heliograph.deps, channel.account, { kind: 'sms' });
    expect((await operator.ask('POST', pathOf('', sms), DRAFT)).statusCode).toBe(403);
    const viewer = await createTestOperator(heliograph, { role: 'viewer', accountId: channel.account.id });
    expect((await viewer.ask('GET', pathOf())).statusCode).toBe(200);
    expect((await viewer.ask('POST', pathOf(), DRAFT)).statusCode).toBe(403);
    expect((await viewer.ask('POST', pathOf('/sync'), {})).statusCode).toBe(403);
  });
});
