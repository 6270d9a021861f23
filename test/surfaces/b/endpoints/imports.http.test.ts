import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/platform/ids.js';
import { call } from '../../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { sharedApp } from '../../../support/suite.js';
import { waitFor } from '../../../support/wait-for.js';

const heliograph = sharedApp();

const startImport = (channel: TestChannel, body: object) =>
  call(heliograph, channel, 'POST', '/contacts/imports', body);

async function importAll(channel: TestChannel, body: object) {
  const response = await startImport(channel, body);
  expect(response.statusCode).toBe(200);
  const { id } = response.json().data;
  return waitFor('the import to end', async () => {
    const { data } = (await call(heliograph, channel, 'GET', `/contacts/imports/${id}`)).json();
    return data.completedAt ? data : undefined;
  });
}
const listContacts = async (channel: TestChannel, query = '') =>
  (await call(heliograph, channel, 'GET', `/contacts${query}`)).json().data;

describe('POST /contacts/imports', () => {
  it('imports CSV, counts every row, and returns why a row was refused', async () => {
    const channel = await createTestChannel(heliograph.deps);
    await call(heliograph, channel, 'POST', '/contacts', { phone: '15005550101', name: 'Ada' });
    const csv = [
      'Phone,name,email,city',
      '15005550101,Ada King,,London',
      '+15005550102,Bob,bob@example.com,Paris',
      '12,Nobody,,',
      `15005550103,${'x'.repeat(100_000)},,`,
      '15005550104,"Jo, Ann",,Rome',
      '15005550102,Bob again,,',
      '15005550105,Eve',
      ',,,',
      '15005550106,Mallory,,Oslo, or near it',
    ].join('\n');
    expect(await importAll(channel, { csv })).toEqual({
      id: expect.any(String),
      status: 'completed',
      groupId: null,
      update: false,
      tags: [],
      totalRows: 8,
      rows: 8,
      created: 3,
      updated: 0,
      unchanged: 1,
      refused: 4,
      refusedRows: [
        { row: 4, phone: '12', reason: 'phone is too short for a phone number' },
        { row: 5, phone: '15005550103', reason: 'a cell has more than 1,000 characters' },
        { row: 7, phone: '15005550102', reason: 'phone 15005550102 is in an earlier row' },
        { row: 10, phone: null, reason: 'the row has 5 cells, the header 4' },
      ],
      ignoredColumns: ['city'],
      errorMessage: null,
      createdAt: expect.any(String),
      completedAt: expect.any(String),
    });
    const { contacts, total } = await listContacts(channel);
    expect(total).toBe(4);
    expect(contacts.map(({ name }: { name: string }) => name).sort()).toEqual(['Ada', 'Bob', 'Eve', 'Jo, Ann']);
  });

  it('numbers rows like a spreadsheet: empty lines count, line breaks within a cell do not', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const csv =
      '\nphone,name,note\n\n15005550101,Ada,"two\r\nlines"\r\n\r\n1,Bob,\n\n15005550102,Cy,"a\n\nb"\n2,Dee,\n\n';
    const { rows, refusedRows } = await importAll(channel, { csv });
    expect(rows).toBe(4);
    expect(refusedRows).toMatchObject([
      { row: 6, phone: '1' },
      { row: 9, phone: '2' },
    ]);
  });

  it('imports a list into a group, and replaces names if requested', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const groupId = (await call(heliograph, channel, 'POST', '/contacts/groups', { name: 'All' })).json().data.id;
    await call(heliograph, channel, 'POST', '/contacts', { phone: '15005550101', name: 'Ada' });
    const contacts = [
      { phone: '15005550101', name: 'Ada King' },
      { phone: '15005550102', email: 'bob@example.com' },
      { phone: 'x' },
    ];
    expect(await importAll(channel, { contacts, groupId: groupId.toUpperCase(), update: true })).toMatchObject({
      status: 'completed',
      groupId,
      update: true,
      ...{ totalRows: 3, rows: 3, created: 1, updated: 1, unchanged: 0, refused: 1 },
      refusedRows: [{ row: 3, phone: 'x' }],
    });
    const members = await listContacts(channel, `?groupId=${groupId}`);
    expect(members.total).toBe(2);
    expect(members.contacts.map(({ name }: { name: string }) => name).sort()).toEqual(['', 'Ada King']);
    const repeatedImport = await importAll(channel, { contacts, groupId });
    expect(repeatedImport).toMatchObject({ created: 0, updated: 0, unchanged: 2, refused: 1 });
  });

  it('accepts numbers without a plus sign only if a country is given', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const contacts = [
      { phone: '(415) 555-2671', name: 'Bob' },
      { phone: '+44 (0)7911 123456', name: 'Ada' },
      { phone: '415 555 26' },
    ];
    expect(await importAll(channel, { contacts })).toMatchObject({
      ...{ created: 1, refused: 2 },
      refusedRows: [
        { row: 1, phone: '(415) 555-2671', reason: expect.stringContaining('no country was chosen') },
        { row: 3, phone: '415 555 26', reason: expect.stringContaining('no country was chosen') },
      ],
    });
    expect(await importAll(channel, { contacts, country: 'US' })).toMatchObject({
      ...{ created: 1, unchanged: 1, refused: 1 },
      refusedRows: [{ row: 3, phone: '415 555 26', reason: 'phone is too short for United States (+1)' }],
    });
    const csv = 'name;phone\nCy;415-555-2672\nCy again;+1 415 555 2672\n';
    expect(await importAll(channel, { csv, country: 'US' })).toMatchObject({
      ...{ created: 1, refused: 1 },
      refusedRows: [{ row: 3, phone: '+1 415 555 2672', reason: 'phone 14155552672 is in an earlier row' }],
    });
    expect((await listContacts(channel)).contacts.map(({ phone }: { phone: string }) => phone).sort()).toEqual([
      ...['14155552671', '14155552672', '447911123456'],
    ]);
    expect((await startImport(channel, { contacts, country: 'Atlantis' })).statusCode).toBe(400);
  });

  it('detects the encoding and delimiter of a CSV file from Excel', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const text = 'sep=;\r\nphone;name\r\n+15005550101;Jürgen Müller\r\n';
    const csvBase64 = Buffer.from(text, 'latin1').toString('base64');
    expect(await importAll(channel, { csvBase64 })).toMatchObject({ created: 1, refused: 0 });
    const utf16Base64 = Buffer.from(`\uFEFF${text}`, 'utf16le').toString('base64');
    expect(await importAll(channel, { csvBase64: utf16Base64, country: 'DE' })).toMatchObject({
      unchanged: 1,
      refused: 0,
    });
    expect((await listContacts(channel)).contacts).toMatchObject([{ name: 'Jürgen Müller' }]);
    // These Windows-1252 bytes contain “GmbH €” and O’Brien, some of whose characters are control characters in Latin-1.
    const windowsBytes = Buffer.from([
      ...Buffer.from('phone;name\n+15005550102;O'),
      0x92,
      ...Buffer.from('Brien '),
      0x93,
      0x80,
      0x94,
    ]);
    const windowsBase64 = windowsBytes.toString('base64');
    expect(await importAll(channel, { csvBase64: windowsBase64 })).toMatchObject({ created: 1, refused: 0 });
    const names = (await listContacts(channel)).contacts.map(({ name }: { name: string }) => name);
    expect(names).toContain('O’Brien “€”');
    const emptyResponse = await startImport(channel, { csvBase64: '' });
    expect([emptyResponse.statusCode, emptyResponse.body]).toEqual([
      400,
      expect.stringContaining('of a non-empty file'),
    ]);
    expect((await startImport(channel, { csvBase64: 'no base64!' })).statusCode).toBe(400);
    expect((await startImport(channel, { csvBase64, csv: 'phone\n1\n' })).statusCode).toBe(400);
    expect((await startImport(channel, { csv: 'phone,name\n' })).statusCode).toBe(400);
  });

  it('refuses only the row without a phone, and only the row whose text cannot be stored', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const contacts = [
      { name: 'Nobody' },
      { phone: '15005550101', name: 'A\0da' },
      { phone: '15005550102', name: '\ud800' },
      { phone: '1500\0' },
      { phone: '15005550103', email: 'a\0@example.com' },
      { phone: null, name: null },
      { phone: '15005550104', name: 'Bob', email: null },
    ];
    const unreadable = 'the row contains NUL or undecodable characters';
    expect(await importAll(channel, { contacts, groupId: null })).toMatchObject({
      ...{ status: 'completed', created: 1, refused: 6 },
      refusedRows: [
        { row: 1, phone: null, reason: 'phone is required' },
        { row: 2, phone: '15005550101', reason: unreadable },
        { row: 3, phone: '15005550102', reason: unreadable },
        { row: 4, phone: '1500\uFFFD', reason: expect.stringMatching(/^phone must/) },
        { row: 5, phone: '15005550103', reason: unreadable },
        { row: 6, phone: null, reason: 'phone is required' },
      ],
    });
    const csv = 'phone,name,note\n15005550111,A\0da,\n15005550112,\ud800,\n15005550113,Cy,\0\n';
    expect(await importAll(channel, { csv })).toMatchObject({
      ...{ status: 'completed', created: 1, refused: 2 },
      refusedRows: [
        { row: 2, phone: '15005550111', reason: unreadable },
        { row: 3, phone: '15005550112', reason: unreadable },
      ],
    });
    expect((await listContacts(channel)).total).toBe(2);
  });

  it.each([
    ['contacts', {}],
    ['contacts', { contacts: [] }],
    ['contacts[0]', { contacts: ['15005550101'] }],
    ['contacts[1].name', { contacts: [{ phone: '15005550101' }, { phone: '15005550102', name: 7 }] }],
    ['contacts[0].phone', { contacts: [{ phone: 15005550101 }] }],
    ['csv', { csv: '' }],
    ['csv', { csv: 'name,email\nAda,\n' }],
    ['csv', { csv: 'phone,phone\n' }],
    ['csv', { csv: 'phone\n15005550101\n', contacts: [{ phone: '15005550101' }] }],
    ['delimiter', { csv: 'phone\n', delimiter: 'x' }],
    ['groupId', { csv: 'phone\n', groupId: 'All' }],
    ['update', { csv: 'phone\n', update: 'yes' }],
  ])('returns 400 naming %s for %j', async (field, body) => {
    const channel = await createTestChannel(heliograph.deps);
    const response = await startImport(channel, body);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details).toMatchObject([{ field }]);
    expect(await heliograph.deps.prisma.contactImportJob.count({ where: { channelId: channel.channelId } })).toBe(0);
  });

  it('returns 404 for a group of another channel', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const response = await startImport(channel, { contacts: [{ phone: '15005550101' }], groupId: newId() });
    expect(response.statusCode).toBe(404);
  });

  it('fails with a reason if a quotation mark in CSV is not closed', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const rows = Array.from({ length: 5_000 }, (_, index) => `${15005570000 + index},Somebody`);
    const finishedImport = await importAll(channel, { csv: ['phone,name', ...rows, '15005550102,"Bob'].join('\n') });
    expect(finishedImport).toMatchObject({ status: 'failed', errorMessage: expect.stringContaining('not valid CSV') });
  });

  it('returns 409 while too many imports are unfinished', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const owner = { accountId: channel.account.id, channelId: channel.channelId };
    const unfinishedJob = { nextLook: new Date(Date.now() + 3_600_000), createdAt: new Date() };
    await heliograph.deps.prisma.contactImportJob.createMany({
      data: Array.from({ length: 20 }, () => ({ id: newId(), ...owner, input: '[]', ...unfinishedJob })),
    });
    expect((await startImport(channel, { contacts: [{ phone: '15005550101' }] })).statusCode).toBe(409);
  });
});
