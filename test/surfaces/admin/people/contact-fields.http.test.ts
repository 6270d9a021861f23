import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/platform/ids.js';
import { createTestChannel } from '../../../support/channels.js';
import { forEachTest } from '../../../support/for-suite.js';
import { createTestOperator } from '../../../support/operators.js';
import { sharedApp } from '../../../support/suite.js';
import { waitFor } from '../../../support/wait-for.js';

const heliograph = sharedApp();
const fixture = forEachTest(async () => {
  const channel = await createTestChannel(heliograph.deps);
  const accountId = channel.account.id;
  const operator = await createTestOperator(heliograph, { role: 'developer', accountId });
  const viewer = await createTestOperator(heliograph, { role: 'viewer', accountId });
  const account = `/accounts/${accountId}`;
  return { channel, operator, viewer, account, base: `${account}/channels/${channel.channelId}` };
});

async function request(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) {
  const response = await fixture.operator.ask(method, path, body);
  return { status: response.statusCode, ...response.json() };
}

const PLAN = { key: 'plan', label: 'Plan', type: 'choice', choices: ['basic', 'pro'] };

async function listAuditEntries() {
  const where = { accountId: fixture.channel.account.id };
  return heliograph.deps.prisma.auditLine.findMany({ where, orderBy: { id: 'asc' } });
}

describe('contact fields and tags in the console', () => {
  it('a field is defined, changed and deleted, each with an audit log entry', async () => {
    const path = `${fixture.account}/contact-fields`;
    expect((await request('POST', path, PLAN)).data).toMatchObject(PLAN);
    const changed = await request('PUT', `${path}/plan`, { choices: ['basic', 'pro', 'max'] });
    expect(changed.data.choices).toEqual(['basic', 'pro', 'max']);
    expect((await request('GET', path)).data).toEqual([changed.data]);
    expect((await request('DELETE', `${path}/plan`)).status).toBe(200);
    expect((await request('DELETE', `${path}/plan`)).status).toBe(404);
    const entries = await listAuditEntries();
    expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
      ['contact-field.create', 'plan'],
      ['contact-field.update', 'plan'],
      ['contact-field.delete', 'plan'],
    ]);
    expect(entries[1]).toMatchObject({
      before: { choices: ['basic', 'pro'] },
      after: { choices: ['basic', 'pro', 'max'] },
    });
  });

  it('a viewer reads fields and tags but changes nothing', async () => {
    const ask = async (method: 'GET' | 'POST', path: string, body?: object) =>
      (await fixture.viewer.ask(method, path, body)).statusCode;
    expect(await ask('GET', `${fixture.account}/contact-fields`)).toBe(200);
    expect(await ask('GET', `${fixture.account}/contact-tags`)).toBe(200);
    expect(await ask('POST', `${fixture.account}/contact-fields`, PLAN)).toBe(403);
    expect(await ask('POST', `${fixture.base}/contacts/bulk-tag`, { found: {}, add: ['vip'] })).toBe(403);
  });

  it('tags and fields of a contact are changed, and the audit log contains only what has changed', async () => {
    await request('POST', `${fixture.account}/contact-fields`, PLAN);
    const { data } = await request('POST', `${fixture.base}/contacts`, { phone: '+15005550111', tags: ['vip'] });
    expect(data).toMatchObject({ tags: ['vip'], fields: {} });
    const path = `${fixture.base}/contacts/${data.id}`;
    const changed = await request('PUT', path, { fields: { plan: 'pro' } });
    expect(changed.data).toMatchObject({ tags: ['vip'], fields: { plan: 'pro' } });
    const entry = (await listAuditEntries()).at(-1);
    expect(entry).toMatchObject({
      action: 'contact.update',
      before: { fields: {} },
      after: { fields: { plan: 'pro' } },
    });
    expect(entry?.after).not.toHaveProperty('tags');
    expect((await request('GET', `${fixture.base}/contacts?tags=vip`)).data).toMatchObject([{ id: data.id }]);
    expect((await request('GET', `${fixture.base}/contacts?tags=other`)).data).toEqual([]);
  });

  it('all found contacts are tagged, and only found contacts join a group', async () => {
    for (const index of [1, 2, 3]) {
      const tags = index === 3 ? [] : ['vip'];
      await request('POST', `${fixture.base}/contacts`, { phone: `+1500555011${index}`, tags });
    }
    const edit = { found: { tags: 'vip' }, add: ['spring'], remove: ['vip'] };
    const path = `${fixture.base}/contacts/bulk-tag`;
    expect((await request('POST', path, edit)).data).toEqual({ changed: 2, unchanged: 0 });
    expect((await request('POST', path, edit)).data).toEqual({ changed: 0, unchanged: 0 });
    expect((await listAuditEntries()).filter(({ action }) => action === 'contact.tag')).toHaveLength(1);
    const group = (await request('POST', `${fixture.base}/groups`, { name: 'Spring' })).data;
    const added = await request('POST', `${fixture.base}/groups/${group.id}/add-found`, { tags: 'spring' });
    expect(added.data).toEqual({ changed: 2, unchanged: 0 });
    expect((await request('DELETE', `${fixture.account}/contact-tags/spring`)).status).toBe(409);
    expect((await request('DELETE', `${fixture.account}/contact-tags/vip`)).status).toBe(200);
    expect((await request('GET', `${fixture.account}/contact-tags`)).data).toEqual([{ name: 'spring' }]);
  });

  it('contacts with a field value are tagged, and join a group', async () => {
    await request('POST', `${fixture.account}/contact-fields`, PLAN);
    for (const [index, plan] of ['pro', 'basic', 'pro'].entries()) {
      await request('POST', `${fixture.base}/contacts`, { phone: `+1500555011${index}`, fields: { plan } });
    }
    const fields = '{"plan": "pro"}';
    const tagged = await request('POST', `${fixture.base}/contacts/bulk-tag`, { found: { fields }, add: ['vip'] });
    expect(tagged.data).toEqual({ changed: 2, unchanged: 0 });
    const group = (await request('POST', `${fixture.base}/groups`, { name: 'Pro' })).data;
    const path = `${fixture.base}/groups/${group.id}/add-found`;
    expect((await request('POST', path, { fields })).data).toEqual({ changed: 2, unchanged: 0 });
    const refused = await request('POST', path, { fields: '{"plan": "gold"}' });
    expect(refused).toMatchObject({ status: 400, error: { details: [{ field: 'fields.plan' }] } });
  });

  it('a contact names the contacts with the same number on other channels of the account', async () => {
    const account = fixture.channel.account;
    const otherChannel = await createTestChannel(heliograph.deps, account);
    const stranger = await createTestChannel(heliograph.deps);
    const phone = '15005550111';
    const { prisma } = heliograph.deps;
    const [linked] = await Promise.all(
      [otherChannel, stranger].map(({ channelId, account: { id: accountId } }) =>
        prisma.contact.create({ data: { id: newId(), accountId, channelId, phone, name: 'Ada' } }),
      ),
    );
    const { data } = await request('POST', `${fixture.base}/contacts`, { phone: `+${phone}` });
    expect(data.sameNumber).toEqual([{ contactId: linked?.id, channelId: otherChannel.channelId, name: 'Ada' }]);
    await prisma.channel.update({ where: { id: otherChannel.channelId }, data: { deletedAt: new Date() } });
    expect((await request('GET', `${fixture.base}/contacts/${data.id}`)).data.sameNumber).toEqual([]);
  });

  it('an import in slices creates fields, fills them and tags its contacts', async () => {
    const start = {
      ...{ slices: 1, totalRows: 2, columns: ['Phone', 'Plan', 'Labels'], tags: ['Spring'] },
      fieldColumns: [{ column: 'Plan', key: 'plan', label: 'Plan' }],
    };
    const { data: job } = await request('POST', `${fixture.base}/imports`, start);
    const rows = [
      { row: 2, phone: '+15005550111', fields: { plan: 'pro' }, tags: ['New'], cells: ['+15005550111', 'pro', 'New'] },
      { row: 3, phone: '+15005550112', fields: { unknown: 'x' }, cells: ['+15005550112', 'x', ''] },
    ];
    await request('PUT', `${fixture.base}/imports/${job.id}/slices/0`, { rows });
    const done = await waitFor('the import to end', async () => {
      const { data } = await request('GET', `${fixture.base}/imports/${job.id}`);
      return data.completedAt ? data : undefined;
    });
    expect(done).toMatchObject({ created: 1, refused: 1 });
    const { data } = await request('GET', `${fixture.base}/contacts`);
    expect(data).toMatchObject([{ phone: '15005550111', tags: ['new', 'spring'], fields: { plan: 'pro' } }]);
    expect((await request('GET', `${fixture.account}/contact-fields`)).data).toMatchObject([
      { key: 'plan', type: 'text' },
    ]);
  });
});
