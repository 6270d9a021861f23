import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { MESSAGE_STATUSES } from '../../../src/messages/message-status.js';
import { writeArchive } from '../../../src/platform/backup/archive-writer.js';
import type { DumpHead } from '../../../src/platform/backup/dump.js';
import { listOwnObjects } from '../../../src/platform/backup/own-objects.js';
import { applyMigrations } from '../../../src/platform/store/migrations/migrate.js';
import { MIGRATIONS_FOLDER, readMigrations } from '../../../src/platform/store/migrations/migration-files.js';
import { run, runJson } from '../../cli/run.js';
import { createTestAccount } from '../../support/accounts.js';
import { queryRows } from '../../support/processes/embedded-folders.js';
import { accept } from '../../support/sends.js';
import { createTestDatabase } from '../../support/store/databases.js';
import { startHoldingProxy } from '../../support/store/holding-proxy.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const folder = mkdtempSync(join(tmpdir(), 'heliograph-backup-'));
const dataDir = join(folder, 'data');
// A server with the role `api` only accepts messages, so their statuses never change during these tests.
const heliograph = suiteApp({ role: 'api', settings: { SEED_DEMO: 'true', DATA_DIR: dataDir } });
const getSettings = () => ({ DATABASE_URL: heliograph.databaseUrl, DATA_DIR: dataDir });
let files = 0;
const nextFile = () => join(folder, `backup-${++files}.tar.gz`);

afterAll(() => rmSync(folder, { recursive: true }));

async function createEmptyDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase({ empty: true });
  onTestFinished(drop);
  return url;
}

async function digestTables(url: string): Promise<Record<string, string>> {
  const { tables } = listOwnObjects(await readMigrations());
  const rows = await queryRows<{ name: string; digest: string }>(
    url,
    [
      ...tables.map(
        (table) => `SELECT '${table}' AS name, count(*) || ' ' ||
          coalesce(md5(string_agg(each::text, '|' ORDER BY each::text)), '') AS digest FROM ${table} each`,
      ),
      "SELECT sequencename, last_value::text FROM pg_sequences WHERE schemaname = 'public'",
    ].join(' UNION ALL '),
  );
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

async function fillStore(): Promise<void> {
  const { deps, databaseUrl } = heliograph;
  const account = await createTestAccount(deps, { name: 'tab\t, line\nfeed, \\N, \\. and ünïcödé 🛰' });
  const ids = await accept(deps, account, { to: MESSAGE_STATUSES.map((_, index) => `1500555010${index}`) });
  for (const [index, status] of MESSAGE_STATUSES.entries()) {
    const nextLook = ['queued', 'sending', 'sent'].includes(status) ? 'now()' : 'NULL';
    await queryRows(
      databaseUrl,
      `UPDATE messages SET status = '${status}', next_look = ${nextLook} WHERE id = '${ids[index]}'`,
    );
  }
  const { accountId, id } = await deps.prisma.channel.findFirstOrThrow();
  await queryRows(
    databaseUrl,
    `INSERT INTO webhooks (id, account_id, channel_id, url, events, secret)
     VALUES (new_id(), '${accountId}', '${id}', 'https://example.com', '{message.status}', 'whsec_x');
     INSERT INTO early_receipts (carrier, carrier_message_id, status, occurred_at)
     VALUES ('simulator', 'x', 'delivered', now());
     INSERT INTO contact_fields (id, account_id, key, label, type, choices)
     VALUES (new_id(), '${accountId}', 'plan', 'Plan', 'choice', '{basic,pro}');
     INSERT INTO contact_tags (account_id, name) VALUES ('${accountId}', 'vip');
     UPDATE contacts SET tags = '{vip}', fields = '{"plan": "pro"}' WHERE channel_id = '${id}'`,
  );
}

it('a restore is recorded in the transaction that fills the store', async () => {
  const file = nextFile();
  await runJson(getSettings(), 'backup', file);
  const url = await createEmptyDatabase();
  const proxy = await startHoldingProxy(url, (text) => text === 'COMMIT');
  const restoring = run({ DATABASE_URL: proxy.url, DATA_DIR: join(folder, 'killed') }, 'restore', file);
  expect(await proxy.heldStatement).toBe('COMMIT');
  expect(await queryRows(url, 'SELECT action FROM audit_log ORDER BY id DESC LIMIT 1')).toEqual([
    { action: 'store.restore' },
  ]);
  await proxy.close();
  expect(await restoring).toMatchObject({ code: 1 });
});

it('a restored backup copies everything to another store and is recorded in the audit log', async () => {
  await fillStore();
  const digestBefore = await digestTables(heliograph.databaseUrl);
  for (const table of [
    'messages',
    'ledger_entries',
    'contacts',
    'webhooks',
    'operators',
    'templates',
    'early_receipts',
    'contact_fields',
    'contact_tags',
  ]) {
    expect(digestBefore[table], table).not.toMatch(/^0 /);
  }
  const file = nextFile();
  const savedBackup = await runJson<{ rows: number; sums: object }>(getSettings(), 'backup', file);
  expect(savedBackup.sums).toMatchObject({ accounts: '2', unbalanced: '0', underWay: '3' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([]);

  const url = await createEmptyDatabase();
  const target = { DATABASE_URL: url, DATA_DIR: join(folder, 'other') };
  const { stdout, stderr } = await run(target, 'restore', file);
  expect(stderr).toContain('messages: 13 rows\n');
  expect(stdout).toContain('It contains 3 unsent messages');
  const { audit_log: _before, change_history: history, ...expected } = digestBefore;
  const { audit_log: _after, change_history: begun, ...restored } = await digestTables(url);
  expect(restored).toEqual(expected);
  expect(begun).not.toBe(history);
  expect(await runJson(target, 'audit', 'list')).toMatchObject([
    { action: 'store.restore', actorKind: 'cli', after: { rows: savedBackup.rows } },
  ]);
  const demoFile = join(folder, 'other', 'demo.json');
  expect(readFileSync(demoFile)).toEqual(readFileSync(join(dataDir, 'demo.json')));
  expect(statSync(demoFile).mode & 0o777).toBe(0o600);

  const secondRestore = await run(target, 'restore', file);
  expect(secondRestore).toMatchObject({ code: 1, stdout: '' });
  expect(secondRestore.stderr).toContain('The store is not empty: its table accounts has rows');
  await queryRows(url, 'DELETE FROM messages');
  const restoreWithoutUnsent = await run(target, 'restore', '--replace', '--cancel-unsent', file);
  expect(restoreWithoutUnsent.stdout).toContain('Canceled 2 messages that no carrier had accepted, without a refund.');
  expect(
    await queryRows(url, "SELECT count(*)::int AS count FROM messages WHERE status = 'canceled' AND next_look IS NULL"),
  ).toEqual([{ count: 3 }]);
  expect(await queryRows(url, 'SELECT status FROM messages WHERE next_look IS NOT NULL')).toEqual([{ status: 'sent' }]);
  expect((await run(target, 'restore', '--replace', file)).code).toBe(0);
  expect((await digestTables(url)).messages).toBe(digestBefore.messages);

  const targetUrl = await createEmptyDatabase();
  const result = await run(target, 'move', '--to', targetUrl);
  expect(result.stderr).toContain('ledger_entries: ');
  expect(result.stdout).toContain('It is marked as moved');
  const { audit_log: _line, change_history: _moved, ...arrived } = await digestTables(targetUrl);
  expect(arrived).toEqual(expected);
  const [line] = await runJson<{ action: string; subject: string }[]>({ DATABASE_URL: targetUrl }, 'audit', 'list');
  expect(line?.action).toBe('store.move');
  expect(line?.subject).toContain(new URL(targetUrl).pathname);
  expect(line?.subject).not.toContain(new URL(targetUrl).password);
});

it('a backup includes every table that the migrations create', async () => {
  const rows = await queryRows<{ name: string }>(
    heliograph.databaseUrl,
    `SELECT tablename AS name FROM pg_tables JOIN pg_class ON oid = to_regclass(tablename) AND NOT relispartition
     WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`,
  );
  expect(listOwnObjects(await readMigrations()).tables.sort()).toEqual(rows.map(({ name }) => name).sort());
});

it('a backup contains one snapshot, even while messages are accepted', async () => {
  const { deps } = heliograph;
  const account = await createTestAccount(deps, { name: 'Busy' });
  let isSaving = true;
  let sentCount = 0;
  const keepSending = (async () => {
    for (; isSaving; sentCount += 1) await accept(deps, account, { to: ['15005550100', '15005550101'] });
  })();
  await waitFor('the first to be accepted', () => sentCount > 0);
  const file = nextFile();
  const savedBackup = await runJson<{ sums: Record<string, string> }>(getSettings(), 'backup', file);
  isSaving = false;
  await keepSending;
  expect(savedBackup.sums.unbalanced).toBe('0');
  const url = await createEmptyDatabase();
  await runJson({ DATABASE_URL: url, DATA_DIR: join(folder, 'moment') }, 'restore', file);
  const [row] = await queryRows<{ messages: number; charged: string; spent: string }>(
    url,
    `SELECT count(*)::int AS messages, sum(price_micros)::text AS charged, 100000000 - balance_micros AS spent
     FROM messages JOIN accounts ON accounts.id = account_id WHERE accounts.name = 'Busy' GROUP BY balance_micros`,
  );
  expect(row?.messages).toBeGreaterThan(0);
  expect(row?.messages).toBeLessThan(sentCount * 2);
  expect(row?.spent).toBe(row?.charged);
});

it('a store in use can neither be restored into nor moved', async () => {
  const file = nextFile();
  await runJson(getSettings(), 'backup', file);
  const inUseError = /A Heliograph server is using the store/;
  expect((await run(getSettings(), 'restore', '--replace', file)).stderr).toMatch(inUseError);
  expect((await run(getSettings(), 'move', '--to', await createEmptyDatabase())).stderr).toMatch(inUseError);
  expect((await run(getSettings(), 'backup', file)).stderr).toContain('already exists');
});

it('restoring a damaged file reports what is wrong and changes nothing', async () => {
  const file = nextFile();
  await runJson(getSettings(), 'backup', file);
  const completeFile = readFileSync(file);
  const unpacked = gunzipSync(completeFile);
  const restoreContent = async (content: Buffer | string) => {
    const path = nextFile();
    writeFileSync(path, content);
    const missingFolder = join(folder, 'nothing');
    const { code, stderr } = await run({ DATA_DIR: missingFolder }, 'restore', path);
    expect(code).toBe(1);
    expect(readdirSync(folder)).not.toContain('nothing');
    return stderr;
  };
  expect(await restoreContent(completeFile.subarray(0, -1000))).toContain('is damaged: its end is missing');
  const half = Math.floor(completeFile.length / 2);
  const flippedByte = Buffer.from(completeFile);
  flippedByte.writeUInt8((flippedByte[half] as number) ^ 0xff, half);
  expect(await restoreContent(flippedByte)).toContain('is damaged: ');
  const offset = unpacked.indexOf('15005550100');
  const alteredTar = Buffer.from(unpacked);
  alteredTar.write('9', offset);
  expect(await restoreContent(gzipSync(alteredTar))).toMatch(/the rows of the table \w+ have changed/);
  expect(await restoreContent('no backup')).toContain('is not a Heliograph backup');
  expect(await restoreContent(gzipSync(unpacked.subarray(0, -1024 * 3)))).toContain('is damaged: ');
});

it('restoring a backup from a later version is refused', async () => {
  const head: DumpHead = {
    format: 1,
    version: '9.9.9',
    takenAt: new Date().toISOString(),
    migrations: [...(await readMigrations()), { name: '29990101000000_later', checksum: '' }],
    tables: [],
    sequences: [],
    sums: {},
  };
  const path = nextFile();
  await writeArchive({ path, dump: { head, chunks: (async function* () {})() }, files: new Map() });
  const expectRefused = async (file: string) => {
    const { code, stderr } = await run({ DATA_DIR: join(folder, 'nothing') }, 'restore', file);
    expect(code).toBe(1);
    expect(readdirSync(folder)).not.toContain('nothing');
    return stderr;
  };
  expect(await expectRefused(path)).toContain(
    'a later version of Heliograph (9.9.9, with the migration 29990101000000_later)',
  );
  const otherForm = nextFile();
  const unpacked = gunzipSync(readFileSync(path)).toString('latin1').replace('"format": 1', '"format": 2');
  writeFileSync(otherForm, gzipSync(Buffer.from(unpacked, 'latin1')));
  expect(await expectRefused(otherForm)).toContain('created by Heliograph 9.9.9, whose format is newer');
});

it('restoring a backup of an earlier version migrates it', async () => {
  const earlierMigrations = join(folder, 'migrations');
  const names = readdirSync(MIGRATIONS_FOLDER).filter((name) => /^\d/.test(name));
  // Applies the migrations of the first version with an audit log, because a restore is recorded there.
  for (const name of names.filter((migrationName) => migrationName <= '20261122110001_console_operators'))
    cpSync(join(MIGRATIONS_FOLDER, name), join(earlierMigrations, name), { recursive: true });
  const source = await createEmptyDatabase();
  await applyMigrations({ url: source, log: pino({ level: 'silent' }), folder: earlierMigrations });
  await queryRows(
    source,
    `INSERT INTO accounts (id, name, currency, rate_card_id)
    VALUES ('01900000-0000-7000-8000-000000000000', 'Early', 'USD', 'standard')`,
  );
  const file = nextFile();
  await runJson({ DATABASE_URL: source, DATA_DIR: folder }, 'backup', file);
  const url = await createEmptyDatabase();
  const target = { DATABASE_URL: url, DATA_DIR: folder };
  await runJson(target, 'restore', file);
  expect(await runJson(target, 'account', 'list')).toMatchObject([{ name: 'Early' }]);
  const [{ count } = { count: 0 }] = await queryRows<{ count: number }>(
    url,
    'SELECT count(*)::int FROM _prisma_migrations',
  );
  expect(count).toBe(names.length);
});
