import { describe, expect, it } from 'vitest';
import { call, playInbound } from '../../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { forEachTest } from '../../../support/for-suite.js';
import { sharedApp } from '../../../support/suite.js';
import { waitFor } from '../../../support/wait-for.js';

const heliograph = sharedApp();
const channel = forEachTest(() => createTestChannel(heliograph.deps));

const ADA = 'US.13491208655302741918';
const BOB = 'DE.99887766554433221100';

async function request(method: 'GET' | 'POST' | 'PUT', path: string, body?: object, target: TestChannel = channel) {
  const response = await call(heliograph, target, method, path, body);
  return { status: response.statusCode, ...response.json() };
}
const create = (body: object, target?: TestChannel) => request('POST', '/contacts', body, target);

async function importAll(body: object, target: TestChannel = channel) {
  const { status, data } = await request('POST', '/contacts/imports', body, target);
  expect(status).toBe(200);
  const findFinishedImport = async () => {
    const now = (await request('GET', `/contacts/imports/${data.id}`, undefined, target)).data;
    return now.completedAt ? now : undefined;
  };
  return waitFor('the import to end', findFinishedImport);
}

/** Lists contacts as texts, oldest first. */
async function listContacts(target: TestChannel = channel): Promise<string[]> {
  const { contacts, total } = (await request('GET', '/contacts?limit=100', undefined, target)).data;
  expect(total).toBe(contacts.length);
  const toText = (contact: Record<string, string | null>) =>
    [contact.phone, contact.userId, contact.name, contact.email].join('|');
  return contacts.reverse().map(toText);
}

const receiveMessage = async (payload: object) =>
  expect((await playInbound(heliograph, channel, payload)).statusCode).toBe(200);

describe('POST /contacts with a user ID', () => {
  it('creates a contact without a number, who can be sent a template and is recognized when they write', async () => {
    const { status, data } = await create({ userId: ADA, name: 'Ada', email: 'ada@example.com' });
    expect(status).toBe(200);
    expect(data).toMatchObject({ phone: null, userId: ADA, username: null, name: 'Ada', email: 'ada@example.com' });
    expect((await request('GET', `/contacts/${data.id}`)).data).toEqual(data);
    await request('POST', '/templates/sync');
    const template = { userId: ADA, templateName: 'hello_world', language: 'en_US' };
    const sendResponse = await request('POST', '/messages/template', template);
    expect(sendResponse.data).toMatchObject({ contactId: data.id });
    await receiveMessage({ userId: ADA, username: 'ada', text: 'Hello' });
    expect(await listContacts()).toEqual([`|${ADA}|Ada|ada@example.com`]);
    expect((await request('POST', '/messages/reply', { contactId: data.id, message: 'Hi' })).status).toBe(200);
  });

  it('creates a contact with both identities, recognized by either of them', async () => {
    const { data } = await create({ phone: '15005550111', userId: ADA, name: 'Ada' });
    expect(data).toMatchObject({ phone: '15005550111', userId: ADA });
    await receiveMessage({ from: '15005550111', text: 'By number' });
    await receiveMessage({ userId: ADA, text: 'By id' });
    expect(await listContacts()).toEqual([`15005550111|${ADA}|Ada|`]);
  });

  it('returns 409 if a contact has or had the number or the ID', async () => {
    await create({ phone: '15005550111', userId: ADA });
    const getConflict = async (body: object) => (({ status, error }) => [status, error.message])(await create(body));
    expect(await getConflict({ userId: ADA })).toEqual([409, 'The channel already has a contact with this userId.']);
    expect(await getConflict({ phone: '15005550112', userId: ADA })).toEqual([409, expect.stringContaining('userId')]);
    expect(await getConflict({ phone: '15005550111', userId: BOB })).toEqual([409, expect.stringContaining('phone')]);
    expect(await listContacts()).toEqual([`15005550111|${ADA}||`]);
  });

  it('creates one contact from many concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, (_, n) => create({ userId: ADA, name: `Ada ${n}` })));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(await listContacts()).toHaveLength(1);
  });

  it.each([
    [{}, 'phone', 'is required unless userId is sent'],
    [{ userId: 'ada' }, 'userId', 'must be a WhatsApp user ID'],
    [{ userId: '' }, 'userId', 'must be a WhatsApp user ID'],
    [{ userId: 7 }, 'userId', 'must be a WhatsApp user ID'],
    [{ userId: '15005550111' }, 'userId', 'must be a WhatsApp user ID'],
    [{ userId: 'US.ENT.506847293015824' }, 'userId', 'not one of linked portfolios'],
    [{ userId: ADA, phone: '+15005550111' }, 'phone', 'must'],
    [{ userId: ADA, phone: '' }, 'phone', 'must'],
  ])('refuses %j, names %s, and creates nothing', async (body, field, rule) => {
    const { status, error } = await create(body);
    expect([status, error.fields?.[0]?.field ?? error.message]).toEqual([400, expect.stringContaining(field)]);
    expect(error.message).toContain(rule);
    expect(await listContacts()).toEqual([]);
  });

  it('refuses a user ID on an SMS channel, where a number is required', async () => {
    const smsChannel = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
    const { status, error } = await create({ phone: '15005550111', userId: ADA }, smsChannel);
    expect([status, error.message]).toEqual([400, 'userId is only for WhatsApp, and the channel sends SMS']);
    const refusal = await create({ userId: ADA }, smsChannel);
    expect([refusal.status, refusal.error.message]).toEqual([
      400,
      expect.stringMatching(/^phone is required; userId is only for WhatsApp/),
    ]);
    expect((await create({}, smsChannel)).error.message).toBe('phone is required');
    expect(await listContacts(smsChannel)).toEqual([]);
  });

  it('applies the stricter opt-out of the two identities to both', async () => {
    const { data } = await create({ userId: ADA, optedOut: true });
    expect(data.optedOut).toBe(true);
    await receiveMessage({ from: '15005550112', text: 'STOP' });
    const [{ id }] = (await request('GET', '/contacts?search=15005550112')).data.contacts;
    await call(heliograph, channel, 'DELETE', `/contacts/${id}`);
    expect((await create({ phone: '15005550112', userId: BOB })).data.optedOut).toBe(true);
  });

  it('returns a contact whose user ID a PUT cannot change', async () => {
    const { data } = await create({ userId: ADA });
    expect((await request('PUT', `/contacts/${data.id}`, { userId: ADA, name: 'Ada' })).data.name).toBe('Ada');
    const { status, error } = await request('PUT', `/contacts/${data.id}`, { userId: BOB });
    expect([status, error.message]).toEqual([400, expect.stringMatching(/^userId cannot be changed/)]);
  });
});

describe('imports with user IDs', () => {
  it('accept user IDs with or instead of numbers, and return why a row is refused', async () => {
    const csv = [
      'userId,phone,name',
      `${ADA},,Ada`,
      `${BOB},15005550102,Bob`,
      ',15005550103,Cy',
      ',,Nobody',
      'bob,15005550104,',
      'US.ENT.506847293015824,,',
      `${ADA},15005550105,Ada again`,
      ',15005550102,Bob again',
    ].join('\n');
    expect(await importAll({ csv })).toMatchObject({
      ...{ status: 'completed', rows: 8, created: 3, unchanged: 0, refused: 5 },
      refusedRows: [
        { row: 5, reason: 'phone is required' },
        { row: 6, phone: '15005550104', reason: expect.stringMatching(/^userId must be a WhatsApp user ID/) },
        { row: 7, reason: expect.stringMatching(/^userId must be .*not one of linked portfolios/) },
        { row: 8, reason: `phone 15005550105 or userId ${ADA} is in an earlier row` },
        { row: 9, phone: '15005550102', reason: 'phone 15005550102 is in an earlier row' },
      ],
    });
    expect((await listContacts()).sort()).toEqual(
      [`|${ADA}|Ada|`, `15005550102|${BOB}|Bob|`, '15005550103||Cy|'].sort(),
    );
    await receiveMessage({ userId: ADA, text: 'Hello' });
    expect(await listContacts()).toHaveLength(3);
  });

  it('accept a file with only user IDs, even with a country, and a list', async () => {
    const csv = `userid,name\n${ADA},Ada\n`;
    expect(await importAll({ csv, country: 'US' })).toMatchObject({ created: 1, refused: 0 });
    const contactList = [{ userId: BOB, name: 'Bob' }, { userId: ADA }, {}];
    expect(await importAll({ contacts: contactList })).toMatchObject({
      ...{ created: 1, unchanged: 1, refused: 1 },
      refusedRows: [{ row: 3, reason: 'phone is required' }],
    });
    expect(await listContacts()).toEqual([`|${ADA}|Ada|`, `|${BOB}|Bob|`]);
  });

  it('leave existing contacts unchanged unless the request asks for an update, which fills in missing data', async () => {
    await create({ phone: '15005550101', name: 'Ada' });
    await create({ userId: BOB });
    const csv = `phone,userId,name,email\n15005550101,${ADA},Ada King,ada@example.com\n15005550102,${BOB},Bob,\n`;
    expect(await importAll({ csv })).toMatchObject({ created: 0, updated: 0, unchanged: 2, refused: 0 });
    expect(await listContacts()).toEqual(['15005550101||Ada|', `|${BOB}||`]);
    const group = (await request('POST', '/contacts/groups', { name: 'All' })).data.id;
    expect(await importAll({ csv, update: true, groupId: group })).toMatchObject({ updated: 2, unchanged: 0 });
    const expectedContacts = [`15005550101|${ADA}|Ada King|ada@example.com`, `15005550102|${BOB}|Bob|`];
    expect(await listContacts()).toEqual(expectedContacts);
    expect((await request('GET', `/contacts?groupId=${group}`)).data.total).toBe(2);
    await receiveMessage({ userId: ADA, text: 'Hello' });
    await receiveMessage({ from: '15005550102', text: 'Hello' });
    expect(await listContacts()).toEqual(expectedContacts);
  });

  it('never merge contacts: a row with the identities of two contacts is refused', async () => {
    await create({ phone: '15005550101', userId: ADA });
    await create({ userId: BOB, phone: '15005550102' });
    await create({ phone: '15005550103' });
    await create({ userId: 'US.3' });
    const csv = [
      'phone,userId',
      `15005550101,${BOB}`,
      '15005550102,US.7',
      '15005550109,US.3',
      '15005550104,US.8',
      `15005550105,${ADA}`,
      '15005550103,US.9',
    ].join('\n');
    const reason = 'phone and userId belong to different contacts of the channel';
    expect(await importAll({ csv, update: true })).toMatchObject({
      ...{ created: 1, updated: 2, refused: 3 },
      refusedRows: [
        { row: 2, phone: '15005550101', reason },
        { row: 3, phone: '15005550102', reason },
        { row: 6, phone: '15005550105', reason },
      ],
    });
    expect((await listContacts()).sort()).toEqual(
      [
        `15005550101|${ADA}||`,
        `15005550102|${BOB}||`,
        '15005550103|US.9||',
        '15005550104|US.8||',
        '15005550109|US.3||',
      ].sort(),
    );
  });

  it('ignore user IDs on an SMS channel', async () => {
    const smsChannel = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
    const csv = `phone,userId\n15005550101,${ADA}\n,${BOB}\n`;
    expect(await importAll({ csv }, smsChannel)).toMatchObject({
      ...{ created: 1, refused: 1 },
      refusedRows: [{ row: 3, reason: 'phone is required: userId is only for WhatsApp, and the channel sends SMS' }],
    });
    expect(await listContacts(smsChannel)).toEqual(['15005550101|||']);
  });

  it('accept exported files', async () => {
    const rows = Array.from(
      { length: 1_200 },
      (_, n) => `${n % 3 ? `+1500556${1000 + n}` : ''},Person ${n},,US.${n + 1}`,
    );
    const csv = ['phone,name,email,userId', ...rows].join('\n');
    expect(await importAll({ csv })).toMatchObject({ created: 1_200, refused: 0 });
    const repeatedImport = await importAll({ csv });
    expect(repeatedImport).toMatchObject({ created: 0, unchanged: 1_200, refused: 0 });
  });
});
