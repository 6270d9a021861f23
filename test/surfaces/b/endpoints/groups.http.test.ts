import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/platform/ids.js';
import { createTestChannel } from '../../../support/channels.js';
import { forEachTest, suiteApp } from '../../../support/suite.js';

const test = suiteApp();
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
  it('GET /api/v1/contacts/groups answers an array, newest first', async () => {
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

  it('GET /api/v1/contacts/groups/:groupId answers one, and 404 for any other id', async () => {
    const made = (await call('POST', '/groups', { name: 'First', description: 'The first' })).body.data;
    expect(await call('GET', `/groups/${made.id}`)).toEqual({ status: 200, body: { success: true, data: made } });
    const other = await createTestChannel(test.deps, channel.account);
    expect((await call('GET', `/groups/${made.id}`, undefined, other.headers)).status).toBe(404);
    expect((await call('GET', `/groups/${newId()}`)).status).toBe(404);
    expect((await call('GET', '/groups/first')).status).toBe(404);
  });

  it('POST /api/v1/contacts/groups answers the group, and 409 for a name that is taken', async () => {
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

  it('PUT changes the given fields, DELETE leaves the contacts', async () => {
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

  it('POST /api/v1/contacts/groups/:groupId/add answers a message, twice 200', async () => {
    const id = await makeGroup();
    const contactId = await makeContact();
    for (let times = 0; times < 2; times += 1) {
      const added = await call('POST', `/groups/${id}/add`, { contactId });
      expect(added).toEqual({ status: 200, body: { success: true, data: { message: expect.any(String) } } });
      expect(await countOf(id)).toBe(1);
    }
  });

  it('POST /api/v1/contacts/groups/:groupId/remove answers a message, twice 200', async () => {
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

  it('keeps counts right while contacts are added, removed and deleted at once', async () => {
    const groups = await Promise.all(['A', 'B', 'C'].map((name) => makeGroup(name)));
    const contacts = await Promise.all(Array.from({ length: 12 }, () => makeContact()));
    const answers = await Promise.all(
      contacts.flatMap((contactId, index) => [
        ...groups.map((id) => call('POST', `/groups/${id}/add`, { contactId })),
        ...groups.toReversed().map((id) => call('POST', `/groups/${id}/remove`, { contactId: contacts[11 - index] })),
        ...(index % 3 === 0 ? [call('DELETE', `/${contactId}`)] : []),
      ]),
    );
    expect(answers.filter((each) => each.status >= 500)).toEqual([]);
    for (const id of groups) await countOf(id);
    const { contactCount } = await test.deps.prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } });
    expect(contactCount).toBe(8);
    expect(await test.deps.prisma.contact.count({ where: { channelId: channel.channelId } })).toBe(8);
  });
});
