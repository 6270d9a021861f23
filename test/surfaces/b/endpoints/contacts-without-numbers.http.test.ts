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

async function ask(method: 'GET' | 'POST' | 'PUT', path: string, body?: object, of: TestChannel = channel) {
  const response = await call(heliograph, of, method, path, body);
  return { status: response.statusCode, ...response.json() };
}
const create = (body: object, of?: TestChannel) => ask('POST', '/contacts', body, of);

async function importAll(body: object, of: TestChannel = channel) {
  const { status, data } = await ask('POST', '/contacts/imports', body, of);
  expect(status).toBe(200);
  const ended = async () => {
    const now = (await ask('GET', `/contacts/imports/${data.id}`, undefined, of)).data;
    return now.completedAt ? now : undefined;
  };
  return waitFor('the import to end', ended);
}

/** As texts, oldest first. */
async function contacts(of: TestChannel = channel): Promise<string[]> {
  const { contacts, total } = (await ask('GET', '/contacts?limit=100', undefined, of)).data;
  expect(total).toBe(contacts.length);
  const text = (each: Record<string, string | null>) => [each.phone, each.userId, each.name, each.email].join('|');
  return contacts.reverse().map(text);
}

const write = async (payload: object) => expect((await playInbound(heliograph, channel, payload)).statusCode).toBe(200);

describe('POST /contacts with a user id', () => {
  it('creates a contact without a number, who can be sent a template and is recognized when they write', async () => {
    const { status, data } = await create({ userId: ADA, name: 'Ada', email: 'ada@example.com' });
    expect(status).toBe(200);
    expect(data).toMatchObject({ phone: null, userId: ADA, username: null, name: 'Ada', email: 'ada@example.com' });
    expect((await ask('GET', `/contacts/${data.id}`)).data).toEqual(data);
    await ask('POST', '/templates/sync');
    const template = { userId: ADA, templateName: 'hello_world', language: 'en_US' };
    const sent = await ask('POST', '/messages/template', template);
    expect(sent.data).toMatchObject({ contactId: data.id });
    await write({ userId: ADA, username: 'ada', text: 'Hello' });
    expect(await contacts()).toEqual([`|${ADA}|Ada|ada@example.com`]);
    expect((await ask('POST', '/messages/reply', { contactId: data.id, message: 'Hi' })).status).toBe(200);
  });

  it('creates a contact with both identities, recognized by either of them', async () => {
    const { data } = await create({ phone: '15005550111', userId: ADA, name: 'Ada' });
    expect(data).toMatchObject({ phone: '15005550111', userId: ADA });
    await write({ from: '15005550111', text: 'By number' });
    await write({ userId: ADA, text: 'By id' });
    expect(await contacts()).toEqual([`15005550111|${ADA}|Ada|`]);
  });

  it('answers 409 if a contact has or had the number or the ID', async () => {
    await create({ phone: '15005550111', userId: ADA });
    const taken = async (body: object) => (({ status, error }) => [status, error.message])(await create(body));
    expect(await taken({ userId: ADA })).toEqual([409, 'The channel already has a contact with this userId.']);
    expect(await taken({ phone: '15005550112', userId: ADA })).toEqual([409, expect.stringContaining('userId')]);
    expect(await taken({ phone: '15005550111', userId: BOB })).toEqual([409, expect.stringContaining('phone')]);
    expect(await contacts()).toEqual([`15005550111|${ADA}||`]);
  });

  it('creates one contact from many concurrent requests', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, (_, n) => create({ userId: ADA, name: `Ada ${n}` })));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(await contacts()).toHaveLength(1);
  });

  it.each([
    [{}, 'phone', 'is required unless userId is sent'],
    [{ userId: 'ada' }, 'userId', 'must be a user id of WhatsApp'],
    [{ userId: '' }, 'userId', 'must be a user id of WhatsApp'],
    [{ userId: 7 }, 'userId', 'must be a user id of WhatsApp'],
    [{ userId: '15005550111' }, 'userId', 'must be a user id of WhatsApp'],
    [{ userId: 'US.ENT.506847293015824' }, 'userId', 'not one of linked portfolios'],
    [{ userId: ADA, phone: '+15005550111' }, 'phone', 'must'],
    [{ userId: ADA, phone: '' }, 'phone', 'must'],
  ])('refuses %j, names %s, and creates nothing', async (body, field, rule) => {
    const { status, error } = await create(body);
    expect([status, error.fields?.[0]?.field ?? error.message]).toEqual([400, expect.stringContaining(field)]);
    expect(error.message).toContain(rule);
    expect(await contacts()).toEqual([]);
  });

  it('refuses a user ID on an SMS channel, where a number is required', async () => {
    const sms = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
    const { status, error } = await create({ phone: '15005550111', userId: ADA }, sms);
    expect([status, error.message]).toEqual([400, 'userId is only for WhatsApp, and the channel sends SMS']);
    const alone = await create({ userId: ADA }, sms);
    expect([alone.status, alone.error.message]).toEqual([
      400,
      expect.stringMatching(/^phone is required; userId is only for WhatsApp/),
    ]);
    expect((await create({}, sms)).error.message).toBe('phone is required');
    expect(await contacts(sms)).toEqual([]);
  });

  it('adopts earlier opt-outs of either identity: the stricter one applies to both', async () => {
    const { data } = await create({ userId: ADA, optedOut: true });
    expect(data.optedOut).toBe(true);
    await write({ from: '15005550112', text: 'STOP' });
    const [{ id }] = (await ask('GET', '/contacts?search=15005550112')).data.contacts;
    await call(heliograph, channel, 'DELETE', `/contacts/${id}`);
    expect((await create({ phone: '15005550112', userId: BOB })).data.optedOut).toBe(true);
  });

  it('PUT accepts the same user ID, and refuses another', async () => {
    const { data } = await create({ userId: ADA });
    expect((await ask('PUT', `/contacts/${data.id}`, { userId: ADA, name: 'Ada' })).data.name).toBe('Ada');
    const { status, error } = await ask('PUT', `/contacts/${data.id}`, { userId: BOB });
    expect([status, error.message]).toEqual([400, expect.stringMatching(/^userId cannot be changed/)]);
  });
});

describe('imports with user ids', () => {
  it('accept a column userId with or instead of the number, and say why a row is refused', async () => {
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
        { row: 6, phone: '15005550104', reason: expect.stringMatching(/^userId must be a user id/) },
        { row: 7, reason: expect.stringMatching(/^userId must be .*not one of linked portfolios/) },
        { row: 8, reason: `phone 15005550105 or userId ${ADA} is in an earlier row` },
        { row: 9, phone: '15005550102', reason: 'phone 15005550102 is in an earlier row' },
      ],
    });
    expect((await contacts()).sort()).toEqual([`|${ADA}|Ada|`, `15005550102|${BOB}|Bob|`, '15005550103||Cy|'].sort());
    await write({ userId: ADA, text: 'Hello' });
    expect(await contacts()).toHaveLength(3);
  });

  it('accept a file with only user IDs, also with a country, and a list', async () => {
    const csv = `userid,name\n${ADA},Ada\n`;
    expect(await importAll({ csv, country: 'US' })).toMatchObject({ created: 1, refused: 0 });
    const listed = [{ userId: BOB, name: 'Bob' }, { userId: ADA }, {}];
    expect(await importAll({ contacts: listed })).toMatchObject({
      ...{ created: 1, unchanged: 1, refused: 1 },
      refusedRows: [{ row: 3, reason: 'phone is required' }],
    });
    expect(await contacts()).toEqual([`|${ADA}|Ada|`, `|${BOB}|Bob|`]);
  });

  it('leave existing contacts unchanged unless the request asks for an update, which fills in missing data', async () => {
    await create({ phone: '15005550101', name: 'Ada' });
    await create({ userId: BOB });
    const csv = `phone,userId,name,email\n15005550101,${ADA},Ada King,ada@example.com\n15005550102,${BOB},Bob,\n`;
    expect(await importAll({ csv })).toMatchObject({ created: 0, updated: 0, unchanged: 2, refused: 0 });
    expect(await contacts()).toEqual(['15005550101||Ada|', `|${BOB}||`]);
    const group = (await ask('POST', '/contacts/groups', { name: 'All' })).data.id;
    expect(await importAll({ csv, update: true, groupId: group })).toMatchObject({ updated: 2, unchanged: 0 });
    const after = [`15005550101|${ADA}|Ada King|ada@example.com`, `15005550102|${BOB}|Bob|`];
    expect(await contacts()).toEqual(after);
    expect((await ask('GET', `/contacts?groupId=${group}`)).data.total).toBe(2);
    await write({ userId: ADA, text: 'Hello' });
    await write({ from: '15005550102', text: 'Hello' });
    expect(await contacts()).toEqual(after);
  });

  it('merge nobody: a row whose identities belong to two contacts, or to another one, is refused', async () => {
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
    expect((await contacts()).sort()).toEqual(
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
    const sms = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
    const csv = `phone,userId\n15005550101,${ADA}\n,${BOB}\n`;
    expect(await importAll({ csv }, sms)).toMatchObject({
      ...{ created: 1, refused: 1 },
      refusedRows: [{ row: 3, reason: 'phone is required: userId is only for WhatsApp, and the channel sends SMS' }],
    });
    expect(await contacts(sms)).toEqual(['15005550101|||']);
  });

  it('accept exported files', async () => {
    const rows = Array.from(
      { length: 1_200 },
      (_, n) => `${n % 3 ? `+1500556${1000 + n}` : ''},Person ${n},,US.${n + 1}`,
    );
    const csv = ['phone,name,email,userId', ...rows].join('\n');
    expect(await importAll({ csv })).toMatchObject({ created: 1_200, refused: 0 });
    const again = await importAll({ csv });
    expect(again).toMatchObject({ created: 0, unchanged: 1_200, refused: 0 });
  });
});
