import { readdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PersonExport } from '../../../src/features/person-export/export.js';
import { run } from '../../cli/run.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { openFolder } from '../../support/open-folder.js';
import { suiteApp } from '../../support/suite.js';

const ADA = '447700900123';
const BOB = '447700900777';
/** Word that occurs in every text by or about Bob, and in no text about Ada. */
const OTHER = 'charles';

const heliograph = suiteApp();
const folder = openFolder('heliograph-person-');
let channel: TestChannel;

const postSurfaceA = async (url: string, payload: object) => {
  const response = await heliograph.app.inject({ method: 'POST', url, headers: channel.account.headers, payload });
  expect(response.statusCode, response.body).toBe(200);
};

async function createTraces(phone: string, word: string): Promise<void> {
  const contact = await call(heliograph, channel, 'POST', '/contacts', {
    phone,
    name: word,
    email: `${word}@example.com`,
    tags: [`of ${word}`],
  });
  const group = await call(heliograph, channel, 'POST', '/contacts/groups', { name: `friends of ${word}` });
  const ids = { contactId: contact.json().data.id };
  await call(heliograph, channel, 'POST', `/contacts/groups/${group.json().data.id}/add`, ids);
  await playInbound(heliograph, channel, { from: phone, text: `I am ${word}` });
  await call(heliograph, channel, 'POST', '/messages/reply', { to: phone, message: `Hello ${word}` });
  const sms = { to: phone, from: 'Shop', channel: 'sms', message: `Dear ${word}` };
  await postSurfaceA('/v2/send', { ...sms, metadata: { who: word } });
  await postSurfaceA('/v2/send', { ...sms, scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
  await postSurfaceA('/v2/verifications', { to: phone, from: 'Shop', app_name: word });
  await playInbound(heliograph, channel, { from: phone, text: 'STOP' });
}

const runCommand = (...args: string[]) => run({ DATABASE_URL: heliograph.databaseUrl }, ...args);
const exportData = async (...args: string[]): Promise<PersonExport> => {
  const { code, stdout, stderr } = await runCommand('person', 'export', ...args);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
};
const countRows = ({ tables }: PersonExport) =>
  Object.fromEntries(Object.entries(tables).map(([table, rows]) => [table, rows.length]));

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  await createTraces(ADA, 'lovelace');
  await createTraces(BOB, OTHER);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('heliograph person export prints everything about the person, and nothing about others', async () => {
  const exported = await exportData(ADA);
  expect(exported.addresses[0]).toBe(ADA);
  expect(countRows(exported)).toMatchObject({
    ...{
      contacts: 1,
      groups: 1,
      conversations: 1,
      receivedMessages: 2,
      optOuts: 1,
      signInCodes: 1,
      signInCodeLimits: 1,
    },
    // A reply, two SMS (one of which is scheduled), and a sign-in code.
    sentMessages: 4,
  });
  expect(exported.tables.contacts[0]).toMatchObject({
    phone: ADA,
    name: 'lovelace',
    email: 'lovelace@example.com',
    tags: ['of lovelace'],
  });
  expect(exported.tables.sentMessages[1]).toMatchObject({
    ...{ to: ADA, from: 'Shop', text: 'Dear lovelace', segments: 1, price: '0.01', currency: 'USD' },
    metadata: { who: 'lovelace' },
  });
  const text = JSON.stringify(exported);
  expect(text).not.toContain(OTHER);
  expect(text).not.toContain(BOB);
});

it('an export contains no code, hash or key of a sign-in code', async () => {
  const { prisma } = heliograph.deps;
  const code = await prisma.verification.findFirstOrThrow({ where: { recipient: ADA } });
  const { tables } = await exportData(ADA);
  expect(Object.keys(tables.signInCodes[0] ?? {})).not.toContain('sealedCode');
  expect(JSON.stringify(tables)).not.toContain(Buffer.from(code.codeHash ?? []).toString('hex'));
  const texts = tables.sentMessages.map(({ text }) => String(text)).filter((text) => /code/i.test(text));
  expect(texts).toHaveLength(1);
  expect(texts[0]).not.toMatch(/\d{4}/);
});

it('an export of one account contains nothing of other accounts', async () => {
  const otherChannel = await createTestChannel(heliograph.deps);
  expect(Object.values(countRows(await exportData(ADA, '--account', otherChannel.account.id)))).toEqual(
    Object.values(countRows(await exportData(ADA))).map(() => 0),
  );
});

it('--csv saves a file for each table with rows, which only the user can read', async () => {
  const target = join(folder, 'ada');
  const result = await runCommand('person', 'export', ADA, '--csv', target);
  expect(result.code, result.stderr).toBe(0);
  const files = readdirSync(target).sort();
  const tables = Object.entries(countRows(await exportData(ADA))).filter(([, count]) => count > 0);
  expect(files).toEqual(tables.map(([table]) => `${table}.csv`).sort());
  for (const file of files) expect(statSync(join(target, file)).mode & 0o777).toBe(0o600);
  const lines = readFileSync(join(target, 'contacts.csv'), 'utf8').trimEnd().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^\uFEFFid,accountId,channelId,phone,/);
  expect(lines[1]).toContain(`,${ADA},`);
  const repeated = await runCommand('person', 'export', ADA, '--csv', target);
  expect(repeated).toMatchObject({ code: 1, stderr: expect.stringContaining('EEXIST') });
});

it('the audit log names counts, but not the person', async () => {
  await exportData(ADA);
  const entry = await heliograph.deps.prisma.auditLine.findFirstOrThrow({
    where: { action: 'person.export' },
    orderBy: { id: 'desc' },
  });
  expect(entry.after).toMatchObject({ rows: { contacts: 1, sentMessages: 4 } });
  expect(JSON.stringify({ ...entry, at: null })).not.toContain(ADA);
});

it('after an erasure, an export has only the opt-outs that stay', async () => {
  expect(await runCommand('erase', ADA, '--yes')).toMatchObject({ code: 0 });
  const left = Object.entries(countRows(await exportData(ADA))).filter(([, count]) => count > 0);
  expect(left).toEqual([
    ['optOuts', 1],
    ['consents', 2],
  ]);
});

it('the number of a channel is refused, because it is not a person', async () => {
  expect(await runCommand('person', 'export', channel.phoneNumber)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('belongs to the channel'),
  });
});
