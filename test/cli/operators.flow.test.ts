import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashKey } from '../../src/accounts/keys.js';
import { commandsOnTestStore, runJson } from './run.js';

// Uses a data folder that does not exist, because otherwise links would contain the address from a developer's own
// demo.json.
const commands = commandsOnTestStore({ env: { DATA_DIR: 'no-such-folder' } });
const { cli, json, createAccount } = commands;

interface Link {
  name: string;
  signInUrl: string;
  expiresAt: string;
}
interface Row {
  name: string;
  isActive: boolean;
  hasPassword: boolean;
  grants: { role: string; accountId: string | null }[];
}

const find = async (name: string) => (await json<Row[]>('operator', 'list')).find((operator) => operator.name === name);

describe('heliograph operator', () => {
  it('create adds an operator and prints a link, which is stored as a hash', async () => {
    const { stdout } = await cli('operator', 'create', 'Ada');
    expect(stdout).toMatch(/^Created operator ada\. This link works once, until \S+, and is shown only once:/);
    const token = /http:\/\/127\.0\.0\.1:3000\/console\/sign-in#token=([\w-]{43})\n/.exec(stdout)?.[1] ?? '';
    const { prisma } = commands.store;
    expect(await prisma.signInLink.count({ where: { tokenHash: hashKey(token) } })).toBe(1);
    expect(await find('ada')).toMatchObject({ isActive: true, grants: [{ role: 'owner', accountId: null }] });
    expect((await cli('operator', 'list')).stdout).toMatch(/ada +on +owner of the installation +no/);
    expect((await cli('operator', 'create', 'ADA')).stderr).toBe('the operator ada already exists\n');
  });

  it('link uses the address of the running server unless a setting overrides it', async () => {
    await json('operator', 'create', 'dora');
    const folder = await mkdtemp(join(tmpdir(), 'heliograph-link-'));
    await writeFile(join(folder, 'demo.json'), JSON.stringify({ baseUrl: 'http://127.0.0.1:4567' }));
    const env = { DATABASE_URL: commands.store.url, DATA_DIR: folder };
    const createLink = async (settings: NodeJS.ProcessEnv) =>
      (await runJson<Link>({ ...env, ...settings }, 'operator', 'link', 'dora')).signInUrl.split('#')[0];
    expect(await createLink({})).toBe('http://127.0.0.1:4567/console/sign-in');
    expect(await createLink({ PORT: '8080' })).toMatch(/:8080\/console/);
    expect(await createLink({ CONSOLE_URL: 'https://console.example' })).toBe(
      'https://console.example/console/sign-in',
    );
    await rm(folder, { recursive: true });
  });

  it('role sets and removes the role for an account', async () => {
    const account = await createAccount('Shop');
    await json('operator', 'create', 'bob', '--role', 'viewer', '--account', account);
    await json('operator', 'role', 'bob', '--role', 'developer', '--account', account);
    expect((await find('bob'))?.grants).toEqual([{ role: 'developer', accountId: account }]);
    expect((await cli('operator', 'role', 'bob', '--account', account, '--none')).stdout).toBe(
      `bob has no role for the account ${account}. Removed: developer of the account ${account}.\n`,
    );
    expect((await find('bob'))?.grants).toEqual([]);
  });

  it('role for the installation keeps roles for accounts, except with --all', async () => {
    const account = await createAccount('Kept');
    await json('operator', 'create', 'eve', '--role', 'developer', '--account', account);
    const accountRole = { role: 'developer', accountId: account };
    const changeRole = (...options: string[]) => cli('operator', 'role', 'eve', ...options);
    expect((await changeRole('--role', 'viewer')).stdout).toBe('eve is viewer of the installation.\n');
    expect((await find('eve'))?.grants).toEqual([accountRole, { role: 'viewer', accountId: null }]);
    expect((await changeRole('--role', 'owner')).stdout).toBe(
      'eve is owner of the installation. Removed: viewer of the installation.\n',
    );
    expect(await json('operator', 'role', 'eve', '--none')).toMatchObject({
      role: null,
      taken: [{ role: 'owner', accountId: null }],
    });
    expect((await find('eve'))?.grants).toEqual([accountRole]);
    expect((await changeRole('--none')).stderr).toBe('The operator eve has no role for the installation.\n');
    for (const options of [['--all'], ['--none', '--all', '--account', account]]) {
      expect((await changeRole(...options)).stderr).toContain("option '--all' can only be used with '--none'");
    }
    expect((await find('eve'))?.grants).toEqual([accountRole]);
    expect((await changeRole('--none', '--all')).stdout).toBe(
      `eve has no role for any account or the installation. Removed: developer of the account ${account}.\n`,
    );
    expect((await find('eve'))?.grants).toEqual([]);
  });

  it('link and reset print new links and invalidate earlier ones', async () => {
    const { signInUrl } = await json<Link>('operator', 'create', 'cleo');
    const { prisma } = commands.store;
    await prisma.operator.update({ where: { name: 'cleo' }, data: { passwordHash: 'x' } });
    const listLinks = () => prisma.signInLink.findMany({ where: { operator: { name: 'cleo' } } });
    const second = await json<Link>('operator', 'link', 'Cleo');
    expect(second.signInUrl).not.toBe(signInUrl);
    expect(await listLinks()).toHaveLength(1);
    expect((await find('cleo'))?.hasPassword).toBe(true);
    await json('operator', 'reset', 'cleo');
    expect(await listLinks()).toHaveLength(1);
    expect((await find('cleo'))?.hasPassword).toBe(false);
    expect((await cli('operator', 'link', 'nobody')).stderr).toBe('there is no operator nobody\n');
  });

  it('set and remove never remove the last owner of the installation', async () => {
    await json('operator', 'create', 'dan');
    await json('operator', 'set', 'dan', '--off');
    expect((await find('dan'))?.isActive).toBe(false);
    for (const { name } of await json<Row[]>('operator', 'list'))
      if (name !== 'ada') await json('operator', 'remove', name);
    const lastOwnerError = 'This is the last owner of the installation. Add another owner first.\n';
    expect((await cli('operator', 'remove', 'ada')).stderr).toBe(lastOwnerError);
    expect((await cli('operator', 'set', 'ada', '--off')).stderr).toBe(lastOwnerError);
    expect((await cli('operator', 'role', 'ada', '--role', 'viewer')).stderr).toBe(lastOwnerError);
  });
});

describe('heliograph audit list', () => {
  it('shows changes by commands and their user, without secrets', async () => {
    const account = await createAccount('Watched');
    const { id, key } = await json<{ id: string; key: string }>('app', 'create', account, 'Shop');
    await json('app', 'revoke', id);
    await json('account', 'credit', account, '12.5', '--note', 'Paid');
    await json('rate', 'set', '0.02', '--calling-code', '49');
    const lines = await json<{ action: string; accountId: string | null }[]>('audit', 'list', '--account', account);
    expect(lines.map(({ action }) => action)).toEqual(['account.credit', 'app.revoke', 'app.create', 'account.create']);
    expect(lines[0]).toMatchObject({
      actorKind: 'cli',
      actorName: userInfo().username,
      subject: account,
      after: { amount: '12.50', note: 'Paid' },
    });
    expect(lines[2]).toMatchObject({ subject: id, after: { name: 'Shop', scopes: ['rest'] } });
    const rateEntries = (await cli('audit', 'list', '--action', 'rate')).stdout;
    expect(rateEntries).toContain('rate.set');
    expect(rateEntries).not.toContain('app.create');
    expect(JSON.stringify(lines)).not.toContain(key.slice(10));
  });

  it('does not show failed commands', async () => {
    const entriesBefore = await json<object[]>('audit', 'list');
    expect((await cli('app', 'revoke', crypto.randomUUID())).code).toBe(1);
    expect(await json<object[]>('audit', 'list')).toHaveLength(entriesBefore.length);
  });
});
