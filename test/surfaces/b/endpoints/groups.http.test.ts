import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/platform/ids.js';
import { createTestChannel } from '../../../support/channels.js';
import { forEachTest } from '../../../support/for-suite.js';
import { sharedApp } from '../../../support/suite.js';

const test = sharedApp();
const channel = forEachTest(() => createTestChannel(test.deps));

async function call(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  headers = channel.headers,
) {
  const url = `/api/v1/contacts${path}`;
  const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await test.app.inject({ method, url, headers: { ...headers, ...json }, ...payload });
  return { status: response.statusCode, body: response.json() };
}

let phones = 15005551000;
async function makeContact(headers = channel.headers): Promise<string> {
  phones += 1;
  return (await call('POST', '', { phone: String(phones) }, headers)).body.data.id;
}

async function makeGroup(name = 'Customers', headers = channel.headers): Promise<string> {
  return (await call('POST', '/groups', { name }, headers)).body.data.id;
}

async function countOf(groupId: string): Promise<number> {
  const group = await test.deps.prisma.contactGroup.findUniqueOrThrow({ where: { id: groupId } });
  expect(await test.deps.prisma.groupMember.count({ where: { groupId } })).toBe(group.contactCount);
  return group.contactCount;
}

describe('Contact group operations (Surface B)', () => {
  it('GET /api/v1/contacts/groups returns an array, newest first', async () => {
    expect((await call('GET', '/groups')).body).toEqual({ success: true, data: [] });
    const first = (await call('POST', '/groups', { name: 'First', description: 'The first' })).body.data;
    const second = (await call('POST', '/groups', { name: 'Second' })).body.data;
    await call('POST', `/groups/${first.id}/add`, { contactId: await makeContact() });
    expect(await call('GET', '/groups')).toEqual({
      status: 200,
      body: { success: true, data: [second, { ...first, contactCount: 1 }] },
    });
    const other = await createTestChannel(test.deps, channel.account);
    expect((await call('GET', '/groups', undefined, other.headers)).body.data).toEqual([]);
  });

  it('GET /api/v1/contacts/groups/:groupId returns a group, and 404 for any other ID', async () => {
    const made = (await call('POST', '/groups', { name: 'First', description: 'The first' })).body.data;
    expect(await call('GET', `/groups/${made.id}`)).toEqual({ status: 200, body: { success: true, data: made } });
    const other = await createTestChannel(test.deps, channel.account);
    expect((await call('GET', `/groups/${made.id}`, undefined, other.headers)).status).toBe(404);
    expect((await call('GET', `/groups/${newId()}`)).status).toBe(404);
    expect((await call('GET', '/groups/first')).status).toBe(404);
  });

  it('POST /api/v1/contacts/groups returns the group, and 409 for an existing name', async () => {
    const made = await call('POST', '/groups', { name: 'Customers', description: 'Bought something' });
    expect(made).toEqual({
      status: 200,
      body: {
        success: true,
        data: {
          id: expect.any(String),
          name: 'Customers',
          description: 'Bought something',
          contactCount: 0,
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      },
    });
    expect((await call('POST', '/groups', { name: 'Customers' })).status).toBe(409);
    const other = await createTestChannel(test.deps, channel.account);
    expect((await call('POST', '/groups', { name: 'Customers' }, other.headers)).status).toBe(200);
  });

  it.each([
    [{}],
    [{ name: '' }],
    [{ name: '  ' }],
    [{ name: null }],
    [{ name: 'a'.repeat(201) }],
    [{ name: 'x', description: 7 }],
    [{ name: 'x', description: 'a'.repeat(1001) }],
  ])('refuses a group of %j with 400', async (body) => {
    expect((await call('POST', '/groups', body)).status).toBe(400);
  });

  it('PUT changes the given fields, DELETE keeps the contacts', async () => {
    const id = await makeGroup();
    const contactId = await makeContact();
    await call('POST', `/groups/${id}/add`, { contactId });
    const before = (await call('GET', '/groups')).body.data[0];
    for (const body of [{}, undefined, { nonsense: 1 }]) {
      expect(await call('PUT', `/groups/${id}`, body)).toEqual({ status: 200, body: { success: true, data: before } });
    }
    const changed = (await call('PUT', `/groups/${id}`, { description: 'New' })).body.data;
    expect(changed).toEqual({ ...before, description: 'New' });
    await makeGroup('Taken');
    expect((await call('PUT', `/groups/${id}`, { name: 'Taken' })).status).toBe(409);
    expect((await call('PUT', `/groups/${id}`, { name: null })).status).toBe(400);
    expect((await call('DELETE', `/groups/${id}`)).body.data).toEqual({ message: expect.any(String) });
    expect((await call('DELETE', `/groups/${id}`)).status).toBe(404);
    expect((await call('GET', `/${contactId}`)).status).toBe(200);
  });

  it('POST /api/v1/contacts/groups/:groupId/add returns a message, 200 also the second time', async () => {
    const id = await makeGroup();
    const contactId = await makeContact();
    for (let times = 0; times < 2; times += 1) {
      const added = await call('POST', `/groups/${id}/add`, { contactId });
      expect(added).toEqual({ status: 200, body: { success: true, data: { message: expect.any(String) } } });
      expect(await countOf(id)).toBe(1);
    }
  });

  it('POST /api/v1/contacts/groups/:groupId/remove returns a message, 200 also the second time', async () => {
    const id = await makeGroup();
    const contactId = await makeContact();
    await call('POST', `/groups/${id}/add`, { contactId });
    for (let times = 0; times < 2; times += 1) {
      const removed = await call('POST', `/groups/${id}/remove`, { contactId });
      expect(removed).toEqual({ status: 200, body: { success: true, data: { message: expect.any(String) } } });
      expect(await countOf(id)).toBe(0);
    }
  });

  it.each([['add'], ['remove']])(
    '%s answers 400 for a malformed contactId and 404 for what is not there',
    async (verb) => {
      const id = await makeGroup();
      const contactId = await makeContact();
      const other = await createTestChannel(test.deps);
      const foreignGroup = await makeGroup('Customers', other.headers);
      const foreignContact = await makeContact(other.headers);
      const status = async (groupId: string, body: unknown) =>
        (await call('POST', `/groups/${groupId}/${verb}`, body)).status;
      for (const body of [{}, undefined, { contactId: 'none' }, { contactId: null }, { contactId: [contactId] }]) {
        expect(await status(id, body)).toBe(400);
      }
      expect(await status(id, { contactId: newId() })).toBe(404);
      expect(await status(id, { contactId: foreignContact })).toBe(404);
      expect(await status(foreignGroup, { contactId })).toBe(404);
      expect(await status(newId(), { contactId })).toBe(404);
      expect(await status('none', { contactId })).toBe(404);
      expect(await countOf(id)).toBe(0);
      expect(await countOf(foreignGroup)).toBe(0);
    },
  );

  it('keeps counts right while contacts are concurrently added, removed and deleted', async () => {
    const groups = await Promise.all(['A', 'B', 'C'].map((name) => makeGroup(name)));
    const contacts = await Promise.all(Array.from({ length: 12 }, () => makeContact()));
    const change = (index: number) => [
      ...groups.map((id) => call('POST', `/groups/${id}/add`, { contactId: contacts[index] })),
      ...groups.toReversed().map((id) => call('POST', `/groups/${id}/remove`, { contactId: contacts[11 - index] })),
      ...(index % 3 === 0 ? [call('DELETE', `/${contacts[index]}`)] : []),
    ];
    // Pairs of requests wait for each other's locks, but none for five seconds.
    for (const indexes of [
      [0, 1, 2, 9, 10, 11],
      [3, 4, 5, 6, 7, 8],
    ]) {
      const answers = await Promise.all(indexes.flatMap(change));
      expect(answers.filter((each) => each.status >= 500)).toEqual([]);
    }
    for (const id of groups) await countOf(id);
    const { contactCount } = await test.deps.prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } });
    expect(contactCount).toBe(8);
    expect(await test.deps.prisma.contact.count({ where: { channelId: channel.channelId } })).toBe(8);
  });
});

describe('POST /api/v1/contacts/groups/:groupId/bulk-add and bulk-remove', () => {
  const change = (groupId: string, how: 'add' | 'remove', contactIds: unknown, headers = channel.headers) =>
    call('POST', `/groups/${groupId}/bulk-${how}`, { contactIds }, headers);

  it('change several members, each once, and notify webhooks of those that changed', async () => {
    const groupId = await makeGroup();
    const ids = [await makeContact(), await makeContact(), await makeContact()] as const;
    await call('POST', `/groups/${groupId}/add`, { contactId: ids[0] });
    const hook = { id: newId(), url: 'https://example.com', events: ['contact.updated'], secret: 'x' };
    const owner = { accountId: channel.account.id, channelId: channel.channelId };
    await test.deps.prisma.webhook.create({ data: { ...hook, ...owner } });
    const added = await change(groupId, 'add', [...ids, ids[1].toUpperCase()]);
    expect(added).toEqual({ status: 200, body: { success: true, data: { changed: 2, unchanged: 1 } } });
    expect(await countOf(groupId)).toBe(3);
    expect((await change(groupId, 'remove', [ids[0], ids[2]])).body.data).toEqual({ changed: 2, unchanged: 0 });
    expect((await change(groupId, 'remove', [ids[0], ids[1]])).body.data).toEqual({ changed: 1, unchanged: 1 });
    expect(await countOf(groupId)).toBe(0);
    const events = await test.deps.prisma.webhookDelivery.findMany({ where: { webhookId: hook.id } });
    const changes = events.map(
      ({ data }) => data as { id: string; change: string; groupId: string; channelId: string },
    );
    expect(changes.map(({ id, change: what }) => `${what} ${id}`).sort()).toEqual(
      [...[ids[1], ids[2]].map((id) => `added_to_group ${id}`), ...ids.map((id) => `removed_from_group ${id}`)].sort(),
    );
    expect(changes[0]).toMatchObject({ groupId, channelId: channel.channelId });
  });

  it.each(['add', 'remove'] as const)(
    '%s nothing if one contact or the group belongs to another channel',
    async (how) => {
      const groupId = await makeGroup();
      const own = await makeContact();
      if (how === 'remove') await call('POST', `/groups/${groupId}/add`, { contactId: own });
      const before = await countOf(groupId);
      const other = await createTestChannel(test.deps, channel.account);
      const foreign = await makeContact(other.headers);
      const refused = await change(groupId, how, [own, foreign]);
      expect(refused.status).toBe(404);
      expect(refused.body.error.message).toContain('contactIds[1]');
      expect((await change(newId(), how, [own])).status).toBe(404);
      expect((await change(groupId, how, [foreign], other.headers)).status).toBe(404);
      expect(await countOf(groupId)).toBe(before);
    },
  );

  it.each([[[]], [['x']], ['x'], [null], [Array.from({ length: 1_001 }, () => newId())]])(
    '400 for a list like %j',
    async (contactIds) => {
      expect((await change(await makeGroup(), 'add', contactIds)).status).toBe(400);
    },
  );
});

describe('group names', () => {
  it('must differ by more than case', async () => {
    const id = await makeGroup('Customers');
    expect((await call('POST', '/groups', { name: 'CUSTOMERS' })).status).toBe(409);
    const other = await makeGroup('Friends');
    expect((await call('PUT', `/groups/${other}`, { name: 'customers' })).status).toBe(409);
    expect((await call('PUT', `/groups/${id}`, { name: 'customers' })).body.data.name).toBe('customers');
  });

  it('that were equal before this rule stay until they are changed', async () => {
    await makeGroup('Customers');
    const id = newId();
    const owner = { accountId: channel.account.id, channelId: channel.channelId };
    await test.deps.prisma.contactGroup.create({ data: { id, ...owner, name: 'customers', sharesName: true } });
    const kept = await call('PUT', `/groups/${id}`, { name: 'customers', description: 'Old' });
    expect(kept.body.data).toMatchObject({ name: 'customers', description: 'Old' });
    expect((await call('PUT', `/groups/${id}`, { name: 'CUSTOMERS' })).status).toBe(409);
    expect((await call('PUT', `/groups/${id}`, { name: 'Buyers' })).status).toBe(200);
    expect((await call('POST', '/groups', { name: 'buyers' })).status).toBe(409);
  });
});
