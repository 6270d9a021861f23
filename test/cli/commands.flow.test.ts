import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { hashKey } from '../../src/accounts/keys.js';
import { newId } from '../../src/platform/ids.js';
import { readMigrations } from '../../src/platform/store/migrations/migration-files.js';
import { createTestDatabase } from '../support/store/databases.js';
import { commandsOnTestStore, run, runJson } from './run.js';

const commands = commandsOnTestStore();
const { cli, json } = commands;

describe('heliograph account', () => {
  it('create adds an account, and list shows it', async () => {
    const result = await cli('account', 'create', 'Acme Corporation');
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toMatch(/^Created account [0-9a-f-]{36} \(Acme Corporation\)\.\n$/);
    const { stdout } = await cli('account', 'list');
    expect(stdout).toMatch(/^ID +NAME +BALANCE +CURRENCY +RATE CARD +STATE\n/);
    expect(stdout).toMatch(/\n[0-9a-f-]{36} +Acme Corporation +0\.00 +USD +standard +on\n/);
  });

  it('credit adds to the balance and prints it', async () => {
    const id = await commands.createAccount('Credit');
    expect((await cli('account', 'credit', id, '12.34', '--note', 'invoice 7')).stdout).toBe(
      'Added 12.34 USD; the balance is 12.34 USD.\n',
    );
    expect(await json('account', 'credit', id, '0.000001')).toEqual({
      accountId: id,
      amount: '0.000001',
      balance: '12.340001',
      currency: 'USD',
    });
    const accounts = await json<{ id: string; balance: string }[]>('account', 'list');
    expect(accounts.find((account) => account.id === id)).toMatchObject({ balance: '12.340001', rateCard: 'standard' });
    const line = await commands.store.prisma.ledgerEntry.findFirstOrThrow({
      where: { accountId: id },
      orderBy: { id: 'asc' },
    });
    expect(line.note).toBe('invoice 7');
  });

  it('correct takes back credit with a reason, but never more than the balance', async () => {
    const id = await commands.createAccount('Correction');
    await json('account', 'credit', id, '100');
    expect((await cli('account', 'correct', id, '90.5', '--note', 'typed one nought too many')).stdout).toBe(
      'Took back 90.50 USD; the balance is 9.50 USD.\n',
    );
    expect((await cli('account', 'correct', id, '9.51', '--note', 'more')).stderr).toBe(
      'amount would lower the balance below zero; it is 9.50\n',
    );
    expect((await cli('account', 'correct', id, '1', '--note', ' ')).stderr).toBe('note must give the reason\n');
    expect((await cli('account', 'correct', id, '1')).stderr).toContain("required option '--note <text>'");
    expect(await json('account', 'ledger', id)).toMatchObject([
      { kind: 'credit', amount: '-90.50', balanceAfter: '9.50', note: 'typed one nought too many' },
      { kind: 'credit', amount: '100.00', balanceAfter: '100.00' },
    ]);
  });

  it('accepts --json before and after the command', async () => {
    for (const args of [
      ['--json', 'account', 'list'],
      ['account', 'list', '--json'],
    ]) {
      expect(JSON.parse((await cli(...args)).stdout)).toBeInstanceOf(Array);
    }
  });
});

describe('heliograph app', () => {
  it('create shows the key once, list never does, and revoke revokes it', async () => {
    const accountId = await commands.createAccount('Apps');
    const result = await cli('app', 'create', accountId, 'Web shop');
    const key = /^hg_live_[\w-]{43}$/m.exec(result.stdout)?.[0] ?? '';
    const row = await commands.store.prisma.apiKey.findUniqueOrThrow({ where: { keyHash: hashKey(key) } });
    expect(row).toMatchObject({ accountId, name: 'Web shop', surface: 'a', scopes: ['rest'], revokedAt: null });

    const listBefore = await cli('app', 'list', '--account', accountId);
    expect(listBefore.stdout).toContain(`Web shop  rest    …${key.slice(-4)}`);
    expect(listBefore.stdout).not.toContain(key);

    expect((await cli('app', 'revoke', row.id)).stdout).toBe(`App ${row.id} is revoked.\n`);
    const listAfter = await json<{ id: string; revokedAt: string }[]>('app', 'list', '--account', accountId);
    expect(listAfter).toMatchObject([{ id: row.id, revokedAt: expect.stringMatching(/^\d{4}-.*Z$/) }]);
  });

  it('create prints the ID and the key with --json', async () => {
    const accountId = await commands.createAccount('Scripts');
    const created = await json<{ id: string; key: string }>('app', 'create', accountId, 'Bot', '--scope', 'rest');
    expect(created).toEqual({
      ...{ id: expect.any(String), accountId, name: 'Bot', scopes: ['rest'], key: expect.any(String) },
      accountSid: `AC${accountId.replaceAll('-', '')}`,
      keySid: `SK${created.id.replaceAll('-', '')}`,
    });
    const row = await commands.store.prisma.apiKey.findUniqueOrThrow({ where: { id: created.id } });
    expect(Buffer.from(row.keyHash)).toEqual(hashKey(created.key));
  });
});

describe('heliograph rate', () => {
  it('set changes a price and list shows it', async () => {
    expect((await cli('rate', 'set', '0.075', '--calling-code', '49')).stdout).toBe(
      'The price for +49 of sms on the card standard is 0.075.\n',
    );
    expect((await cli('rate', 'set', '0.02', '--kind', 'whatsapp')).stdout).toBe(
      'The default price of whatsapp on the card standard is 0.02.\n',
    );
    expect(await json('rate', 'list', '--card', 'standard')).toEqual([
      { card: 'standard', kind: 'sms', callingCode: null, price: '0.01', currency: 'USD' },
      { card: 'standard', kind: 'sms', callingCode: '49', price: '0.075', currency: 'USD' },
      { card: 'standard', kind: 'whatsapp', callingCode: null, price: '0.02', currency: 'USD' },
    ]);
  });

  it('create-card adds a card that accounts can use', async () => {
    await cli('rate', 'create-card', 'euro', 'EUR', '--sms', '0.05', '--whatsapp', '0.04');
    expect(await json('account', 'create', 'Europe', '--rate-card', 'euro')).toMatchObject({ currency: 'EUR' });
  });
});

describe('heliograph migrate', () => {
  it('creates the tables of an empty store; until then, other commands refer to it', async () => {
    const empty = await createTestDatabase({ empty: true });
    try {
      const env = { DATABASE_URL: empty.url };
      expect(await run(env, 'account', 'list')).toMatchObject({
        code: 1,
        stdout: '',
        stderr: 'The database has no tables, or outdated ones: run "heliograph migrate" first.\n',
      });
      const first = await run(env, 'migrate');
      expect(first).toMatchObject({ code: 0, stderr: '' });
      const lines = (await readMigrations()).map(({ name }) => `Applied ${name}\n`);
      expect(first.stdout).toBe(`${lines.join('')}The database is up to date.\n`);
      expect(await runJson(env, 'migrate')).toEqual({ migrated: true, applied: [] });
      expect(await run(env, 'account', 'list')).toMatchObject({ code: 0 });
    } finally {
      await empty.drop();
    }
  });

  it('accepts a store migrated by a later version only with ALLOW_NEWER_STORE', async () => {
    const laterStore = await createTestDatabase();
    const client = new pg.Client({ connectionString: laterStore.url });
    try {
      await client.connect();
      await client.query(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
         VALUES ('later', 'unknown', '99990101000000_later', now())`,
      );
      const env = { DATABASE_URL: laterStore.url };
      expect(await run(env, 'migrate')).toMatchObject({ code: 1, stdout: '' });
      expect(await run({ ...env, ALLOW_NEWER_STORE: 'true' }, 'migrate')).toMatchObject({
        code: 0,
        stdout: 'The database is up to date.\n',
      });
    } finally {
      await client.end();
      await laterStore.drop();
    }
  });
});

describe('error messages', () => {
  const unknown = newId();
  it.each([
    [['account', 'credit', unknown, '1'], `there is no account ${unknown}\n`],
    [
      ['account', 'credit', unknown, '1,5'],
      '"1,5" is not an amount: write digits with at most 6 decimals, such as 12.34\n',
    ],
    [['account', 'credit', unknown, '0'], 'amount must be greater than zero\n'],
    [['account', 'create', 'A', '--rate-card', 'none'], 'there is no rate card none\n'],
    [['account', 'create', ' '], 'name must not be empty\n'],
    [['app', 'create', unknown, 'A', '--scope', 'root'], 'scopes has no root; the scopes are rest\n'],
    [['app', 'revoke', 'x'], 'there is no app x\n'],
    [['rate', 'set', '1', '--card', 'none'], 'there is no rate card none\n'],
    [['rate', 'set', '1', '--kind', 'fax'], /option '--kind <kind>' argument 'fax' is invalid/],
    [['rate', 'set', '1', '--calling-code', ''], /must not be empty/],
    [['account', 'create'], /missing required argument 'name'/],
    [['acount', 'list'], /unknown command 'acount'/],
  ])('%j goes to standard error with exit code 1', async (args, message) => {
    const result = await cli(...args);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    if (typeof message === 'string') expect(result.stderr).toBe(message);
    else expect(result.stderr).toMatch(message);
  });

  it('name all invalid settings', async () => {
    const result = await run({ PORT: 'x', DATABASE_URL: 'mysql://host/db' }, 'account', 'list');
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/PORT/);
    expect(result.stderr).toMatch(/DATABASE_URL/);
  });

  it('of an unreachable store do not show its password', async () => {
    const result = await run({ DATABASE_URL: 'postgresql://u:secret@127.0.0.1:1/db' }, 'account', 'list');
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/Cannot reach PostgreSQL.*127\.0\.0\.1:1/);
    expect(result.stderr).not.toContain('secret');
  });

  it('do not appear for --help and --version', async () => {
    expect(await cli('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('account') });
    expect(await cli('--version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it('are avoided by --help, which shows required and global options', async () => {
    const { stdout } = await cli('account', 'correct', '--help');
    expect(stdout).toMatch(/--note <text> .*\(required\)/);
    expect(stdout).toMatch(/--json .*for scripts/);
    expect((await cli('erase', '--help')).stdout).not.toContain('default: false');
  });
});
