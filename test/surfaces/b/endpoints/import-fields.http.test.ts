import { beforeEach, describe, expect, it } from 'vitest';
import { exportContacts } from '../../../../src/features/contacts/export.js';
import { call } from '../../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { sharedApp } from '../../../support/suite.js';
import { waitFor } from '../../../support/wait-for.js';

const heliograph = sharedApp();
let channel: TestChannel;

beforeEach(async () => {
  channel = await createTestChannel(heliograph.deps);
});

async function ask(method: 'GET' | 'POST' | 'PUT', path: string, body?: object, from = channel) {
  const response = await call(heliograph, from, method, `/contacts${path}`, body);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data;
}

async function importAll(body: object, from = channel) {
  const { id } = await ask('POST', '/imports', body, from);
  return waitFor('the import to end', async () => {
    const data = await ask('GET', `/imports/${id}`, undefined, from);
    return data.completedAt ? data : undefined;
  });
}

async function readContacts(from = channel) {
  const { contacts } = await ask('GET', '', undefined, from);
  const entries = contacts.map((each: { phone: string }) => [each.phone, each]);
  return Object.fromEntries(entries) as Record<string, { id: string; tags: string[]; fields: object; name: string }>;
}

async function exportAll(from = channel) {
  let csv = '';
  const scope = { channelId: from.channelId, groupId: null };
  for await (const part of exportContacts(heliograph.deps.reads, scope)) csv += part;
  return csv;
}

const PHONE = '15005550111';
const OTHER = '15005550112';

describe('an import with fields and tags', () => {
  it.each([['US'], [undefined]])('columns fill fields, which are created, with the country %s', async (country) => {
    const csv = `phone,Plan,Seats,Note\n+${PHONE},pro,12,x\n+${OTHER},,many,y\n`;
    const fieldColumns = [
      { column: 'plan' },
      { column: 'Seats', key: 'seat_count', label: 'Number of seats', type: 'number' },
    ];
    const result = await importAll({ csv, country, fieldColumns, tags: ['Spring'] });
    expect(result).toMatchObject({ created: 1, refused: 1, tags: ['spring'], ignoredColumns: ['Note'] });
    expect(result.refusedRows).toEqual([{ row: 3, phone: `+${OTHER}`, reason: expect.stringContaining('seat_count') }]);
    expect(await ask('GET', '/fields')).toMatchObject([
      { key: 'plan', label: 'plan', type: 'text' },
      { key: 'seat_count', label: 'Number of seats', type: 'number' },
    ]);
    expect(await readContacts()).toMatchObject({
      [PHONE]: { tags: ['spring'], fields: { plan: 'pro', seat_count: 12 } },
    });
  });

  it('existing contacts get the tags of the import, and the values and tags of their rows only with update', async () => {
    await ask('POST', '/fields', { key: 'plan', label: 'Plan', type: 'text' });
    await ask('POST', '/fields', { key: 'city', label: 'City', type: 'text' });
    await ask('POST', '', { phone: PHONE, tags: ['vip'], fields: { plan: 'basic', city: 'Paris' } });
    const csv = `phone,tags,fields.plan,fields.city\n${PHONE},"New, Berlin",pro,\n`;
    expect(await importAll({ csv, tags: ['spring'] })).toMatchObject({ updated: 1, unchanged: 0, ignoredColumns: [] });
    const kept = { tags: ['spring', 'vip'], fields: { plan: 'basic', city: 'Paris' } };
    expect(await readContacts()).toMatchObject({ [PHONE]: kept });
    expect(await importAll({ csv, tags: ['spring'] })).toMatchObject({ updated: 0, unchanged: 1 });
    expect(await importAll({ csv, update: true })).toMatchObject({ updated: 1 });
    const replaced = { tags: ['berlin', 'new', 'spring', 'vip'], fields: { plan: 'pro', city: 'Paris' } };
    expect(await readContacts()).toMatchObject({ [PHONE]: replaced });
  });

  it('listed contacts have tags and fields, also those known only by user ID', async () => {
    await ask('POST', '/fields', { key: 'seats', label: 'Seats', type: 'number' });
    const userId = 'US.13491208655302741918';
    const marks = { tags: ['VIP'], fields: { seats: 3 } };
    const contacts = [
      { phone: PHONE, ...marks },
      { userId, ...marks },
      { phone: OTHER, fields: { seats: 'x', 'a\0': 1 } },
    ];
    expect(await importAll({ contacts, tags: ['all'] })).toMatchObject({ created: 2, refused: 1 });
    const stored = { tags: ['all', 'vip'], fields: { seats: 3 } };
    expect((await ask('GET', '')).contacts).toMatchObject([stored, stored]);
  });

  it('columns of tags and fields are ignored in accounts without tags and fields', async () => {
    const csv = `phone,tags,fields.plan\n${PHONE},vip,pro\n`;
    expect(await importAll({ csv })).toMatchObject({ created: 1, ignoredColumns: ['tags', 'fields.plan'] });
    expect(await readContacts()).toMatchObject({ [PHONE]: { tags: [], fields: {} } });
    expect(await ask('GET', '/tags')).toEqual([]);
    expect(await exportAll()).not.toContain('tags');
  });

  it('an exported file can be imported into another channel of the account unchanged', async () => {
    await ask('POST', '/fields', { key: 'vip_since', label: 'VIP since', type: 'date' });
    await ask('POST', '/fields', { key: 'active', label: 'Active', type: 'boolean' });
    const fields = { vip_since: '2026-01-31', active: false };
    await ask('POST', '', { phone: PHONE, firstName: 'Ada', lastName: 'King', tags: ['b', 'a'], fields });
    await ask('POST', '', { phone: OTHER });
    const csv = await exportAll();
    expect(csv).toContain('tags,fields.vip_since,fields.active');
    const copy = await createTestChannel(heliograph.deps, channel.account);
    expect(await importAll({ csv }, copy)).toMatchObject({ created: 2, ignoredColumns: [] });
    expect(await readContacts(copy)).toMatchObject({
      [PHONE]: { firstName: 'Ada', lastName: 'King', tags: ['a', 'b'], fields },
      [OTHER]: { tags: [], fields: {} },
    });
  });

  it('first and last names are joined to a name only if the file has no name', async () => {
    await importAll({ csv: `phone,First name,Last name\n${PHONE},Ada,King\n` });
    await importAll({ csv: `phone,name,First name\n${OTHER},Countess,Ada\n` });
    expect(await readContacts()).toMatchObject({
      [PHONE]: { name: 'Ada King', firstName: 'Ada', lastName: 'King' },
      [OTHER]: { name: 'Countess', firstName: 'Ada', lastName: null },
    });
  });

  it('a first or last name that is too long is shortened, and its row is imported', async () => {
    const csv = `phone,name,First name,Last name,lastname\n${PHONE},Ada,${'x'.repeat(300)},a\uFFFDb,c\n`;
    expect(await importAll({ csv })).toMatchObject({ created: 1, refused: 0, ignoredColumns: ['lastname'] });
    expect(await readContacts()).toMatchObject({ [PHONE]: { firstName: 'x'.repeat(200), lastName: 'ab' } });
  });

  it.each([
    [{ csv: `phone\n${PHONE}\n`, fieldColumns: [{ column: 'Plan' }] }, 'fieldColumns[0].column'],
    [{ csv: `phone,計画\n${PHONE},x\n`, fieldColumns: [{ column: '計画' }] }, 'fieldColumns[0].key'],
    [{ contacts: [{ phone: PHONE }], fieldColumns: [{ column: 'Plan' }] }, 'fieldColumns'],
    [{ contacts: [{ phone: PHONE }], tags: ['a,b'] }, 'tags'],
  ])('the import %j is refused and creates nothing', async (body, field) => {
    const response = await call(heliograph, channel, 'POST', '/contacts/imports', body);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details[0].field).toBe(field);
    expect(await ask('GET', '/fields')).toEqual([]);
  });

  it('an import with more tags than an account may have fails with a reason', async () => {
    await heliograph.deps.pool.query(
      `INSERT INTO contact_tags (account_id, name) SELECT $1, 'tag ' || n FROM generate_series(1, 999) n`,
      [channel.account.id],
    );
    const contacts = [{ phone: PHONE, tags: ['new', 'newer'] }];
    const failed = await importAll({ contacts });
    expect(failed).toMatchObject({ status: 'failed', errorMessage: expect.stringContaining('1,000 different tags') });
    expect(await readContacts()).toEqual({});
  });

  it('concurrent imports of the same contacts unite their tags', async () => {
    const contacts = Array.from({ length: 50 }, (_, index) => ({
      phone: `150055503${String(index).padStart(2, '0')}`,
    }));
    // The tags exist, because creating a tag would make the imports wait for each other.
    await importAll({ contacts: [{ phone: OTHER }], tags: ['a', 'b', 'c'] });
    await importAll({ contacts });
    await Promise.all(['a', 'b', 'c'].map((tag) => importAll({ contacts, tags: [tag] })));
    for (const { tags } of Object.values(await readContacts())) expect(tags).toEqual(['a', 'b', 'c']);
  });
});
