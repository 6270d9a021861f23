import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/cli/program.js';
import type { AuditLine } from '../../src/platform/generated/prisma/client.js';
import { newId } from '../../src/platform/ids.js';
import { VendorStub } from '../support/carriers/vendor/vendor-stub.js';
import { commandsOnTestStore } from './run.js';

const commands = commandsOnTestStore({ env: { CARRIER_PRIVATE_HOSTS: '127.0.0.1' } });
const { json, createAccount } = commands;

/** Commands that this test skips, mostly because they change no stored data. */
const READING = [
  'account ledger',
  'carrier types',
  'carrier check',
  'carrier status',
  'carrier calls',
  'guard show',
  'carrier show',
  'contacts export',
  'simulator codes',
  'sign-in counts',
  'backup verify',
  'doctor',
  'store url',
  // The command `store orphans` removes orphaned clusters together with their audit logs.
  'store orphans',
  // The audit log entries of these commands are checked in which-store.flow.test.ts, webhooks.flow.test.ts and
  // partition.flow.test.ts.
  'callbacks show',
  'store reclaim',
  'store partition',
  'webhook failing',
  'webhook resend',
  // The commands `restore` and `move` fill another store, where test/features/backup checks their audit log entries.
  'restore',
  'move',
  // The commands `serve` and `migrate` start servers or change tables, but no data.
  'serve',
  'migrate',
];

function listCommands(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(' ')];
  return command.commands.flatMap((subcommand) => listCommands(subcommand, [...path, subcommand.name()]));
}

const changingCommands = listCommands(buildProgram({ write: () => undefined, writeError: () => undefined })).filter(
  (command) => !READING.includes(command) && !command.endsWith(' list'),
);
const testedCommands = new Set<string>();
const secrets = ['smsc-password', 'another-password'];
let folder: string;
let account: string;

const listEntries = () => commands.store.prisma.auditLine.findMany({ orderBy: { id: 'asc' } });

const digestTables = () =>
  commands.store.prisma.$queryRaw`
    SELECT tablename, md5(query_to_xml(format('SELECT t::text FROM %I t ORDER BY 1', tablename), false, false, '')::text)
    FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`;

async function expectRollbackWithoutEntry(command: string, args: readonly string[]): Promise<void> {
  const { prisma } = commands.store;
  const digestsBefore = await digestTables();
  await prisma.$executeRaw`CREATE TRIGGER no_lines BEFORE INSERT ON audit_log EXECUTE FUNCTION refuse_line()`;
  const { code } = await commands.cli(...command.split(' '), ...args);
  await prisma.$executeRaw`DROP TRIGGER no_lines ON audit_log`;
  expect(code, `${command} without its audit log entry`).not.toBe(0);
  expect(await digestTables(), `changes by ${command} without its audit log entry`).toEqual(digestsBefore);
}

async function runAudited(
  command: string,
  ...args: string[]
): Promise<{ output: Record<string, string>; entry: AuditLine }> {
  await expectRollbackWithoutEntry(command, args);
  const entryCount = (await listEntries()).length;
  const output = await json<Record<string, string>>(...command.split(' '), ...args);
  testedCommands.add(command);
  const addedEntries = (await listEntries()).slice(entryCount);
  expect(addedEntries, command).not.toHaveLength(0);
  for (const { actorKind, actorName, at } of addedEntries) {
    expect([actorKind, actorName]).toEqual(['cli', userInfo().username]);
    expect(Math.abs(at.getTime() - Date.now())).toBeLessThan(3_600_000);
  }
  for (const secret of [output.key, output.secret, output.signInUrl?.split('token=')[1]])
    if (secret) secrets.push(secret);
  return { output, entry: addedEntries.at(-1) as AuditLine };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'heliograph-audit-'));
  account = await createAccount('Audited');
  await commands.store.prisma.$executeRaw`
    CREATE FUNCTION refuse_line() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no line'; END $$`;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the audit log records every change of', () => {
  it('accounts and prices', async () => {
    const { entry } = await runAudited('account create', 'Another');
    expect(entry).toMatchObject({ action: 'account.create', accountId: entry.subject, after: { name: 'Another' } });
    await runAudited('account credit', account, '12.34', '--note', 'invoice 7');
    const { entry: correction } = await runAudited('account correct', account, '2.34', '--note', 'it was 10');
    expect(correction).toMatchObject({ action: 'account.correct', after: { amount: '-2.34', note: 'it was 10' } });
    const change = async (...args: [string, ...string[]]) => {
      const { before, after, accountId } = (await runAudited(args[0], account, ...args.slice(1))).entry;
      expect(accountId).toBe(account);
      return { before, after };
    };
    expect(await change('account disable')).toEqual({ before: { isActive: true }, after: { isActive: false } });
    expect(await change('account enable')).toEqual({ before: { isActive: false }, after: { isActive: true } });
    await change('account low-balance', '5');
    expect(await change('account low-balance', '7')).toEqual({
      before: { lowBalance: '5.00' },
      after: { lowBalance: '7.00' },
    });
    expect(await change('account senders', 'Acme')).toEqual({
      before: { senderIds: [] },
      after: { senderIds: ['Acme'] },
    });
    expect(await change('account default-country', 'DE')).toEqual({
      before: { defaultCountry: null },
      after: { defaultCountry: 'DE' },
    });
    expect(await change('account stop-scope', 'marketing')).toEqual({
      before: { stopScope: 'all' },
      after: { stopScope: 'marketing' },
    });
    expect(await change('account frequency-cap', '3', '--days', '7')).toEqual({
      before: { frequencyCap: null },
      after: { frequencyCap: '3 in 7 days' },
    });
    expect(await change('account quiet-hours', 'fr')).toEqual({
      before: { quietHours: null },
      after: { quietHours: 'fr' },
    });
    await runAudited('rate create-card', 'dear', 'USD', '--sms', '0.5', '--whatsapp', '0.4');
    expect(await change('account rate-card', 'dear')).toEqual({
      before: { rateCard: 'standard' },
      after: { rateCard: 'dear' },
    });
    await commands.store.pool.query(
      `INSERT INTO messages (id, account_id, created_at, valid_until, next_look, price_micros, surface, kind, priority, parts,
         carrier, sender, recipient, body)
       VALUES ($1, $2, now(), now() + interval '1 day', now() + interval '1 hour', 10000, 'a', 'sms', 0, 1, 'simulator',
         'Acme', '15005550111', 'Hello')`,
      [newId(), account],
    );
    const { entry: canceled } = await runAudited('account cancel-waiting', account);
    expect(canceled).toMatchObject({ action: 'account.cancelWaiting', subject: account, after: { messages: 1 } });
    const price = ['--calling-code', '49', '--card', 'dear'];
    expect((await runAudited('rate set', '0.07', ...price)).entry.before).toBeNull();
    expect((await runAudited('rate set', '0.08', ...price)).entry).toMatchObject({
      before: { callingCode: '49', price: '0.07' },
      after: { callingCode: '49', price: '0.08' },
    });
    expect((await runAudited('rate remove', '49', '--card', 'dear')).entry.before).toMatchObject({ price: '0.08' });
  });

  it('opt-out words and opt-outs', async () => {
    await runAudited('account opt-out-words add', account, 'basta');
    const { entry } = await runAudited('account opt-out-words add', account, 'basta', '--meaning', 'start');
    expect(entry).toMatchObject({ subject: 'basta', before: { meaning: 'stop' }, after: { meaning: 'start' } });
    await runAudited('account opt-out-words remove', account, 'basta');
    const from = ['--account', account, '--sender', 'Acme'];
    // The subject is always the number's digits, so that an erasure finds the entry.
    for (const command of ['opt-out add', 'opt-out remove']) {
      expect((await runAudited(command, '+1 (500) 555-0111', ...from)).entry.subject).toBe('15005550111');
    }
  });

  it('test messages to carriers, which are not sent if they cannot be recorded', async () => {
    const vendor = new VendorStub();
    await vendor.start();
    vendor.respond = () => ({ status: 200, body: { id: 'x-1' } });
    await commands.json('carrier', 'add', 'web', '--type', 'http', '--set', `url=${vendor.url}`, '--set', 'idPath=id');
    const { output, entry } = await runAudited('carrier try', 'web', '--to', '15005550010', '--from', 'Heliograph');
    expect(output).toMatchObject({ ok: true, carrierMessageId: 'x-1' });
    expect(entry).toMatchObject({ action: 'carrier.try', subject: 'web', after: { from: 'Heliograph', to: '…010' } });
    expect(vendor.requests).toHaveLength(1);
    await vendor.stop();
  });

  it('carriers, routes, channels, keys and contacts', async () => {
    const settings = ['--set', 'host=smsc.example.com', '--set', 'systemId=helio', '--set', 'password=smsc-password'];
    await runAudited('carrier add', 'smsc', '--type', 'smpp', ...settings);
    const { entry } = await runAudited('carrier set', 'smsc', '--set', 'password=another-password', '--off');
    expect(entry).toMatchObject({
      action: 'carrier.change',
      before: { isActive: true },
      after: { isActive: false, changed: ['password'] },
    });
    expect((await runAudited('callbacks replay')).entry).toMatchObject({ action: 'callbacks.replay', accountId: null });
    const { output: route } = await runAudited('route add', 'smsc', '--account', account);
    const removal = (await runAudited('route remove', route.id as string)).entry;
    expect(removal).toMatchObject({ action: 'route.remove', accountId: account, before: { carriers: ['smsc'] } });
    expect((await runAudited('carrier remove', 'smsc')).entry.before).toMatchObject({ type: 'smpp' });

    const creation = await runAudited(
      'channel create',
      '--account',
      account,
      '--name',
      'Main',
      '--phone',
      '4915112345678',
    );
    const channel = creation.output.id as string;
    expect((await runAudited('channel set', channel, '--off')).entry).toMatchObject({
      action: 'channel.change',
      accountId: account,
      before: { isActive: true },
      after: { isActive: false },
    });
    const pausedAt = new Date();
    await commands.store.prisma.channel.update({ where: { id: channel }, data: { pausedAt, pauseCode: 'REFUSED' } });
    await runAudited('channel resume', channel);
    expect((await runAudited('account keyword-replies', account, '--on', '--contact', '1500')).entry).toMatchObject({
      accountId: account,
      after: { isOn: true, contact: '1500' },
    });
    expect((await runAudited('channel keyword-replies', channel, '--off')).entry).toMatchObject({
      accountId: account,
      after: { isOn: false },
    });

    const { output: app } = await runAudited('app create', account, 'Web shop');
    expect((await runAudited('guard set', account, '--key', app.id as string, '--allow', 'DE')).entry).toMatchObject({
      action: 'guard.change',
      subject: app.id,
      accountId: account,
      before: { guard: null },
      after: { guard: { allowed: ['DE'], refusesRisky: true, limits: [], watch: null } },
    });
    await runAudited('guard off', account, '--key', app.id as string);
    const holdId = newId();
    const hold = { id: holdId, accountId: account, prefix: '4477', reason: 'codes', messages: 10, heldAt: new Date() };
    await commands.store.prisma.spendHold.create({ data: { ...hold, until: new Date(Date.now() + 60_000) } });
    const { entry: released } = await runAudited('guard release', holdId);
    expect(released).toMatchObject({
      accountId: account,
      subject: holdId,
      after: { prefix: '+4477', reason: 'codes' },
    });
    const revoked = (await runAudited('app revoke', app.id as string)).entry;
    expect(revoked).toMatchObject({ accountId: account, before: { name: 'Web shop' } });
    const { output: key } = await runAudited('key create', '--account', account, '--name', 'CRM', '--channel', channel);
    await runAudited('key revoke', key.id as string);
    const { output: spare } = await runAudited(
      'channel create',
      '--account',
      account,
      '--name',
      'Spare',
      '--phone',
      '4915112345679',
    );
    const deletion = (await runAudited('channel delete', spare.id as string)).entry;
    expect(deletion).toMatchObject({ accountId: account, before: { name: 'Spare', phoneNumber: '4915112345679' } });

    const file = join(folder, 'people.csv');
    await writeFile(file, 'phone,name\n15005550111,Ada\n');
    expect((await runAudited('erase', '15005550199', '--yes')).entry).toMatchObject({
      action: 'person.erase',
      accountId: null,
    });
    const { entry: exported } = await runAudited('person export', '15005550198');
    expect(exported).toMatchObject({ action: 'person.export', accountId: null, after: { rows: {} } });
    await runAudited('contacts import', file, '--channel', channel, '--country', 'international');
    const entries = (await listEntries()).slice(-2);
    expect(entries).toMatchObject([
      { action: 'import.start', accountId: account, after: { fileName: 'people.csv' } },
      { action: 'import.end', accountId: account, after: { created: 1 } },
    ]);
  });

  it('sign-in services', async () => {
    const { output, entry } = await runAudited('sign-in add', account, '--app-name', 'Acme', '--from', 'Acme');
    const service = output.id as string;
    expect(output.serviceSid).toBe(`VA${service.replaceAll('-', '')}`);
    expect(entry).toMatchObject({ action: 'service.add', accountId: account, subject: service });
    const { output: hook } = await runAudited(
      'sign-in add',
      account,
      '--app-name',
      'A',
      '--from',
      'A',
      '--type',
      'supabase',
    );
    expect((await runAudited('sign-in secret', hook.id as string)).entry).toMatchObject({
      action: 'service.secret',
      after: { type: 'supabase' },
    });
    expect((await runAudited('sign-in remove', service)).entry).toMatchObject({
      action: 'service.remove',
      accountId: account,
      before: { type: 'verify', appName: 'Acme' },
    });
  });

  it('operators', async () => {
    await runAudited('operator create', 'ada');
    for (const command of ['operator link', 'operator reset']) await runAudited(command, 'ada');
    await runAudited('operator role', 'ada', '--role', 'viewer', '--account', account);
    await runAudited('operator create', 'bob');
    await runAudited('operator set', 'ada', '--off');
    await runAudited('operator remove', 'ada');
  });

  it('every other command that changes data', () => {
    expect(changingCommands.filter((command) => !testedCommands.has(command))).toEqual([]);
    expect(changingCommands.length).toBeGreaterThan(25);
  });

  it('any kind, without secrets', async () => {
    const text = JSON.stringify(await listEntries());
    expect(secrets.length).toBeGreaterThan(6);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });
});
