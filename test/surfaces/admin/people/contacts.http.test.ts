import { describe, expect, it } from 'vitest';
import { createTestChannel } from '../../../support/channels.js';
import { buildExportedCsv } from '../../../support/exported-contacts.js';
import { forEachTest } from '../../../support/for-suite.js';
import { createTestOperator } from '../../../support/operators.js';
import { sharedApp } from '../../../support/suite.js';

const heliograph = sharedApp({ role: 'api' });
const made = forEachTest(async () => {
  const channel = await createTestChannel(heliograph.deps);
  const operator = await createTestOperator(heliograph, { role: 'developer', accountId: channel.account.id });
  const viewer = await createTestOperator(heliograph, { role: 'viewer', accountId: channel.account.id });
  return { channel, operator, viewer, base: `/accounts/${channel.account.id}/channels/${channel.channelId}` };
});

async function ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) {
  const response = await made.operator.ask(method, made.base + path, body);
  return { status: response.statusCode, ...response.json() };
}

const auditOf = async () =>
  (
    await heliograph.deps.prisma.auditLine.findMany({
      where: { accountId: made.channel.account.id },
      orderBy: { id: 'asc' },
    })
  ).map(({ action }) => action);

describe('/admin/v1/accounts/:accountId/channels/:channelId/contacts', () => {
  it('creates, shows, changes and deletes a contact, each with an audit log entry', async () => {
    const { status, data } = await ask('POST', '/contacts', { phone: '+1 (500) 555-0111', name: 'Ada' });
    expect(status).toBe(200);
    expect(data).toMatchObject({ phone: '15005550111', name: 'Ada', email: '', optedOut: false, groups: [] });
    expect(data.conversationId).toBeNull();
    const group = (await ask('POST', '/groups', { name: 'Friends' })).data;
    await ask('POST', `/groups/${group.id}/add`, { contactIds: [data.id] });
    const changed = await ask('PUT', `/contacts/${data.id}`, { name: 'Ada King', optedOut: true });
    expect(changed.data).toMatchObject({
      name: 'Ada King',
      optedOut: true,
      groups: [{ id: group.id, name: 'Friends' }],
    });
    expect((await ask('GET', `/contacts/${data.id}`)).data).toEqual(changed.data);
    expect(await ask('DELETE', `/contacts/${data.id}`)).toEqual({ status: 200, data: { done: true } });
    expect((await ask('GET', `/contacts/${data.id}`)).status).toBe(404);
    expect(await auditOf()).toEqual([
      'contact.create',
      'group.create',
      'group.add',
      'contact.update',
      'contact.delete',
    ]);
  });

  it('creates a contact by user ID, with or without a number, on WhatsApp only', async () => {
    const { status, data } = await ask('POST', '/contacts', { userId: 'US.1', name: 'Ada' });
    expect([status, data]).toEqual([200, expect.objectContaining({ phone: null, userId: 'US.1', name: 'Ada' })]);
    const both = await ask('POST', '/contacts', { userId: 'US.2', phone: '+1 (500) 555-0112' });
    expect(both.data).toMatchObject({ phone: '15005550112', userId: 'US.2' });
    const refusal = async (body: object) =>
      (({ status, error }) => `${status} ${error.message}`)(await ask('POST', '/contacts', body));
    expect(await refusal({ name: 'Nobody' })).toBe('400 phone is required unless userId is sent');
    expect(await refusal({ userId: 'ada' })).toMatch(/^400 userId must be a user id of WhatsApp/);
    expect(await refusal({ userId: 'US.1' })).toBe('409 The channel already has a contact with this userId.');
    expect((await ask('PUT', `/contacts/${data.id}`, { userId: 'US.9' })).error.message).toMatch(
      /^userId cannot be changed/,
    );
    const lines = await heliograph.deps.prisma.auditLine.findMany({
      where: { accountId: made.channel.account.id },
      orderBy: { id: 'asc' },
    });
    expect(lines.map(({ action, after }) => [action, (after as { userId?: string }).userId])).toEqual([
      ['contact.create', 'US.1'],
      ['contact.create', 'US.2'],
    ]);
  });

  it('lists all contacts, those of a group, or search results page by page, each contact once', async () => {
    const phones = Array.from({ length: 7 }, (_, index) => `1500555010${index}`);
    const ids: string[] = [];
    for (const phone of phones) {
      ids.push((await ask('POST', '/contacts', { phone, name: phone.endsWith('3') ? 'Zoë' : 'Ada' })).data.id);
    }
    const group = (await ask('POST', '/groups', { name: 'Some' })).data;
    await ask('POST', `/groups/${group.id}/add`, { contactIds: ids.slice(0, 5) });
    const walk = async (query: string) => {
      const found: string[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const page: Awaited<ReturnType<typeof ask>> = await ask(
          'GET',
          `/contacts?limit=2${next && `&cursor=${next}`}${query}`,
        );
        expect(page.totalIsEstimate).toBe(false);
        found.push(...page.data.map(({ phone }: { phone: string }) => phone));
        if (next === null || page.next === null) expect(found).toHaveLength(page.total);
        next = page.next;
      }
      return found;
    };
    const newest = phones.toReversed();
    expect(await walk('')).toEqual(newest);
    expect(await walk(`&groupId=${group.id}`)).toEqual(newest.slice(2));
    expect(await walk('&search=ada')).toEqual(newest.filter((phone) => !phone.endsWith('3')));
    expect(await walk(`&search=ada&groupId=${group.id}`)).toEqual(
      newest.slice(2).filter((phone) => !phone.endsWith('3')),
    );
    expect(await walk('&search=nobody')).toEqual([]);
    expect(await walk('&groupId=unknown')).toEqual([]);
    expect((await ask('GET', '/contacts?cursor=x')).status).toBe(400);
  });

  it('deletes several contacts, and returns those that do not exist', async () => {
    const { id } = (await ask('POST', '/contacts', { phone: '15005550111' })).data;
    const unknown = crypto.randomUUID();
    const { data } = await ask('POST', '/contacts/bulk-delete', { contactIds: [id, unknown] });
    expect(data).toEqual({ deleted: 1, notFound: [unknown] });
  });

  it('refuses an invalid field, an existing number, and changes by a viewer', async () => {
    const bad = await ask('POST', '/contacts', { phone: '12', email: 'nobody' });
    expect(bad).toMatchObject({ status: 400, error: { details: [{ field: 'phone' }, { field: 'email' }] } });
    await ask('POST', '/contacts', { phone: '15005550111' });
    expect((await ask('POST', '/contacts', { phone: '15005550111' })).status).toBe(409);
    const refused = await made.viewer.ask('POST', `${made.base}/contacts`, { phone: '15005550112' });
    expect(refused.statusCode).toBe(403);
    expect((await made.viewer.ask('GET', `${made.base}/contacts`)).statusCode).toBe(200);
  });

  it('shows nothing of a channel of another account', async () => {
    const other = await createTestChannel(heliograph.deps);
    const path = `/accounts/${made.channel.account.id}/channels/${other.channelId}/contacts`;
    expect((await made.operator.ask('GET', path)).statusCode).toBe(404);
    const foreign = `/accounts/${other.account.id}/channels/${other.channelId}/contacts`;
    expect((await made.operator.ask('GET', foreign)).statusCode).toBe(404);
  });

  it('exports all contacts or a group as a file that an import accepts', async () => {
    const ada = (await ask('POST', '/contacts', { phone: '15005550111', name: 'Lovelace, Ada' })).data;
    await ask('POST', '/contacts', { phone: '15005550112', email: 'bob@example.com' });
    const group = (await ask('POST', '/groups', { name: 'Some' })).data;
    await ask('POST', `/groups/${group.id}/add`, { contactIds: [ada.id] });
    const file = await made.viewer.ask('GET', `${made.base}/contacts/export`);
    expect(file.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(file.headers['content-disposition']).toBe('attachment; filename="contacts.csv"');
    const member = { phone: '+15005550111', name: 'Lovelace, Ada' };
    expect(file.body).toBe(buildExportedCsv([member, { phone: '+15005550112', email: 'bob@example.com' }]));
    const some = await made.viewer.ask('GET', `${made.base}/contacts/export?groupId=${group.id}`);
    expect(some.body).toBe(buildExportedCsv([member]));
    expect((await made.viewer.ask('GET', `${made.base}/contacts/export?groupId=x`)).statusCode).toBe(404);
  });
});

describe('adding search results to a group', () => {
  it('adds all of them, returns how many, updates the count, and is audited once', async () => {
    for (const [phone, name] of [
      ['15005550101', 'Ada Berlin'],
      ['15005550102', 'Bob Berlin'],
      ['15005550103', 'Eve Paris'],
    ]) {
      await ask('POST', '/contacts', { phone, name });
    }
    const group = (await ask('POST', '/groups', { name: 'Berlin' })).data;
    const add = (body: object) => ask('POST', `/groups/${group.id}/add-found`, body);
    expect((await add({ search: 'berlin' })).data).toEqual({ changed: 2, unchanged: 0 });
    expect((await add({ search: 'berlin' })).data).toEqual({ changed: 0, unchanged: 2 });
    expect((await add({ search: 'nobody at all' })).data).toEqual({ changed: 0, unchanged: 0 });
    expect((await ask('GET', `/groups/${group.id}`)).data.contactCount).toBe(2);
    const other = (await ask('POST', '/groups', { name: 'Ada' })).data;
    const added = await ask('POST', `/groups/${other.id}/add-found`, { search: 'ada', groupId: group.id });
    expect(added.data).toEqual({ changed: 1, unchanged: 0 });
    expect((await add({})).data).toEqual({ changed: 1, unchanged: 2 });
    expect((await ask('POST', `/groups/${made.channel.channelId}/add-found`, {})).status).toBe(404);
    expect((await ask('POST', `/groups/${group.id}/add-found`, { groupId: 'x' })).status).toBe(404);
    const lines = await heliograph.deps.prisma.auditLine.findMany({
      where: { subject: group.id },
      orderBy: { id: 'asc' },
    });
    expect(lines.map(({ action, after }) => [action, after])).toContainEqual([
      'group.add',
      { search: 'berlin', from: null, found: 2, added: 2 },
    ]);
  });
});

describe('/admin/v1/accounts/:accountId/channels/:channelId/groups', () => {
  it('creates, lists, changes and deletes groups, and changes their members', async () => {
    const names = ['Customers', 'Friends', 'Staff'];
    const groups: { id: string; name: string }[] = [];
    for (const name of names) groups.push((await ask('POST', '/groups', { name, description: 'All' })).data);
    const first = await ask('GET', '/groups?limit=2');
    expect(first.data).toMatchObject([{ name: 'Staff' }, { name: 'Friends' }]);
    const second = await ask('GET', `/groups?limit=2&cursor=${first.next}`);
    expect(second).toMatchObject({ data: [{ name: 'Customers', description: 'All', contactCount: 0 }], next: null });
    expect((await ask('GET', '/groups?search=RIEN')).data).toMatchObject([{ name: 'Friends' }]);
    expect((await ask('GET', '/groups?search=%25')).data).toEqual([]);
    expect((await ask('POST', '/groups', { name: ' friends' })).status).toBe(409);
    const path = `/groups/${groups[0]?.id}`;
    expect((await ask('PUT', path, { name: 'Buyers' })).data).toMatchObject({ name: 'Buyers', description: 'All' });
    const { id } = (await ask('POST', '/contacts', { phone: '15005550111' })).data;
    expect((await ask('POST', `${path}/add`, { contactIds: [id, id] })).data).toEqual({ changed: 1, unchanged: 0 });
    expect((await ask('GET', path)).data.contactCount).toBe(1);
    expect((await ask('POST', `${path}/remove`, { contactIds: [id] })).data).toEqual({ changed: 1, unchanged: 0 });
    expect((await ask('DELETE', path)).data).toEqual({ done: true });
    expect((await ask('GET', path)).status).toBe(404);
    expect(await auditOf()).toEqual([
      ...names.map(() => 'group.create'),
      'group.update',
      'contact.create',
      'group.add',
      'group.remove',
      'group.delete',
    ]);
  });
});
