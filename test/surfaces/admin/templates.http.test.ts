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

const templatesPath = (path = '', target = channel) =>
  `/accounts/${target.account.id}/channels/${target.channelId}/templates${path}`;
const listTemplates = async () => (await operator.ask('GET', templatesPath())).json().data;
const DRAFT = {
  name: 'order_sent',
  language: 'en_US',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Your order {{1}} is on its way.', example: { body_text: [['A-1001']] } }],
};

describe('templates in the console', () => {
  it('are drafted, synced, edited and deleted, each with an audit log entry', async () => {
    expect(await listTemplates()).toEqual({ templates: [], syncedAt: null });
    const createResponse = await operator.ask('POST', templatesPath(), DRAFT);
    expect(createResponse.json().data).toMatchObject({ ...DRAFT, status: 'PENDING', createdAt: expect.any(String) });
    const { id } = createResponse.json().data;

    const startedAt = Date.now();
    await heliograph.deps.prisma.template.update({ where: { id }, data: { status: 'APPROVED' } });
    const syncResponse = await operator.ask('POST', templatesPath('/sync'), {});
    expect(syncResponse.json().data).toEqual({ added: 1, updated: 0, disabled: 0 });
    const { syncedAt, templates } = await listTemplates();
    expect(templates).toMatchObject([{ name: 'hello_world' }, { id, status: 'APPROVED' }]);
    expect(Math.abs(new Date(syncedAt).getTime() - startedAt)).toBeLessThan(3_600_000);

    const components = [{ type: 'BODY', text: 'It leaves today.' }];
    const editResponse = await operator.ask('PUT', templatesPath(`/${id}`), { components });
    expect(editResponse.json().data).toMatchObject({ id, status: 'PENDING', components });
    expect((await operator.ask('DELETE', templatesPath(`/${id}`))).json()).toEqual({ data: { done: true } });
    expect((await listTemplates()).templates).toMatchObject([{ name: 'hello_world' }]);

    const auditEntries = await heliograph.deps.prisma.auditLine.findMany({
      where: { accountId: channel.account.id },
      orderBy: { id: 'asc' },
    });
    expect(auditEntries.map(({ action, subject }) => [action, subject])).toEqual([
      ['template.create', id],
      ['template.sync', channel.channelId],
      ['template.edit', id],
      ['template.delete', id],
    ]);
  });

  it('are refused with the name of every field that breaks a rule of Meta', async () => {
    const body = { ...DRAFT, language: 'xx_YY', components: [{ type: 'BODY', text: '{{1}} first' }] };
    const refusal = await operator.ask('POST', templatesPath(), body);
    expect(refusal.statusCode).toBe(400);
    expect(refusal.json().error.details.map(({ field }: { field: string }) => field)).toEqual([
      'language',
      'components[0].text',
    ]);
  });

  it('return 404 if unknown, and 403 on an SMS channel and to viewers', async () => {
    for (const id of ['x', crypto.randomUUID()]) {
      expect((await operator.ask('DELETE', templatesPath(`/${id}`))).statusCode).toBe(404);
      expect((await operator.ask('PUT', templatesPath(`/${id}`), { components: DRAFT.components })).statusCode).toBe(
        404,
      );
    }
    const smsChannel = await createTestChannel(heliograph.deps, channel.account, { kind: 'sms' });
    expect((await operator.ask('POST', templatesPath('', smsChannel), DRAFT)).statusCode).toBe(403);
    const viewer = await createTestOperator(heliograph, { role: 'viewer', accountId: channel.account.id });
    expect((await viewer.ask('GET', templatesPath())).statusCode).toBe(200);
    expect((await viewer.ask('POST', templatesPath(), DRAFT)).statusCode).toBe(403);
    expect((await viewer.ask('POST', templatesPath('/sync'), {})).statusCode).toBe(403);
  });
});
