import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/platform/ids.js';
import { createTestChannel } from '../../../support/channels.js';
import { forEachTest } from '../../../support/for-suite.js';
import { sharedApp } from '../../../support/suite.js';

const test = sharedApp();
const channel = forEachTest(() => createTestChannel(test.deps));

async function request(
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

let nextPhone = 15005551000;
async function createContact(headers = channel.headers): Promise<string> {
  nextPhone += 1;
  return (await request('POST', '', { phone: String(nextPhone) }, headers)).body.data.id;
}

async function createGroup(name = 'Customers', headers = channel.headers): Promise<string> {
  return (await request('POST', '/groups', { name }, headers)).body.data.id;
}

async function countMembers(groupId: string): Promise<number> {
  const group = await test.deps.prisma.contactGroup.findUniqueOrThrow({ where: { id: groupId } });
  expect(await test.deps.prisma.groupMember.count({ where: { groupId } })).toBe(group.contactCount);
  return group.contactCount;
}

describe('Contact group operations (Surface B)', () => {
  it('GET /api/v1/contacts/groups returns an array, newest first', async () => {
    expect((await request('GET', '/groups')).body).toEqual({ success: true, data: [] });
    const firstGroup = (await request('POST', '/groups', { name: 'First', description: 'The first' })).body.data;
    const secondGroup = (await request('POST', '/groups', { name: 'Second' })).body.data;
    await request('POST', `/groups/${firstGroup.id}/add`, { contactId: await createContact() });
    expect(await request('GET', '/groups')).toEqual({
      status: 200,
      body: { success: true, data: [secondGroup, { ...firstGroup, contactCount: 1 }] },
    });
    const otherChannel = await createTestChannel(test.deps, channel.account);
    expect((await request('GET', '/groups', undefined, otherChannel.headers)).body.data).toEqual([]);
  });

  it('GET /api/v1/contacts/groups/:groupId returns a group, and 404 for any other ID', async () => {
    const group = (await request('POST', '/groups', { name: 'First', description: 'The first' })).body.data;
    expect(await request('GET', `/groups/${group.id}`)).toEqual({ status: 200, body: { success: true, data: group } });
    const otherChannel = await createTestChannel(test.deps, channel.account);
    expect((await request('GET', `/groups/${group.id}`, undefined, otherChannel.headers)).status).toBe(404);
    expect((await request('GET', `/groups/${newId()}`)).status).toBe(404);
    expect((await request('GET', '/groups/first')).status).toBe(404);
  });

  it('POST /api/v1/contacts/groups returns the group, and 409 for an existing name', async () => {
    const createResponse = await request('POST', '/groups', { name: 'Customers', description: 'Bought something' });
    expect(createResponse).toEqual({
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
    expect((await request('POST', '/groups', { name: 'Customers' })).status).toBe(409);
    const otherChannel = await createTestChannel(test.deps, channel.account);
    expect((await request('POST', '/groups', { name: 'Customers' }, otherChannel.headers)).status).toBe(200);
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
    expect((await request('POST', '/groups', body)).status).toBe(400);
  });

  it('PUT changes the given fields, DELETE keeps the contacts', async () => {
    const id = await createGroup();
    const contactId = await createContact();
    await request('POST', `/groups/${id}/add`, { contactId });
    const groupBefore = (await request('GET', '/groups')).body.data[0];
    for (const body of [{}, undefined, { nonsense: 1 }]) {
      expect(await request('PUT', `/groups/${id}`, body)).toEqual({
        status: 200,
        body: { success: true, data: groupBefore },
      });
    }
    const changedGroup = (await request('PUT', `/groups/${id}`, { description: 'New' })).body.data;
    expect(changedGroup).toEqual({ ...groupBefore, description: 'New' });
    await createGroup('Taken');
    expect((await request('PUT', `/groups/${id}`, { name: 'Taken' })).status).toBe(409);
    expect((await request('PUT', `/groups/${id}`, { name: null })).status).toBe(400);
    expect((await request('DELETE', `/groups/${id}`)).body.data).toEqual({ message: expect.any(String) });
    expect((await request('DELETE', `/groups/${id}`)).status).toBe(404);
    expect((await request('GET', `/${contactId}`)).status).toBe(200);
  });

  it('POST /api/v1/contacts/groups/:groupId/add returns a message, and the same the second time', async () => {
    const id = await createGroup();
    const contactId = await createContact();
    for (let count = 0; count < 2; count += 1) {
      const addResponse = await request('POST', `/groups/${id}/add`, { contactId });
      expect(addResponse).toEqual({ status: 200, body: { success: true, data: { message: expect.any(String) } } });
      expect(await countMembers(id)).toBe(1);
    }
  });

  it('POST /api/v1/contacts/groups/:groupId/remove returns a message, and the same the second time', async () => {
    const id = await createGroup();
    const contactId = await createContact();
    await request('POST', `/groups/${id}/add`, { contactId });
    for (let count = 0; count < 2; count += 1) {
      const removeResponse = await request('POST', `/groups/${id}/remove`, { contactId });
      expect(removeResponse).toEqual({ status: 200, body: { success: true, data: { message: expect.any(String) } } });
      expect(await countMembers(id)).toBe(0);
    }
  });

  it.each([['add'], ['remove']])(
    '%s returns 400 for a malformed contactId, and 404 for an unknown contact or group',
    async (verb) => {
      const id = await createGroup();
      const contactId = await createContact();
      const otherChannel = await createTestChannel(test.deps);
      const foreignGroup = await createGroup('Customers', otherChannel.headers);
      const foreignContact = await createContact(otherChannel.headers);
      const getStatus = async (groupId: string, body: unknown) =>
        (await request('POST', `/groups/${groupId}/${verb}`, body)).status;
      for (const body of [{}, undefined, { contactId: 'none' }, { contactId: null }, { contactId: [contactId] }]) {
        expect(await getStatus(id, body)).toBe(400);
      }
      expect(await getStatus(id, { contactId: newId() })).toBe(404);
      expect(await getStatus(id, { contactId: foreignContact })).toBe(404);
      expect(await getStatus(foreignGroup, { contactId })).toBe(404);
      expect(await getStatus(newId(), { contactId })).toBe(404);
      expect(await getStatus('none', { contactId })).toBe(404);
      expect(await countMembers(id)).toBe(0);
      expect(await countMembers(foreignGroup)).toBe(0);
    },
  );

  it('keeps counts correct while contacts are concurrently added, removed and deleted', async () => {
    const groups = await Promise.all(['A', 'B', 'C'].map((name) => createGroup(name)));
    const contacts = await Promise.all(Array.from({ length: 12 }, () => createContact()));
    const makeRequests = (index: number) => [
      ...groups.map((id) => request('POST', `/groups/${id}/add`, { contactId: contacts[index] })),
      ...groups.toReversed().map((id) => request('POST', `/groups/${id}/remove`, { contactId: contacts[11 - index] })),
      ...(index % 3 === 0 ? [request('DELETE', `/${contacts[index]}`)] : []),
    ];
    // The requests run in two rounds, so that none waits for a lock until its timeout of five seconds.
    for (const indexes of [
      [0, 1, 2, 9, 10, 11],
      [3, 4, 5, 6, 7, 8],
    ]) {
      const responses = await Promise.all(indexes.flatMap(makeRequests));
      expect(responses.filter((response) => response.status >= 500)).toEqual([]);
    }
    for (const id of groups) await countMembers(id);
    const { contactCount } = await test.deps.prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } });
    expect(contactCount).toBe(8);
    expect(await test.deps.prisma.contact.count({ where: { channelId: channel.channelId } })).toBe(8);
  });
});

describe('POST /api/v1/contacts/groups/:groupId/bulk-add and bulk-remove', () => {
  const changeMembers = (groupId: string, action: 'add' | 'remove', contactIds: unknown, headers = channel.headers) =>
    request('POST', `/groups/${groupId}/bulk-${action}`, { contactIds }, headers);

  it('change several members, each once, and notify webhooks of those that changed', async () => {
    const groupId = await createGroup();
    const ids = [await createContact(), await createContact(), await createContact()] as const;
    await request('POST', `/groups/${groupId}/add`, { contactId: ids[0] });
    const hook = { id: newId(), url: 'https://example.com', events: ['contact.updated'], secret: 'x' };
    const owner = { accountId: channel.account.id, channelId: channel.channelId };
    await test.deps.prisma.webhook.create({ data: { ...hook, ...owner } });
    const addResponse = await changeMembers(groupId, 'add', [...ids, ids[1].toUpperCase()]);
    expect(addResponse).toEqual({ status: 200, body: { success: true, data: { changed: 2, unchanged: 1 } } });
    expect(await countMembers(groupId)).toBe(3);
    expect((await changeMembers(groupId, 'remove', [ids[0], ids[2]])).body.data).toEqual({ changed: 2, unchanged: 0 });
    expect((await changeMembers(groupId, 'remove', [ids[0], ids[1]])).body.data).toEqual({ changed: 1, unchanged: 1 });
    expect(await countMembers(groupId)).toBe(0);
    const events = await test.deps.prisma.webhookDelivery.findMany({ where: { webhookId: hook.id } });
    const eventData = events.map(
      ({ data }) => data as { id: string; change: string; groupId: string; channelId: string },
    );
    expect(eventData.map(({ id, change: what }) => `${what} ${id}`).sort()).toEqual(
      [...[ids[1], ids[2]].map((id) => `added_to_group ${id}`), ...ids.map((id) => `removed_from_group ${id}`)].sort(),
    );
    expect(eventData[0]).toMatchObject({ groupId, channelId: channel.channelId });
  });

  it.each(['add', 'remove'] as const)(
    'change nothing if a contact or the group belongs to another channel: %s',
    async (action) => {
      const groupId = await createGroup();
      const ownContact = await createContact();
      if (action === 'remove') await request('POST', `/groups/${groupId}/add`, { contactId: ownContact });
      const countBefore = await countMembers(groupId);
      const otherChannel = await createTestChannel(test.deps, channel.account);
      const foreignContact = await createContact(otherChannel.headers);
      const refusal = await changeMembers(groupId, action, [ownContact, foreignContact]);
      expect(refusal.status).toBe(404);
      expect(refusal.body.error.message).toContain('contactIds[1]');
      expect((await changeMembers(newId(), action, [ownContact])).status).toBe(404);
      expect((await changeMembers(groupId, action, [foreignContact], otherChannel.headers)).status).toBe(404);
      expect(await countMembers(groupId)).toBe(countBefore);
    },
  );

  it.each([[[]], [['x']], ['x'], [null], [Array.from({ length: 1_001 }, () => newId())]])(
    'return 400 for the list %j',
    async (contactIds) => {
      expect((await changeMembers(await createGroup(), 'add', contactIds)).status).toBe(400);
    },
  );
});

describe('group names', () => {
  it('must differ by more than case', async () => {
    const id = await createGroup('Customers');
    expect((await request('POST', '/groups', { name: 'CUSTOMERS' })).status).toBe(409);
    const otherGroup = await createGroup('Friends');
    expect((await request('PUT', `/groups/${otherGroup}`, { name: 'customers' })).status).toBe(409);
    expect((await request('PUT', `/groups/${id}`, { name: 'customers' })).body.data.name).toBe('customers');
  });

  it('may still differ only by case if they are older than this rule', async () => {
    await createGroup('Customers');
    const id = newId();
    const owner = { accountId: channel.account.id, channelId: channel.channelId };
    await test.deps.prisma.contactGroup.create({ data: { id, ...owner, name: 'customers', sharesName: true } });
    const updateResponse = await request('PUT', `/groups/${id}`, { name: 'customers', description: 'Old' });
    expect(updateResponse.body.data).toMatchObject({ name: 'customers', description: 'Old' });
    expect((await request('PUT', `/groups/${id}`, { name: 'CUSTOMERS' })).status).toBe(409);
    expect((await request('PUT', `/groups/${id}`, { name: 'Buyers' })).status).toBe(200);
    expect((await request('POST', '/groups', { name: 'buyers' })).status).toBe(409);
  });
});
