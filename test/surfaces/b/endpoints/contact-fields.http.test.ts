import { beforeEach, describe, expect, it } from 'vitest';
import { sweepDeletedFields } from '../../../../src/features/contacts/custom/sweep-store.js';
import { completeContact, lockForMerge } from '../../../../src/features/contacts/identity/merge-store.js';
import { inTransaction } from '../../../../src/platform/store/connections/pool.js';
import { call } from '../../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { sharedApp } from '../../../support/suite.js';

const heliograph = sharedApp();
let channel: TestChannel;

beforeEach(async () => {
  channel = await createTestChannel(heliograph.deps);
});

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

const request = (method: Method, path: string, body?: object, from = channel) =>
  call(heliograph, from, method, `/contacts${path}`, body);

async function ask(method: Method, path: string, body?: object, from = channel) {
  const response = await request(method, path, body, from);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data;
}

const PLAN = { key: 'plan', label: 'Plan', type: 'choice', choices: ['basic', 'pro'] };
const SEATS = { key: 'seats', label: 'Seats', type: 'number' };

let number = 15005550100;
const create = (body: object, from = channel) => {
  number += 1;
  return ask('POST', '', { phone: String(number), ...body }, from);
};
const list = async (query: Record<string, string>) =>
  (await ask('GET', `?${new URLSearchParams(query)}`)).contacts.map(({ id }: { id: string }) => id);

describe('contact fields', () => {
  it('a field is defined, listed, changed and shared by the channels of the account', async () => {
    const created = await ask('POST', '/fields', PLAN);
    expect(created).toEqual({ ...PLAN, createdAt: expect.any(String), updatedAt: expect.any(String) });
    const otherChannel = await createTestChannel(heliograph.deps, channel.account);
    expect(await ask('GET', '/fields', undefined, otherChannel)).toEqual([created]);
    const changed = await ask('PUT', '/fields/plan', { label: 'Current plan', choices: ['basic', 'pro', 'max'] });
    expect(changed).toMatchObject({ key: 'plan', label: 'Current plan', choices: ['basic', 'pro', 'max'] });
    expect(await ask('GET', '/fields', undefined, await createTestChannel(heliograph.deps))).toEqual([]);
  });

  it.each([
    [{ key: 'Plan', label: 'Plan', type: 'text' }, 'key'],
    [{ key: 'plan', label: ' ', type: 'text' }, 'label'],
    [{ key: 'plan', label: 'Plan', type: 'money' }, 'type'],
    [{ key: 'plan', label: 'Plan', type: 'choice' }, 'choices'],
    [{ key: 'plan', label: 'Plan', type: 'choice', choices: ['a', 'A'] }, 'choices'],
    [{ key: 'plan', label: 'Plan', type: 'text', choices: ['a'] }, 'choices'],
  ])('the definition %j is refused', async (body, field) => {
    const response = await request('POST', '/fields', body);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details).toMatchObject([{ field }]);
  });

  it('a key can be used once, also by concurrent requests', async () => {
    const responses = await Promise.all([1, 2, 3].map(() => request('POST', '/fields', SEATS)));
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409]);
  });

  it('an account can have 100 fields', async () => {
    const accountId = channel.account.id;
    await heliograph.deps.pool.query(
      `INSERT INTO contact_fields (id, account_id, key, label, type)
       SELECT gen_random_uuid(), $1, 'f' || n, 'Field', 'text' FROM generate_series(1, 99) n`,
      [accountId],
    );
    const statuses = await Promise.all(
      ['a', 'b'].map(async (key) => (await request('POST', '/fields', { ...SEATS, key })).statusCode),
    );
    expect(statuses.sort()).toEqual([200, 409]);
  });

  it('fields of all types are set, normalized and cleared', async () => {
    for (const type of ['text', 'number', 'date', 'boolean'])
      await ask('POST', '/fields', { key: type, label: type, type });
    await ask('POST', '/fields', PLAN);
    const fields = { text: ' Ada ', number: '12.5', date: '2026-01-31', boolean: 'Yes', plan: 'PRO' };
    const contact = await create({ fields });
    const stored = { text: 'Ada', number: 12.5, date: '2026-01-31', boolean: true, plan: 'pro' };
    expect(contact.fields).toEqual(stored);
    const changed = await ask('PUT', `/${contact.id}`, { fields: { number: null, text: '', boolean: false } });
    expect(changed.fields).toEqual({ date: '2026-01-31', boolean: false, plan: 'pro' });
    expect(await ask('GET', `/${contact.id}`)).toEqual(changed);
  });

  it.each([
    [{ seats: 'many' }, 'fields.seats'],
    [{ plan: 'gold' }, 'fields.plan'],
    [{ unknown: 1 }, 'fields.unknown'],
    [{ plan: { a: 1 } }, 'fields'],
  ])('the values %j are refused', async (fields, field) => {
    await ask('POST', '/fields', PLAN);
    await ask('POST', '/fields', SEATS);
    const response = await request('POST', '', { phone: '15005550111', fields });
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details[0].field).toContain(field);
  });

  it('concurrent changes of different fields are all kept', async () => {
    const keys = Array.from({ length: 8 }, (_, index) => `f${index}`);
    for (const key of keys) await ask('POST', '/fields', { key, label: key, type: 'number' });
    const { id } = await create({});
    await Promise.all(keys.map((key, index) => ask('PUT', `/${id}`, { fields: { [key]: index } })));
    const { fields } = await ask('GET', `/${id}`);
    expect(fields).toEqual(Object.fromEntries(keys.map((key, index) => [key, index])));
  });

  it('a change of other fields keeps tags and field values, and an equal change reports nothing', async () => {
    await ask('POST', '/fields', SEATS);
    const contact = await create({ tags: ['vip'], fields: { seats: 3 } });
    const renamed = await ask('PUT', `/${contact.id}`, { name: 'Ada', firstName: 'Ada', lastName: 'Lovelace' });
    expect(renamed).toMatchObject({ tags: ['vip'], fields: { seats: 3 }, firstName: 'Ada', lastName: 'Lovelace' });
    const repeated = await ask('PUT', `/${contact.id}`, { tags: ['VIP'], fields: { seats: '3' } });
    expect(repeated.updatedAt).toBe(renamed.updatedAt);
  });

  it('a deleted field loses its values in the background, and then its key can be used again', async () => {
    await ask('POST', '/fields', SEATS);
    await ask('POST', '/fields', PLAN);
    const contact = await create({ fields: { seats: 3, plan: 'pro' } });
    const onlySeats = await create({ fields: { seats: 4 } });
    await ask('DELETE', '/fields/seats');
    expect((await request('DELETE', '/fields/seats')).statusCode).toBe(404);
    expect((await request('PUT', `/${contact.id}`, { fields: { seats: 5 } })).statusCode).toBe(400);
    expect((await request('POST', '/fields', SEATS)).statusCode).toBe(409);
    const { pool, clock } = heliograph.deps;
    await sweepDeletedFields({ pool, now: clock.now(), step: 1, isStopped: () => false });
    expect((await ask('GET', `/${contact.id}`)).fields).toEqual({ plan: 'pro' });
    expect((await ask('GET', `/${onlySeats.id}`)).fields).toEqual({});
    await ask('POST', '/fields', SEATS);
  });
});

describe('tags', () => {
  it('tags are normalized, sorted, replaced and listed', async () => {
    const contact = await create({ tags: ['VIP', ' new  customer ', 'vip'] });
    expect(contact.tags).toEqual(['new customer', 'vip']);
    expect((await ask('PUT', `/${contact.id}`, { tags: ['Berlin'] })).tags).toEqual(['berlin']);
    expect(await ask('GET', '/tags')).toEqual([{ name: 'berlin' }, { name: 'new customer' }, { name: 'vip' }]);
    expect((await ask('PUT', `/${contact.id}`, { tags: [] })).tags).toEqual([]);
  });

  it.each([[['a,b']], [['']], [['x'.repeat(51)]], [['a\nb']]])('the tags %j are refused', async (tags) => {
    const response = await request('POST', '', { phone: '15005550111', tags });
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details[0].field).toContain('tags');
  });

  it('only a tag that no contact has can be deleted', async () => {
    const { id } = await create({ tags: ['vip', 'old'] });
    expect((await request('DELETE', '/tags/VIP')).statusCode).toBe(409);
    await ask('PUT', `/${id}`, { tags: ['old'] });
    await ask('DELETE', '/tags/VIP');
    expect(await ask('GET', '/tags')).toEqual([{ name: 'old' }]);
    expect((await request('DELETE', '/tags/vip')).statusCode).toBe(404);
  });

  it('a tag that is added while it is being deleted is never missing from the list', async () => {
    const { id } = await create({ tags: ['vip'] });
    for (let round = 0; round < 5; round += 1) {
      await ask('PUT', `/${id}`, { tags: [] });
      const [added] = await Promise.all([request('PUT', `/${id}`, { tags: ['vip'] }), request('DELETE', '/tags/vip')]);
      expect([200, 409]).toContain(added.statusCode);
      const { tags } = await ask('GET', `/${id}`);
      const known = (await ask('GET', '/tags')).map(({ name }: { name: string }) => name);
      expect(known).toEqual(expect.arrayContaining(tags));
    }
  });

  it('tags are added to and removed from all contacts that a filter finds', async () => {
    await ask('POST', '/fields', PLAN);
    const found = [await create({ fields: { plan: 'pro' } }), await create({ fields: { plan: 'pro' }, tags: ['vip'] })];
    const other = await create({ fields: { plan: 'basic' } });
    const filter = { fields: '{"plan":"pro"}' };
    expect(await ask('POST', '/bulk-tag', { found: filter, add: ['VIP'] })).toEqual({ changed: 1, unchanged: 1 });
    expect(await list({ tags: 'vip' })).toEqual(found.map(({ id }) => id).reverse());
    expect(await ask('POST', '/bulk-tag', { found: {}, add: ['all'], remove: ['vip'] })).toMatchObject({ changed: 3 });
    expect((await ask('GET', `/${other.id}`)).tags).toEqual(['all']);
    const contactIds = [other.id, found[0].id];
    expect(await ask('POST', '/bulk-tag', { contactIds, remove: ['all'] })).toMatchObject({ changed: 2 });
    expect(await list({ tags: 'all' })).toEqual([found[1].id]);
  });

  it.each([
    [{ found: {} }, 'add'],
    [{ found: {}, add: ['a'], remove: ['A'] }, 'remove'],
    [{ add: ['a'] }, 'contactIds'],
    [{ found: {}, contactIds: ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'], add: ['a'] }, 'contactIds'],
    [{ found: { fields: '{' }, add: ['a'] }, 'fields'],
  ])('the edit %j is refused', async (body, field) => {
    const response = await request('POST', '/bulk-tag', body);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details[0].field).toContain(field);
  });

  it('concurrent edits of tags are all kept', async () => {
    const ids = (await Promise.all(Array.from({ length: 5 }, () => create({})))).map(({ id }) => id);
    const tags = ['a', 'b', 'c', 'd', 'e', 'f'];
    // The tags exist, because creating a tag would make the edits wait for each other.
    await create({ tags });
    await Promise.all(tags.map((tag) => ask('POST', '/bulk-tag', { contactIds: ids, add: [tag] })));
    for (const id of ids) expect((await ask('GET', `/${id}`)).tags).toEqual(tags);
  });

  it('bulk edits change only contacts of the own channel', async () => {
    const { id } = await create({});
    const otherChannel = await createTestChannel(heliograph.deps, channel.account);
    const response = await ask('POST', '/bulk-tag', { contactIds: [id], add: ['x'] }, otherChannel);
    expect(response).toEqual({ changed: 0, unchanged: 1 });
    expect((await ask('GET', `/${id}`)).tags).toEqual([]);
  });
});

describe('the list of contacts', () => {
  it('is filtered by tags, fields, a search and a group together', async () => {
    await ask('POST', '/fields', PLAN);
    await ask('POST', '/fields', SEATS);
    const ada = await create({ name: 'Ada', tags: ['vip', 'berlin'], fields: { plan: 'pro', seats: 3 } });
    const bob = await create({ name: 'Bob', tags: ['vip'], fields: { plan: 'pro', seats: 4 } });
    const eve = await create({ name: 'Eve', tags: ['berlin'] });
    expect(await list({ tags: 'VIP' })).toEqual([bob.id, ada.id]);
    expect(await list({ tags: 'vip,berlin' })).toEqual([ada.id]);
    expect(await list({ fields: '{"plan":"pro"}' })).toEqual([bob.id, ada.id]);
    expect(await list({ fields: '{"plan":"pro","seats":"4"}' })).toEqual([bob.id]);
    expect(await list({ tags: 'vip', search: 'ad' })).toEqual([ada.id]);
    const { id: groupId } = await ask('POST', '/groups', { name: 'G' });
    await ask('POST', `/groups/${groupId}/bulk-add`, { contactIds: [ada.id, eve.id] });
    expect(await list({ tags: 'vip', groupId })).toEqual([ada.id]);
    expect(await ask('GET', '?tags=berlin&limit=1')).toMatchObject({ total: 2, contacts: [{ id: eve.id }] });
    expect(await list({ tags: 'unused' })).toEqual([]);
  });

  it.each([['fields={'], ['fields=[]'], ['fields={"nope":1}'], ['fields={"seats":"x"}'], ['fields={"seats":null}']])(
    'the filter %s is refused',
    async (query) => {
      await ask('POST', '/fields', SEATS);
      expect((await request('GET', `?${query}`)).statusCode).toBe(400);
    },
  );

  it('finds first and last names', async () => {
    const { id } = await create({ firstName: 'Katherine', lastName: 'Johnson' });
    expect(await list({ search: 'katherine' })).toEqual([id]);
    expect(await list({ search: 'JOHNS' })).toEqual([id]);
  });
});

it('a merge keeps the values of the remaining contact, fills empty fields and unites the tags', async () => {
  await ask('POST', '/fields', PLAN);
  await ask('POST', '/fields', SEATS);
  const source = await create({ tags: ['a', 'b'], fields: { plan: 'pro', seats: 3 } });
  const target = await create({ tags: ['b', 'c'], fields: { plan: 'basic' } });
  const unmarked = await create({});
  await inTransaction(heliograph.deps.pool, async (client) => {
    const [row] = await lockForMerge(client, channel.channelId, [source.id]);
    for (const { id } of [target, unmarked]) if (row) await completeContact(client, id, row);
  });
  const merged = { tags: ['a', 'b', 'c'], fields: { plan: 'basic', seats: 3 } };
  expect(await ask('GET', `/${target.id}`)).toMatchObject(merged);
  expect(await ask('GET', `/${unmarked.id}`)).toMatchObject({ tags: ['a', 'b'], fields: { plan: 'pro', seats: 3 } });
});
