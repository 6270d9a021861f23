import { describe, expect, it } from 'vitest';
import { UNSET_FIELDS } from '../../../../src/features/contacts/contact-fields.js';
import { newId } from '../../../../src/platform/ids.js';
import { createTestChannel } from '../../../support/channels.js';
import { forEachTest } from '../../../support/for-suite.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { suiteApp } from '../../../support/suite.js';

const clock = new ManualClock();
const test = suiteApp({ clock });
const channel = forEachTest(() => createTestChannel(test.deps));

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

async function request(method: Method, path: string, body?: unknown, headers = channel.headers) {
  const url = `/api/v1${path}`;
  const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await test.app.inject({ method, url, headers: { ...headers, ...json }, ...payload });
  return { status: response.statusCode, body: response.json() };
}

async function create(fields: Record<string, unknown>) {
  const { status, body } = await request('POST', '/contacts', fields);
  expect(body).toMatchObject({ success: true });
  expect(status).toBe(200);
  return body.data as { id: string; phone: string; name: string; email: string; createdAt: string; updatedAt: string };
}

const countContacts = async () =>
  (await test.deps.prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } })).contactCount;

describe('Contact (Surface B)', () => {
  it('POST returns the contact with all fields', async () => {
    const contact = await create({ phone: '15005550111', name: 'Ada', email: 'ada@example.com' });
    expect(contact).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      phone: '15005550111',
      userId: null,
      username: null,
      ...UNSET_FIELDS,
      name: 'Ada',
      email: 'ada@example.com',
      language: { value: 'en', source: 'number' },
      timeZone: { value: 'America/New_York', source: 'number' },
      tags: [],
      fields: {},
      optedOut: false,
      createdAt: clock.now().toISOString(),
      updatedAt: clock.now().toISOString(),
    });
    expect(await request('GET', `/contacts/${contact.id}`)).toEqual({
      status: 200,
      body: { success: true, data: contact },
    });
    expect(await countContacts()).toBe(1);
  });

  it('requires only the phone; an unset name or e-mail address is ""', async () => {
    expect(await create({ phone: '15005550111' })).toMatchObject({ name: '', email: '' });
  });

  it.each([
    [{}, 'phone'],
    [{ phone: '123456' }, 'phone'],
    [{ phone: '1234567890123456' }, 'phone'],
    [{ phone: '+15005550111' }, 'phone'],
    [{ phone: '0151234567' }, 'phone'],
    [{ phone: '2105550111' }, 'phone'],
    [{ phone: 15005550111 }, 'phone'],
    [{ phone: '15005550111', name: null }, 'name'],
    [{ phone: '15005550111', name: 7 }, 'name'],
    [{ phone: '15005550111', name: 'a'.repeat(201) }, 'name'],
    [{ phone: '15005550111', name: 'two\nlines' }, 'name'],
    [{ phone: '15005550111', name: 'a\u0000b' }, 'name'],
    [{ phone: '15005550111', email: 'nobody' }, 'email'],
    [{ phone: '15005550111', email: 'a@b@c.example' }, 'email'],
    [{ phone: '15005550111', email: 'a b@example.com' }, 'email'],
    [
      { phone: '15005550111', email: `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(70)}` },
      'email',
    ],
  ])('refuses %j with 400, naming the field', async (fields, field) => {
    const { status, body } = await request('POST', '/contacts', fields);
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, error: { code: 'INVALID_REQUEST', details: [{ field }] } });
    expect(await countContacts()).toBe(0);
  });

  it('accepts names and addresses in any alphabet, up to their maximum lengths', async () => {
    const name = '\u{1f600}'.repeat(200);
    expect(await create({ phone: '15005550111', name, email: 'дмитрий@пример.испытание' })).toMatchObject({ name });
  });

  it('returns 409 for an existing number, but not for a number of another channel', async () => {
    await create({ phone: '15005550111' });
    const { status, body } = await request('POST', '/contacts', { phone: '15005550111', name: 'Bob' });
    expect(status).toBe(409);
    expect(body).toMatchObject({ success: false, error: { code: 'CONFLICT' } });
    const otherChannel = await createTestChannel(test.deps, channel.account);
    expect((await request('POST', '/contacts', { phone: '15005550111' }, otherChannel.headers)).status).toBe(200);
  });

  it('creates one contact from 50 concurrent requests, and returns 409 for the others', async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => request('POST', '/contacts', { phone: '15005550111' })),
    );
    const statuses = responses.map((response) => response.status).sort();
    expect(statuses).toEqual([200, ...Array<number>(49).fill(409)]);
    expect(await countContacts()).toBe(1);
  });

  it('PUT changes only the given fields, and returns the contact', async () => {
    const contact = await create({ phone: '15005550111', name: 'Ada', email: 'ada@example.com' });
    clock.advance(1_000);
    const changeResponse = await request('PUT', `/contacts/${contact.id}`, { name: 'Ada King' });
    expect(changeResponse).toMatchObject({ status: 200, body: { data: { id: contact.id, name: 'Ada King' } } });
    expect(changeResponse.body.data).toEqual({ ...contact, name: 'Ada King', updatedAt: clock.now().toISOString() });
    const unsetResponse = await request('PUT', `/contacts/${contact.id}`, { email: '' });
    expect(unsetResponse.body.data).toMatchObject({ name: 'Ada King', email: '' });
  });

  it.each([
    ['{}', {}],
    ['an unknown field', { nickname: 'x' }],
    ['its own number', { phone: '15005550111' }],
    ['its own number in another format', { phone: '+1 (500) 555-0111' }],
    ['no body', undefined],
  ])('PUT with %s changes nothing', async (_what, body) => {
    const contact = await create({ phone: '15005550111', name: 'Ada' });
    clock.advance(1_000);
    const response = await request('PUT', `/contacts/${contact.id}`, body);
    expect(response).toEqual({ status: 200, body: { success: true, data: contact } });
  });

  it('PUT with another number returns 400 naming the field, and changes nothing', async () => {
    const contact = await create({ phone: '15005550111', name: 'Ada' });
    const refusal = await request('PUT', `/contacts/${contact.id}`, { phone: '15005550112', name: 'Eve' });
    expect(refusal.status).toBe(400);
    expect(refusal.body.error.details).toEqual([
      { field: 'phone', message: 'cannot be changed: it must be the phone of the contact, or left out' },
    ]);
    expect((await request('GET', `/contacts/${contact.id}`)).body.data).toEqual(contact);
  });

  it.each([[null], [{ name: null }], [{ phone: null }], [{ email: null }], [{ email: 'nobody' }], [[]], ['text']])(
    'PUT with %j returns 400',
    async (body) => {
      const contact = await create({ phone: '15005550111', name: 'Ada' });
      expect((await request('PUT', `/contacts/${contact.id}`, body)).status).toBe(400);
      expect((await request('GET', `/contacts/${contact.id}`)).body.data).toEqual(contact);
    },
  );

  it('optedOut shows and sets whether a contact has opted out', async () => {
    const contact = await create({ phone: '15005550111', name: 'Ada' });
    const readOptedOut = async () => (await request('GET', `/contacts/${contact.id}`)).body.data.optedOut;
    const smsChannel = await createTestChannel(test.deps, undefined, { kind: 'sms' });
    for (const { headers } of [channel, smsChannel]) {
      const receiveSms = async (text: string) => {
        clock.advance(1_000);
        const payload = { from: '15005550131', text };
        await test.app.inject({ method: 'POST', url: '/simulator/v1/inbound', headers, payload });
        return (await request('GET', '/contacts?search=15005550131', undefined, headers)).body.data.contacts[0]
          .optedOut;
      };
      expect(await receiveSms('Stop')).toBe(true);
      expect(await receiveSms('Start')).toBe(false);
    }
    clock.advance(1_000);
    const put = (body: object) => request('PUT', `/contacts/${contact.id}`, body);
    expect((await put({ optedOut: true })).body.data).toMatchObject({ name: 'Ada', optedOut: true });
    expect(await readOptedOut()).toBe(true);
    expect((await put({ name: 'Ada King' })).body.data).toMatchObject({ optedOut: true });
    await request('DELETE', `/contacts/${contact.id}`);
    contact.id = (await create({ phone: '15005550111' })).id;
    expect(await readOptedOut()).toBe(true);
    expect((await put({ optedOut: false })).body.data.optedOut).toBe(false);
    expect((await put({ optedOut: false })).body.data.optedOut).toBe(false);
    expect((await put({ optedOut: null })).status).toBe(400);
    expect(await create({ phone: '15005550132', optedOut: true })).toMatchObject({ optedOut: true });
  });

  it('a contact opted out by PUT is sent nothing', async () => {
    const { id } = await create({ phone: '15005550111' });
    await test.app.inject({
      method: 'POST',
      url: '/simulator/v1/inbound',
      headers: channel.headers,
      payload: { from: '15005550111', text: 'Hi' },
    });
    await request('PUT', `/contacts/${id}`, { optedOut: true });
    const refusal = await request('POST', '/messages/reply', { to: '15005550111', message: 'Hello' });
    expect(refusal).toMatchObject({ status: 400, body: { error: { code: 'OPTED_OUT' } } });
  });

  it('bulk-delete deletes existing contacts, and returns the IDs of the others', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 6; index += 1) ids.push((await create({ phone: `1500555014${index}` })).id);
    const otherChannel = await createTestChannel(test.deps, channel.account);
    const foreignId = (await request('POST', '/contacts', { phone: '15005550149' }, otherChannel.headers)).body.data.id;
    const unknownId = newId();
    const requestedIds = [...ids.slice(1), foreignId, unknownId, ids[1]?.toUpperCase()];
    const response = await request('POST', '/contacts/bulk-delete', { contactIds: requestedIds });
    expect(response).toEqual({
      status: 200,
      body: { success: true, data: { deleted: 5, notFound: [foreignId, unknownId] } },
    });
    expect((await request('GET', '/contacts')).body.data).toMatchObject({ total: 1, contacts: [{ id: ids[0] }] });
    expect((await request('GET', `/contacts/${foreignId}`, undefined, otherChannel.headers)).status).toBe(200);
    expect(await countContacts()).toBe(1);
    const repeatedResponse = await request('POST', '/contacts/bulk-delete', { contactIds: ids.slice(1) });
    expect(repeatedResponse.body.data).toEqual({ deleted: 0, notFound: ids.slice(1) });
    expect((await request('POST', '/contacts/bulk-delete', { contactIds: [] })).status).toBe(400);
  });

  it('DELETE returns a message, and 404 the second time', async () => {
    const contact = await create({ phone: '15005550111' });
    const deleteResponse = await request('DELETE', `/contacts/${contact.id}`);
    expect(deleteResponse).toEqual({ status: 200, body: { success: true, data: { message: expect.any(String) } } });
    expect((await request('DELETE', `/contacts/${contact.id}`)).status).toBe(404);
    expect((await request('GET', `/contacts/${contact.id}`)).status).toBe(404);
    expect(await countContacts()).toBe(0);
    await create({ phone: '15005550111' });
  });

  it.each([['GET'], ['PUT'], ['DELETE']] as const)(
    '%s returns 404 for a contact of another channel',
    async (method) => {
      const otherChannel = await createTestChannel(test.deps, channel.account);
      const contact = await create({ phone: '15005550111', name: 'Ada' });
      const body = method === 'PUT' ? { name: 'Eve' } : undefined;
      for (const id of [contact.id, newId(), 'none', `${contact.id}0`]) {
        const headers = id === contact.id ? otherChannel.headers : channel.headers;
        expect((await request(method, `/contacts/${id}`, body, headers)).status).toBe(404);
      }
      expect((await request('GET', `/contacts/${contact.id}`)).body.data).toEqual(contact);
    },
  );

  it('notifies webhooks of new and changed contacts only', async () => {
    const webhookId = newId();
    await test.deps.prisma.webhook.create({
      data: {
        id: webhookId,
        accountId: channel.account.id,
        channelId: channel.channelId,
        url: 'https://example.com/',
        events: ['contact.updated', 'contact.deleted'],
        secret: 'whsec_c2VjcmV0',
      },
    });
    const { id } = await create({ phone: '15005550111', name: 'Ada' });
    await request('POST', '/contacts', { phone: '15005550111' });
    await request('PUT', `/contacts/${id}`, { email: 'ada@example.com' });
    await request('PUT', `/contacts/${id}`, { email: 'ada@example.com' });
    await request('PUT', `/contacts/${id}`, {});
    await request('PUT', `/contacts/${id}`, { optedOut: true });
    await request('PUT', `/contacts/${id}`, { optedOut: true });
    const group = (await request('POST', '/contacts/groups', { name: 'Subscribers' })).body.data;
    for (const action of ['add', 'add', 'remove', 'remove']) {
      await request('POST', `/contacts/groups/${group.id}/${action}`, { contactId: id });
    }
    await request('DELETE', `/contacts/${id}`);
    await request('DELETE', `/contacts/${id}`);
    const events = await test.deps.prisma.webhookDelivery.findMany({
      where: { webhookId },
      orderBy: { id: 'asc' },
    });
    const { channelId } = channel;
    const ada = { id, channelId, phone: '15005550111', name: 'Ada', email: 'ada@example.com' };
    expect(events.map(({ type, data }) => ({ type, data }))).toMatchObject([
      { type: 'contact.updated', data: { ...ada, optedOut: false, email: '', change: 'created' } },
      { type: 'contact.updated', data: { ...ada, optedOut: false, change: 'updated' } },
      { type: 'contact.updated', data: { ...ada, optedOut: true, change: 'updated' } },
      { type: 'contact.updated', data: { ...ada, optedOut: true, change: 'added_to_group', groupId: group.id } },
      { type: 'contact.updated', data: { ...ada, optedOut: true, change: 'removed_from_group', groupId: group.id } },
      { type: 'contact.deleted', data: { ...ada, optedOut: true } },
    ]);
  });
});

describe('Contact list (Surface B)', () => {
  const list = async (query = '', headers = channel.headers) => {
    const { status, body } = await request('GET', `/contacts${query}`, undefined, headers);
    expect(status).toBe(200);
    expect(Object.keys(body.data)).toEqual(['contacts', 'total']);
    return body.data as { contacts: { id: string; phone: string; name: string }[]; total: number };
  };
  const listNames = async (query: string) => {
    const { contacts, total } = await list(query);
    expect(total).toBe(contacts.length);
    return contacts.map((contact) => contact.name);
  };

  it('returns the contacts, newest first, and their number', async () => {
    expect(await list()).toEqual({ contacts: [], total: 0 });
    const created: Awaited<ReturnType<typeof create>>[] = [];
    for (let number = 1; number <= 5; number += 1)
      created.push(await create({ phone: `1500555010${number}`, name: `N${number}` }));
    created.reverse();
    expect(await list()).toEqual({ contacts: created, total: 5 });
    expect(await list('?limit=2')).toEqual({ contacts: created.slice(0, 2), total: 5 });
    expect(await list('?limit=2&offset=3')).toEqual({ contacts: created.slice(3), total: 5 });
    expect(await list('?offset=9')).toEqual({ contacts: [], total: 5 });
    expect(await list('?search=150055&limit=2&offset=1')).toEqual({ contacts: created.slice(1, 3), total: 5 });
    expect(await list('?search=150055&offset=9')).toEqual({ contacts: [], total: 5 });
    const otherChannel = await createTestChannel(test.deps, channel.account);
    expect(await list('', otherChannel.headers)).toEqual({ contacts: [], total: 0 });
  });

  const NOT_A_LIMIT = 'limit must be an integer from 1 to 1000';
  it.each([
    ['limit=0', NOT_A_LIMIT],
    ['limit=1001', NOT_A_LIMIT],
    ['limit=x', NOT_A_LIMIT],
    ['limit=', NOT_A_LIMIT],
    ['limit=1.5', NOT_A_LIMIT],
    ['limit=10.0', NOT_A_LIMIT],
    ['limit=0x10', NOT_A_LIMIT],
    ['limit=1e1', NOT_A_LIMIT],
    ['limit=%2010', NOT_A_LIMIT],
    ['offset=-1', 'offset must be an integer from 0 to 2147483647'],
    ['offset=0b1', 'offset must be an integer from 0 to 2147483647'],
    ['offset=99999999999', 'offset must be an integer from 0 to 2147483647'],
    ['search=a&search=b', 'search must not be sent more than once'],
    ['limit=1&limit=2', 'limit must not be sent more than once'],
    ['search=%00', 'search must not contain NUL characters or unpaired surrogates'],
  ])('refuses %s with 400', async (query, message) => {
    const { status, body } = await request('GET', `/contacts?${query}`);
    expect({ status, message: body.error.message }).toEqual({ status: 400, message });
  });

  it.each(['limit=2&offset=1', 'limit=02'])('accepts %s', async (query) => {
    expect((await request('GET', `/contacts?${query}`)).status).toBe(200);
  });

  it('search matches name, phone and e-mail address literally, ignoring case', async () => {
    await create({ phone: '15005550101', name: 'Ada Lovelace', email: 'countess@example.com' });
    await create({ phone: '15005550102', name: '100%_Müller\\ÉCOLE', email: 'a_b@example.org' });
    await create({ phone: '15005550103', name: 'Анна', email: 'anna@example.org' });
    const searchNames = (text: string) => listNames(`?search=${encodeURIComponent(text)}`);
    expect(await searchNames('LOVE')).toEqual(['Ada Lovelace']);
    expect(await searchNames('0101')).toEqual(['Ada Lovelace']);
    expect(await searchNames('Countess@')).toEqual(['Ada Lovelace']);
    expect(await searchNames('a l')).toEqual(['Ada Lovelace']);
    expect(await searchNames('%')).toEqual(['100%_Müller\\ÉCOLE']);
    expect(await searchNames('_')).toEqual(['100%_Müller\\ÉCOLE']);
    expect(await searchNames('\\')).toEqual(['100%_Müller\\ÉCOLE']);
    expect(await searchNames('0%_M')).toEqual(['100%_Müller\\ÉCOLE']);
    expect(await searchNames('école')).toEqual(['100%_Müller\\ÉCOLE']);
    expect(await searchNames('АНН')).toEqual(['Анна']);
    expect(await searchNames('example.org')).toEqual(['Анна', '100%_Müller\\ÉCOLE']);
    expect(await searchNames('1')).toHaveLength(3);
    expect(await searchNames('')).toHaveLength(3);
    expect(await searchNames('a%e')).toEqual([]);
    expect(await searchNames('Lovelace15005550101')).toEqual([]);
    expect(await searchNames('Lovelace\n15005550101')).toEqual([]);
    expect(await searchNames('x'.repeat(2_000))).toEqual([]);
  });

  it('groupId lists the members of a group, and nobody if it is unknown, malformed or foreign', async () => {
    const ada = await create({ phone: '15005550101', name: 'Ada' });
    const bob = await create({ phone: '15005550102', name: 'Bob' });
    await create({ phone: '15005550103', name: 'Ada too' });
    const group = (await request('POST', '/contacts/groups', { name: 'Some' })).body.data.id as string;
    for (const contact of [bob, ada]) await request('POST', `/contacts/groups/${group}/add`, { contactId: contact.id });
    expect(await list(`?groupId=${group}`)).toEqual({ contacts: [bob, ada], total: 2 });
    expect(await list(`?groupId=${group.toUpperCase()}&limit=1&offset=1`)).toEqual({ contacts: [ada], total: 2 });
    expect(await list(`?groupId=${group}&search=ada`)).toEqual({ contacts: [ada], total: 1 });
    expect(await list('?groupId=')).toMatchObject({ total: 3 });
    const otherChannel = await createTestChannel(test.deps, channel.account);
    const foreignGroupId = (await request('POST', '/contacts/groups', { name: 'Some' }, otherChannel.headers)).body.data
      .id as string;
    for (const id of [newId(), 'none', foreignGroupId]) {
      expect(await list(`?groupId=${id}`)).toEqual({ contacts: [], total: 0 });
      expect(await list(`?groupId=${id}&search=ada`)).toEqual({ contacts: [], total: 0 });
    }
  });
});
