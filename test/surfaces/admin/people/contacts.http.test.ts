import { describe, expect, it } from 'vitest';
import { createTestChannel } from '../../../support/channels.js';
import { buildExportedCsv } from '../../../support/exported-contacts.js';
import { forEachTest } from '../../../support/for-suite.js';
import { createTestOperator } from '../../../support/operators.js';
import { sharedApp } from '../../../support/suite.js';

const heliograph = sharedApp({ role: 'api' });
const fixture = forEachTest(async () => {
  const channel = await createTestChannel(heliograph.deps);
  const operator = await createTestOperator(heliograph, { role: 'developer', accountId: channel.account.id });
  const viewer = await createTestOperator(heliograph, { role: 'viewer', accountId: channel.account.id });
  return { channel, operator, viewer, base: `/accounts/${channel.account.id}/channels/${channel.channelId}` };
});

async function request(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) {
  const response = await fixture.operator.ask(method, fixture.base + path, body);
  return { status: response.statusCode, ...response.json() };
}

const listAuditEntries = async () =>
  (
    await heliograph.deps.prisma.auditLine.findMany({
      where: { accountId: fixture.channel.account.id },
      orderBy: { id: 'asc' },
    })
  ).map(({ action }) => action);

describe('/admin/v1/accounts/:accountId/channels/:channelId/contacts', () => {
  it('creates, shows, changes and deletes a contact, each with an audit log entry', async () => {
    const { status, data } = await request('POST', '/contacts', { phone: '+1 (500) 555-0111', name: 'Ada' });
    expect(status).toBe(200);
    expect(data).toMatchObject({ phone: '15005550111', name: 'Ada', email: '', optedOut: false, groups: [] });
    expect(data.conversationId).toBeNull();
    const group = (await request('POST', '/groups', { name: 'Friends' })).data;
    await request('POST', `/groups/${group.id}/add`, { contactIds: [data.id] });
    const changeResponse = await request('PUT', `/contacts/${data.id}`, { name: 'Ada King', optedOut: true });
    expect(changeResponse.data).toMatchObject({
      name: 'Ada King',
      optedOut: true,
      groups: [{ id: group.id, name: 'Friends' }],
    });
    expect((await request('GET', `/contacts/${data.id}`)).data).toEqual(changeResponse.data);
    expect(await request('DELETE', `/contacts/${data.id}`)).toEqual({ status: 200, data: { done: true } });
    expect((await request('GET', `/contacts/${data.id}`)).status).toBe(404);
    expect(await listAuditEntries()).toEqual([
      'contact.create',
      'group.create',
      'group.add',
      'contact.update',
      'contact.delete',
    ]);
  });

  it('creates a contact by user ID, with or without a number, on WhatsApp only', async () => {
    const { status, data } = await request('POST', '/contacts', { userId: 'US.1', name: 'Ada' });
    expect([status, data]).toEqual([200, expect.objectContaining({ phone: null, userId: 'US.1', name: 'Ada' })]);
    const bothResponse = await request('POST', '/contacts', { userId: 'US.2', phone: '+1 (500) 555-0112' });
    expect(bothResponse.data).toMatchObject({ phone: '15005550112', userId: 'US.2' });
    const getRefusal = async (body: object) =>
      (({ status, error }) => `${status} ${error.message}`)(await request('POST', '/contacts', body));
    expect(await getRefusal({ name: 'Nobody' })).toBe('400 phone is required unless userId is sent');
    expect(await getRefusal({ userId: 'ada' })).toMatch(/^400 userId must be a WhatsApp user ID/);
    expect(await getRefusal({ userId: 'US.1' })).toBe('409 The channel already has a contact with this userId.');
    expect((await request('PUT', `/contacts/${data.id}`, { userId: 'US.9' })).error.message).toMatch(
      /^userId cannot be changed/,
    );
    const auditEntries = await heliograph.deps.prisma.auditLine.findMany({
      where: { accountId: fixture.channel.account.id },
      orderBy: { id: 'asc' },
    });
    expect(auditEntries.map(({ action, after }) => [action, (after as { userId?: string }).userId])).toEqual([
      ['contact.create', 'US.1'],
      ['contact.create', 'US.2'],
    ]);
  });

  it('lists all contacts, those of a group, or search results page by page, each contact once', async () => {
    const phones = Array.from({ length: 7 }, (_, index) => `1500555010${index}`);
    const ids: string[] = [];
    for (const phone of phones) {
      ids.push((await request('POST', '/contacts', { phone, name: phone.endsWith('3') ? 'Zoë' : 'Ada' })).data.id);
    }
    const group = (await request('POST', '/groups', { name: 'Some' })).data;
    await request('POST', `/groups/${group.id}/add`, { contactIds: ids.slice(0, 5) });
    const listAllPages = async (query: string) => {
      const foundPhones: string[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const page: Awaited<ReturnType<typeof request>> = await request(
          'GET',
          `/contacts?limit=2${next && `&cursor=${next}`}${query}`,
        );
        expect(page.totalIsEstimate).toBe(false);
        foundPhones.push(...page.data.map(({ phone }: { phone: string }) => phone));
        if (next === null || page.next === null) expect(foundPhones).toHaveLength(page.total);
        next = page.next;
      }
      return foundPhones;
    };
    const newestFirst = phones.toReversed();
    expect(await listAllPages('')).toEqual(newestFirst);
    expect(await listAllPages(`&groupId=${group.id}`)).toEqual(newestFirst.slice(2));
    expect(await listAllPages('&search=ada')).toEqual(newestFirst.filter((phone) => !phone.endsWith('3')));
    expect(await listAllPages(`&search=ada&groupId=${group.id}`)).toEqual(
      newestFirst.slice(2).filter((phone) => !phone.endsWith('3')),
    );
    expect(await listAllPages('&search=nobody')).toEqual([]);
    expect(await listAllPages('&groupId=unknown')).toEqual([]);
    expect((await request('GET', '/contacts?cursor=x')).status).toBe(400);
  });

  it('deletes several contacts, and returns the IDs that do not exist', async () => {
    const { id } = (await request('POST', '/contacts', { phone: '15005550111' })).data;
    const unknownId = crypto.randomUUID();
    const { data } = await request('POST', '/contacts/bulk-delete', { contactIds: [id, unknownId] });
    expect(data).toEqual({ deleted: 1, notFound: [unknownId] });
  });

  it('refuses an invalid field, an existing number, and changes by a viewer', async () => {
    const refusal = await request('POST', '/contacts', { phone: '12', email: 'nobody' });
    expect(refusal).toMatchObject({ status: 400, error: { details: [{ field: 'phone' }, { field: 'email' }] } });
    await request('POST', '/contacts', { phone: '15005550111' });
    expect((await request('POST', '/contacts', { phone: '15005550111' })).status).toBe(409);
    const viewerResponse = await fixture.viewer.ask('POST', `${fixture.base}/contacts`, { phone: '15005550112' });
    expect(viewerResponse.statusCode).toBe(403);
    expect((await fixture.viewer.ask('GET', `${fixture.base}/contacts`)).statusCode).toBe(200);
  });

  it('shows nothing of a channel of another account', async () => {
    const otherChannel = await createTestChannel(heliograph.deps);
    const path = `/accounts/${fixture.channel.account.id}/channels/${otherChannel.channelId}/contacts`;
    expect((await fixture.operator.ask('GET', path)).statusCode).toBe(404);
    const foreignPath = `/accounts/${otherChannel.account.id}/channels/${otherChannel.channelId}/contacts`;
    expect((await fixture.operator.ask('GET', foreignPath)).statusCode).toBe(404);
  });

  it('exports all contacts or a group as a file that an import accepts', async () => {
    const ada = (await request('POST', '/contacts', { phone: '15005550111', name: 'Lovelace, Ada' })).data;
    await request('POST', '/contacts', { phone: '15005550112', email: 'bob@example.com' });
    const group = (await request('POST', '/groups', { name: 'Some' })).data;
    await request('POST', `/groups/${group.id}/add`, { contactIds: [ada.id] });
    const file = await fixture.viewer.ask('GET', `${fixture.base}/contacts/export`);
    expect(file.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(file.headers['content-disposition']).toBe('attachment; filename="contacts.csv"');
    const member = { phone: '+15005550111', name: 'Lovelace, Ada' };
    expect(file.body).toBe(buildExportedCsv([member, { phone: '+15005550112', email: 'bob@example.com' }]));
    const groupFile = await fixture.viewer.ask('GET', `${fixture.base}/contacts/export?groupId=${group.id}`);
    expect(groupFile.body).toBe(buildExportedCsv([member]));
    expect((await fixture.viewer.ask('GET', `${fixture.base}/contacts/export?groupId=x`)).statusCode).toBe(404);
  });
});

describe('adding search results to a group', () => {
  it('adds all contacts, returns their number, updates the count, and is audited once', async () => {
    for (const [phone, name] of [
      ['15005550101', 'Ada Berlin'],
      ['15005550102', 'Bob Berlin'],
      ['15005550103', 'Eve Paris'],
    ]) {
      await request('POST', '/contacts', { phone, name });
    }
    const group = (await request('POST', '/groups', { name: 'Berlin' })).data;
    const addFound = (body: object) => request('POST', `/groups/${group.id}/add-found`, body);
    expect((await addFound({ search: 'berlin' })).data).toEqual({ changed: 2, unchanged: 0 });
    expect((await addFound({ search: 'berlin' })).data).toEqual({ changed: 0, unchanged: 2 });
    expect((await addFound({ search: 'nobody at all' })).data).toEqual({ changed: 0, unchanged: 0 });
    expect((await request('GET', `/groups/${group.id}`)).data.contactCount).toBe(2);
    const otherGroup = (await request('POST', '/groups', { name: 'Ada' })).data;
    const addResponse = await request('POST', `/groups/${otherGroup.id}/add-found`, {
      search: 'ada',
      groupId: group.id,
    });
    expect(addResponse.data).toEqual({ changed: 1, unchanged: 0 });
    expect((await addFound({})).data).toEqual({ changed: 1, unchanged: 2 });
    expect((await request('POST', `/groups/${fixture.channel.channelId}/add-found`, {})).status).toBe(404);
    expect((await request('POST', `/groups/${group.id}/add-found`, { groupId: 'x' })).status).toBe(404);
    const auditEntries = await heliograph.deps.prisma.auditLine.findMany({
      where: { subject: group.id },
      orderBy: { id: 'asc' },
    });
    expect(auditEntries.map(({ action, after }) => [action, after])).toContainEqual([
      'group.add',
      { search: 'berlin', from: null, found: 2, added: 2 },
    ]);
  });
});

describe('/admin/v1/accounts/:accountId/channels/:channelId/groups', () => {
  it('creates, lists, changes and deletes groups, and changes their members', async () => {
    const names = ['Customers', 'Friends', 'Staff'];
    const groups: { id: string; name: string }[] = [];
    for (const name of names) groups.push((await request('POST', '/groups', { name, description: 'All' })).data);
    const firstPage = await request('GET', '/groups?limit=2');
    expect(firstPage.data).toMatchObject([{ name: 'Staff' }, { name: 'Friends' }]);
    const secondPage = await request('GET', `/groups?limit=2&cursor=${firstPage.next}`);
    expect(secondPage).toMatchObject({
      data: [{ name: 'Customers', description: 'All', contactCount: 0 }],
      next: null,
    });
    expect((await request('GET', '/groups?search=RIEN')).data).toMatchObject([{ name: 'Friends' }]);
    expect((await request('GET', '/groups?search=%25')).data).toEqual([]);
    expect((await request('POST', '/groups', { name: ' friends' })).status).toBe(409);
    const path = `/groups/${groups[0]?.id}`;
    expect((await request('PUT', path, { name: 'Buyers' })).data).toMatchObject({ name: 'Buyers', description: 'All' });
    const { id } = (await request('POST', '/contacts', { phone: '15005550111' })).data;
    expect((await request('POST', `${path}/add`, { contactIds: [id, id] })).data).toEqual({ changed: 1, unchanged: 0 });
    expect((await request('GET', path)).data.contactCount).toBe(1);
    expect((await request('POST', `${path}/remove`, { contactIds: [id] })).data).toEqual({ changed: 1, unchanged: 0 });
    expect((await request('DELETE', path)).data).toEqual({ done: true });
    expect((await request('GET', path)).status).toBe(404);
    expect(await listAuditEntries()).toEqual([
      ...names.map(() => 'group.create'),
      'group.update',
      'contact.create',
      'group.add',
      'group.remove',
      'group.delete',
    ]);
  });
});
