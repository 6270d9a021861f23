import { beforeEach, describe, expect, it } from 'vitest';
import { call } from '../../../support/channel-calls.js';
import { createTestChannel, createTestKey, type TestChannel } from '../../../support/channels.js';
import { sharedApp } from '../../../support/suite.js';

const heliograph = sharedApp();
let channel: TestChannel;

beforeEach(async () => {
  channel = await createTestChannel(heliograph.deps);
});

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const request = (method: Method, path: string, body?: object, from = channel) =>
  call(heliograph, from, method, path, body);

async function ask(method: Method, path: string, body?: object, from = channel) {
  const response = await request(method, path, body, from);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data;
}

let number = 15005550200;
const createContact = (body: object, from = channel) => {
  number += 1;
  return ask('POST', '/contacts', { phone: String(number), ...body }, from);
};
const VIP = { field: 'tags', operator: 'has', value: 'vip' };

describe('audiences', () => {
  it('an audience is created, listed, changed and deleted, with normalized values', async () => {
    const created = await ask('POST', '/audiences', { name: 'VIPs', condition: { ...VIP, value: ' VIP ' } });
    expect(created).toMatchObject({ name: 'VIPs', condition: VIP });
    expect(await ask('GET', `/audiences/${created.id}`)).toEqual(created);
    const condition = { any: [VIP, { not: { field: 'country', operator: 'is', value: 'fr' } }] };
    const changed = await ask('PATCH', `/audiences/${created.id}`, { condition });
    expect(changed).toMatchObject({
      name: 'VIPs',
      condition: { any: [VIP, { not: { field: 'country', operator: 'is', value: 'FR' } }] },
    });
    expect(await ask('PATCH', `/audiences/${created.id}`, { name: 'Abroad' })).toMatchObject({
      name: 'Abroad',
      condition: changed.condition,
    });
    expect(await ask('GET', '/audiences')).toMatchObject({ audiences: [{ name: 'Abroad' }], total: 1 });
    await ask('DELETE', `/audiences/${created.id}`);
    expect((await request('GET', `/audiences/${created.id}`)).statusCode).toBe(404);
    expect((await request('DELETE', `/audiences/${created.id}`)).statusCode).toBe(404);
  });

  it.each<[unknown, string, RegExp]>([
    [{}, 'condition', /one of all, any and not/],
    [{ all: [] }, 'condition.all', /1 to 50/],
    [{ all: [VIP, { any: [VIP, { all: [VIP] }] }] }, 'condition.all[1].any[1].all', /more than 1 other list/],
    [{ not: { not: VIP } }, 'condition.not.not', /another not/],
    [{ any: [VIP], all: [VIP] }, 'condition', /one of all/],
    [
      { any: [{ field: 'fields.unknown', operator: 'is', value: 1 }] },
      'condition.any[0].field',
      /contact field of the account/,
    ],
    [{ field: 'constructor', operator: 'is', value: 1 }, 'condition.field', /contact field of the account/],
    [{ all: [{ field: 'tags', operator: 'contains', value: 'x' }] }, 'condition.all[0].operator', /has, hasNot/],
    [{ field: 'tags', operator: 'has' }, 'condition.value', /required/],
    [{ field: 'tags', operator: 'isSet', value: 'x' }, 'condition.value', /absent/],
    [{ field: 'country', operator: 'is', value: 'XX' }, 'condition.value', /two letters/],
    [{ field: 'createdAt', operator: 'before', value: '2026-02-30' }, 'condition.value', /date such as/],
    [{ field: 'createdAt', operator: 'before', value: '0000-01-01' }, 'condition.value', /from 1900/],
    [{ field: 'lastInboundAt', operator: 'inLastDays', value: 1.5 }, 'condition.value', /number of days/],
    [{ field: 'groups', operator: 'has', value: 'x' }, 'condition.value', /ID of a group/],
    [
      { field: 'groups', operator: 'has', value: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55' },
      'condition.value',
      /a group of the channel/,
    ],
    [
      { field: 'campaign', operator: 'read', value: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55' },
      'condition.value',
      /a campaign of the channel/,
    ],
    [{ ...VIP, weight: 2 }, 'condition', /only field, operator and value/],
    [{ all: Array(51).fill(VIP) }, 'condition.all', /1 to 50/],
    [{ all: Array(2).fill({ any: Array(30).fill(VIP) }) }, 'condition', /at most 50 tests/],
  ])('the condition %j is refused', async (condition, field, rule) => {
    for (const path of ['/audiences', '/audiences/preview']) {
      const response = await request('POST', path, { ...(path === '/audiences' && { name: 'Some' }), condition });
      expect(response.statusCode, response.body).toBe(400);
      expect(response.json().error.details[0]).toMatchObject({ field, message: expect.stringMatching(rule) });
    }
  });

  it('the preview counts and shows only contacts of the channel', async () => {
    await ask('POST', '/contacts/fields', { key: 'seats', label: 'Seats', type: 'number' });
    const ada = await createContact({ name: 'Ada', fields: { seats: 5 }, tags: ['vip'] });
    await createContact({ name: 'Bo', fields: { seats: 2 } });
    const sibling = await createTestChannel(heliograph.deps, channel.account);
    await createContact({ fields: { seats: 9 }, tags: ['vip'] }, sibling);
    const condition = { all: [{ field: 'fields.seats', operator: 'moreThan', value: 2 }, VIP] };
    const preview = await ask('POST', '/audiences/preview', { condition });
    expect(preview).toMatchObject({ count: 1, countIsEstimate: false, contacts: [{ id: ada.id, tags: ['vip'] }] });
    expect(preview.contacts).toHaveLength(1);
    expect(await ask('GET', '/audiences')).toMatchObject({ total: 0 });
  });

  it('contacts are listed and tagged by audience', async () => {
    const ada = await createContact({ name: 'Ada', tags: ['vip'] });
    await createContact({ name: 'Bo' });
    const { id } = await ask('POST', '/audiences', { name: 'VIPs', condition: VIP });
    expect(await ask('GET', `/contacts?audienceId=${id}`)).toMatchObject({ contacts: [{ id: ada.id }], total: 1 });
    expect(await ask('GET', `/contacts?audienceId=${id}&search=bo`)).toMatchObject({ contacts: [], total: 0 });
    for (const unknown of ['x', '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'])
      expect(await ask('GET', `/contacts?audienceId=${unknown}`)).toMatchObject({ contacts: [], total: 0 });
    const tagged = await ask('POST', '/contacts/bulk-tag', { found: { audienceId: id }, add: ['invited'] });
    expect(tagged).toEqual({ changed: 1, unchanged: 0 });
    expect((await ask('GET', `/contacts/${ada.id}`)).tags).toEqual(['invited', 'vip']);
  });

  it('a group or a field that an audience uses cannot be deleted', async () => {
    await ask('POST', '/contacts/fields', { key: 'seats', label: 'Seats', type: 'number' });
    const group = await ask('POST', '/contacts/groups', { name: 'Customers' });
    const inGroup = { field: 'groups', operator: 'has', value: group.id };
    const { id } = await ask('POST', '/audiences', {
      name: 'Big customers',
      condition: { all: [{ not: inGroup }, { field: 'fields.seats', operator: 'isSet' }] },
    });
    for (const path of [`/contacts/groups/${group.id}`, '/contacts/fields/seats']) {
      const response = await request('DELETE', path);
      expect(response.statusCode, response.body).toBe(409);
      expect(response.json().error.message).toContain('"Big customers"');
    }
    await ask('DELETE', `/audiences/${id}`);
    await ask('DELETE', `/contacts/groups/${group.id}`);
    await ask('DELETE', '/contacts/fields/seats');
  });

  it('a group is deleted or used, never both, by concurrent requests', async () => {
    for (let round = 0; round < 5; round += 1) {
      const group = await ask('POST', '/contacts/groups', { name: `Group ${round}` });
      const condition = { field: 'groups', operator: 'has', value: group.id };
      const [deletion, creation] = await Promise.all([
        request('DELETE', `/contacts/groups/${group.id}`),
        request('POST', '/audiences', { name: `Audience ${round}`, condition }),
      ]);
      expect([`${deletion.statusCode} ${creation.statusCode}`]).toContainEqual(
        expect.stringMatching(/^(200 400|409 200)$/),
      );
    }
  });

  it('names are unique within a channel, also for concurrent requests', async () => {
    const bodies = ['VIPs', 'vips', 'VIPS '].map((name) => ({ name, condition: VIP }));
    const responses = await Promise.all(bodies.map((body) => request('POST', '/audiences', body)));
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409]);
    const otherAudience = await ask('POST', '/audiences', { name: 'Other', condition: VIP });
    expect((await request('PATCH', `/audiences/${otherAudience.id}`, { name: 'vIPs' })).statusCode).toBe(409);
  });

  it('audiences of other channels are unknown, and keys need the scope', async () => {
    const { id } = await ask('POST', '/audiences', { name: 'VIPs', condition: VIP });
    const sibling = await createTestChannel(heliograph.deps, channel.account);
    for (const [method, body] of [['GET'], ['PATCH', { name: 'X' }], ['DELETE']] as const)
      expect((await request(method, `/audiences/${id}`, body, sibling)).statusCode).toBe(404);
    const reader = { ...channel, ...(await createTestKey(heliograph.deps, channel, ['contacts:read'])) };
    expect((await request('POST', '/audiences/preview', { condition: VIP }, reader)).statusCode).toBe(200);
    expect((await request('POST', '/audiences', { name: 'X', condition: VIP }, reader)).statusCode).toBe(403);
  });
});
