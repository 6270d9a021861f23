import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/program.js';
import { findOrCreateContact } from '../../src/features/contacts/contacts.js';
import { systemClock } from '../../src/platform/system-clock.js';
import { buildExportedCsv } from '../support/exported-contacts.js';
import { importFileForEachTest } from './import-file.js';
import { commandsOnTestStore } from './run.js';

const commands = commandsOnTestStore();
const { cli: heliograph } = commands;
const people = importFileForEachTest(commands);

async function importText(text: string | Buffer, ...flags: string[]) {
  await writeFile(people.file, text);
  const { code, stdout, stderr } = await heliograph(
    '--json',
    'contacts',
    'import',
    people.file,
    '--channel',
    people.channel.channelId,
    ...(flags.includes('--country') ? [] : ['--country', 'international']),
    ...flags,
  );
  return { code, stderr, result: code === 0 || code === 2 ? JSON.parse(stdout) : null };
}

async function listContacts() {
  const rows = await commands.store.prisma.contact.findMany({
    where: { channelId: people.channel.channelId },
    orderBy: { id: 'asc' },
  });
  const { contactCount } = await commands.store.prisma.channel.findUniqueOrThrow({
    where: { id: people.channel.channelId },
  });
  expect(contactCount).toBe(rows.length);
  expect(await commands.store.prisma.contactImport.count()).toBe(0);
  return rows.map(({ phone, name, email }) => [phone, name, email].join(' ').trim());
}

const readRefused = () => readFile(`${people.file}.refused.csv`, 'utf8');

describe('heliograph contacts import', () => {
  it('reads phone, name and email in any order, and ignores other columns', async () => {
    const { code, result } = await importText(
      '\uFEFFEmail , Town,PHONE,name\r\nada@example.com,London, +15005550101 ,"Lovelace, Ada"\n\n,,15005550102,\n',
    );
    expect(code).toBe(0);
    expect(result).toEqual({
      ...{ rows: 2, created: 2, updated: 0, present: 0, repeated: 0, refused: 0 },
      ...{ resumedAfter: 0, ignoredColumns: ['Town'], refusedPath: null },
    });
    expect(await listContacts()).toEqual(['15005550101 Lovelace, Ada ada@example.com', '15005550102']);
    await expect(readRefused()).rejects.toThrow('ENOENT');
  });

  it('fills and creates contact fields, adds tags, and exports both in a form that an import accepts', async () => {
    const text = 'phone,Plan,Note\n15005550101,pro,x\n15005550102,,y\n';
    const flags = ['--field', 'Plan', '--tag', 'Spring', 'VIP'];
    const { result } = await importText(text, ...flags);
    expect(result).toMatchObject({ created: 2, ignoredColumns: ['Note'] });
    const exported = await heliograph('contacts', 'export', '--channel', people.channel.channelId);
    expect(exported.stdout).toBe(
      'phone,name,email,firstName,lastName,language,timeZone,tags,fields.plan\r\n' +
        '+15005550101,,,,,,,"spring, vip",pro\r\n+15005550102,,,,,,,"spring, vip",\r\n',
    );
    expect((await importText(exported.stdout, '--update')).result).toMatchObject({ present: 2, ignoredColumns: [] });
    const where = { action: 'import.start', subject: people.channel.channelId };
    const [entry] = await commands.store.prisma.auditLine.findMany({ where, orderBy: { id: 'asc' } });
    expect(entry?.after).toMatchObject({ tags: ['spring', 'vip'], columns: { plan: 'Plan' } });
    const missing = await importText(text, '--field', 'Town');
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('must be a column of the file')]);
  });

  it('writes rejected rows with reasons to a file, and exits with 2', async () => {
    const { code, result } = await importText(
      [
        'phone,name,email',
        '15005550101,Ada,',
        'abc,"=1+1 ""quoted""",',
        '+15005550102x,Bob,',
        '15005550103,Cy,nobody',
        `15005550104,${'n'.repeat(201)},`,
        '15005550105,Dee,,and more',
        '15005550101,Ada again,',
        '@SUM(A1),Eve,',
      ].join('\n'),
    );
    expect(code).toBe(2);
    expect(result).toMatchObject({
      rows: 8,
      created: 1,
      repeated: 1,
      refused: 6,
      refusedPath: `${people.file}.refused.csv`,
    });
    const rule = 'phone must be a phone number, such as +1 415 555 0123';
    expect(await readRefused()).toBe(
      [
        '\uFEFFrow,reason,phone,name,email',
        `3,"${rule}",abc,"'=1+1 ""quoted""",`,
        `4,"${rule}",'+15005550102x,Bob,`,
        '5,email must be an e-mail address,15005550103,Cy,nobody',
        `6,name must be a text of at most 200 characters without control characters,15005550104,${'n'.repeat(201)},`,
        '7,"the row has 4 cells, the header 3",15005550105,Dee,,and more',
        '8,phone 15005550101 is in an earlier row,15005550101,Ada again,',
        `9,"${rule}",'@SUM(A1),Eve,`,
        '',
      ].join('\r\n'),
    );
    expect(await listContacts()).toEqual(['15005550101 Ada']);
  });

  it('numbers rejected rows like a spreadsheet: empty lines count, line breaks in cells do not', async () => {
    await importText('phone,note\n\n15005550101,"two\nlines"\n\n1,\n15005550102,\n\n2,\n');
    expect(
      (await readRefused())
        .split('\r\n')
        .slice(1, -1)
        .map((line) => line.split(',')[0]),
    ).toEqual(['5', '8']);
  });

  it('keeps existing contacts, or updates them with --update', async () => {
    await importText('phone,name,email\n15005550101,Ada,\n15005550102,Bob,bob@example.com\n');
    const text =
      'phone,name,email\n15005550101,Ada King,ada@example.com\n15005550102,,\n15005550103,Cy,\n15005550101,No,\n';
    expect((await importText(text)).result).toMatchObject({ created: 1, updated: 0, present: 3, repeated: 0 });
    expect(await listContacts()).toEqual(['15005550101 Ada', '15005550102 Bob bob@example.com', '15005550103 Cy']);

    const updated = await importText(text, '--update');
    expect(updated).toMatchObject({ code: 0, result: { created: 0, updated: 1, present: 2, repeated: 1 } });
    expect(await listContacts()).toEqual([
      '15005550101 Ada King ada@example.com',
      '15005550102 Bob bob@example.com',
      '15005550103 Cy',
    ]);
  });

  it('creates a group and adds all contacts of the file to it', async () => {
    await findOrCreateContact(commands.store.pool, {
      accountId: people.channel.account.id,
      channelId: people.channel.channelId,
      phone: '15005550102',
      at: systemClock.now(),
    });
    await importText('phone\n15005550101\n15005550102\n15005550101\n', '--group', 'Readers');
    await importText('phone\n15005550102\n15005550103\n', '--group', 'Readers');
    const group = await commands.store.prisma.contactGroup.findFirstOrThrow({
      where: { channelId: people.channel.channelId },
      include: { members: true },
    });
    expect(group).toMatchObject({ name: 'Readers', contactCount: 3 });
    expect(group.members).toHaveLength(3);
  });

  it('recognizes a repeated number across batches', async () => {
    const phones = Array.from({ length: 2_500 }, (_, index) => String(15005560000 + index));
    const { result } = await importText(['phone', ...phones, phones[0], phones[2_400], ''].join('\n'));
    expect(result).toMatchObject({ rows: 2_502, created: 2_500, present: 0, repeated: 2 });
    expect((await readRefused()).split('\r\n').slice(1, 3)).toEqual([
      `2502,phone ${phones[0]} is in an earlier row,${phones[0]}`,
      `2503,phone ${phones[2_400]} is in an earlier row,${phones[2_400]}`,
    ]);
    expect(await listContacts()).toEqual(phones);
  });

  it.each([
    ['', 'the file is empty'],
    ['name,email\nAda,\n', 'among them phone'],
    ['phone,name,phone\n1,2,3\n', 'two columns named phone'],
    ['phone,name\n15005550101,"Ada\n', 'the file is not valid CSV'],
    ['phone,name\n', 'there are no rows below the header'],
  ])('rejects the file %j', async (text, reason) => {
    const { code, stderr } = await importText(text);
    expect(code).toBe(1);
    expect(stderr).toContain(reason);
    expect(await commands.store.prisma.contact.count({ where: { channelId: people.channel.channelId } })).toBe(0);
  });

  it('names an unknown channel or file', async () => {
    expect(await importText('phone\n15005550101\n', '--channel', 'none')).toMatchObject({
      code: 1,
      stderr: '{"error":{"message":"there is no channel none"}}\n',
    });
    expect(
      await heliograph('contacts', 'import', join(people.folder, 'none.csv'), '--channel', people.channel.channelId),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ENOENT'),
    });
  });

  it('detects encoding and delimiter, and accepts options for them', async () => {
    const text = 'sep=;\r\nphone;name\r\n+15005550101;Ada, Bob\r\n+15005550102;Jürgen Müller\r\n';
    const names = ['15005550101 Ada, Bob', '15005550102 Jürgen Müller'];
    for (const bytes of [Buffer.from(text, 'latin1'), Buffer.from(`\uFEFF${text}`, 'utf16le'), Buffer.from(text)]) {
      expect(await importText(bytes)).toMatchObject({ code: 0, result: { rows: 2 } });
      expect(await listContacts()).toEqual(names);
      await commands.store.prisma.contact.deleteMany({ where: { channelId: people.channel.channelId } });
      await commands.store.prisma.channel.update({
        where: { id: people.channel.channelId },
        data: { contactCount: 0 },
      });
    }
    const russian = [Buffer.from('phone|name\n+15005550103|'), Buffer.of(0xc8, 0xf0, 0xe0), Buffer.from('\n')];
    await importText(Buffer.concat(russian), '--encoding', 'windows-1251', '--delimiter', '|');
    expect(await listContacts()).toEqual(['15005550103 Ира']);
    const broken = [Buffer.from('phone;name\n+15005550104;M'), Buffer.of(0xfc), Buffer.from('ller\n')];
    expect(await importText(Buffer.concat(broken), '--encoding', 'utf-8')).toMatchObject({
      code: 2,
      result: { refused: 1 },
    });
    expect(await readRefused()).toContain('the row contains NUL or undecodable characters');
  });

  it('requires --country for numbers without +, before it imports anything', async () => {
    await writeFile(people.file, 'phone,name\n+447911123456,Ada\n(415) 555-2671,Bob\n415 555 26,Cy\n');
    const run = (...flags: string[]) =>
      heliograph('contacts', 'import', people.file, '--channel', people.channel.channelId, ...flags);
    const withoutCountry = await run();
    expect(withoutCountry.code).toBe(1);
    expect(withoutCountry.stderr).toContain('2 of 3 numbers have no +, such as (415) 555-2671');
    expect((await run('--country', 'Atlantis')).stderr).toContain('--country must be the ISO code of a country');
    expect(await listContacts()).toEqual([]);

    const preview = await run('--country', 'us', '--preview');
    expect(preview).toMatchObject({ code: 0, stderr: '' });
    expect(preview.stdout).toContain('row 3: (415) 555-2671 is +14155552671, United States\n');
    expect(preview.stdout).toContain('row 4 is rejected: phone is too short for United States (+1)\n');
    expect(preview.stdout).toContain('3 rows, 1 of them rejected. Nothing was imported.');
    expect(await listContacts()).toEqual([]);

    expect((await run('--country', 'US')).code).toBe(2);
    expect(await listContacts()).toEqual(['447911123456 Ada', '14155552671 Bob']);
  });

  it('accepts its own file of rejected rows, without repeating the columns row and reason', async () => {
    await importText('phone,name,town\n12,"Ada, of London",London\n+15005550101,Bob,Bath\n');
    const refusedText = await readRefused();
    await writeFile(people.file, refusedText.replace(',12,', ',+15005550102,'));
    const secondImport = await heliograph('contacts', 'import', people.file, '--channel', people.channel.channelId);
    expect(secondImport.code).toBe(0);
    expect((await listContacts()).sort()).toEqual(['15005550101 Bob', '15005550102 Ada, of London']);
    await writeFile(people.file, refusedText);
    await heliograph('contacts', 'import', people.file, '--channel', people.channel.channelId, '--country', 'US');
    expect((await readRefused()).split('\r\n')[0]).toBe('\uFEFFrow,reason,phone,name,town');
  });

  it('writes rejected rows with the delimiter of the file, so that the same command accepts them', async () => {
    const csvText = 'Nr;phone;name;Straße;Ort;Note\r\n1;+4912;Jürgen;Grüner Weg 1;Köln;"a;b"\r\n';
    await writeFile(people.file, Buffer.from(csvText, 'latin1'));
    const run = () =>
      heliograph('contacts', 'import', people.file, '--channel', people.channel.channelId, '--delimiter', ';');
    expect((await run()).code).toBe(2);
    const refusedText = await readRefused();
    expect(refusedText).toMatch(
      /^\uFEFFrow;reason;Nr;phone;name;Straße;Ort;Note\r\n2;[^;]+;1;\+4912;Jürgen;Grüner Weg 1;Köln;"a;b"\r\n$/,
    );
    await writeFile(people.file, refusedText.replace(';+4912;', ';+4915112345678;'));
    expect((await run()).code).toBe(0);
    expect(await listContacts()).toEqual(['4915112345678 Jürgen']);
  });

  it('shows progress on a terminal', async () => {
    await writeFile(
      people.file,
      ['phone', ...Array.from({ length: 1_500 }, (_, index) => 15005560000 + index)].join('\n'),
    );
    let progress = '';
    const code = await runCli(
      ['contacts', 'import', people.file, '--channel', people.channel.channelId, '--country', 'US'],
      {
        env: { DATABASE_URL: commands.store.url },
        write: () => undefined,
        writeError: (text) => {
          progress += text;
        },
        isTerminal: true,
      },
    );
    expect(code).toBe(0);
    expect(progress).toMatch(/\r\[#*-*\] +\d+ % {2}1,000 rows {2}[\d,]+\/s/);
  });
});

describe('heliograph contacts export', () => {
  it('prints rows that can be imported again, including formulas', async () => {
    const text = buildExportedCsv([
      { phone: '+15005550101', name: 'Lovelace, "Ada"', email: 'ada@example.com' },
      { phone: '+15005550102', name: '=1+1' },
      { phone: '+15005550103', name: 'Cy' },
    ]);
    expect(text).toContain('"Lovelace, ""Ada"""');
    expect(text).toContain("'=1+1");
    await writeFile(people.file, text);
    expect(await heliograph('contacts', 'import', people.file, '--channel', people.channel.channelId)).toMatchObject({
      code: 0,
    });
    expect(await listContacts()).toContain('15005550102 =1+1');
    const exported = await heliograph('contacts', 'export', '--channel', people.channel.channelId);
    expect(exported).toEqual({ code: 0, stdout: text, stderr: '' });
  });

  it('prints only the members of a group', async () => {
    await importText('phone\n15005550101\n15005550102\n');
    await importText('phone\n15005550102\n', '--group', 'Some');
    const { channelId } = people.channel;
    const exported = await heliograph('contacts', 'export', '--channel', channelId, '--group', 'Some');
    expect(exported.stdout).toBe(buildExportedCsv([{ phone: '+15005550102' }]));
    expect(await heliograph('contacts', 'export', '--channel', channelId, '--group', 'None')).toMatchObject({
      code: 1,
      stderr: 'the channel has no group None\n',
    });
  });
});
