import { beforeAll, describe, expect, it } from 'vitest';
import { createAppKey } from '../../src/accounts/keys.js';
import { newId } from '../../src/platform/ids.js';
import { commandsOnTestStore } from './run.js';

const commands = commandsOnTestStore();
const { cli, json, cliWith, cliWithAnswers, createAccount } = commands;
let account: string;
let key: string;

beforeAll(async () => {
  account = await createAccount('Owner');
  key = (await createAppKey(commands.store.prisma, { accountId: account, name: 'Shop', scopes: ['rest'] })).id;
});

it('guard set changes the given limits of an account, and keeps the others', async () => {
  expect((await cli('guard', 'show', account)).stdout).toBe('The account has no limits.\n');
  const set = await cli('guard', 'set', account, '--allow', 'de', '+4477', '--limit', '1000 messages per day');
  expect(set.stdout).toBe(
    'The account may send to DE, +4477.\n  Risky numbers are refused.\n  At most 1000 messages per day.\n',
  );
  await json(
    'guard',
    'set',
    account,
    '--risky',
    'allow',
    '--limit',
    '2.5 money per month',
    '--limit',
    '5 messages per hour per recipient',
  );
  await json('guard', 'set', account, '--key', key, '--allow', 'DE');
  expect(await json('guard', 'show', account)).toEqual({
    accountId: account,
    guard: {
      allowed: ['DE', '+4477'],
      refusesRisky: false,
      limits: [
        { most: '2.50', measure: 'money', span: 'month', scope: 'total', used: '0.00' },
        { most: '5', measure: 'messages', span: 'hour', scope: 'recipient', used: null },
      ],
      watch: null,
    },
    keys: [{ id: key, name: 'Shop', guard: { allowed: ['DE'], refusesRisky: true, limits: [], watch: null } }],
    holds: [],
  });
  expect((await cli('guard', 'show', account)).stdout).toContain('  At most 2.50 money per month, 0.00 used.\n');
  const openedGuard = await json('guard', 'set', account, '--allow-any', '--no-limits');
  expect(openedGuard).toMatchObject({ guard: { allowed: [], refusesRisky: false, limits: [] } });
  expect(await json('guard', 'off', account)).toEqual({ accountId: account, keyId: null, guard: null });
});

it('guard set turns watching on and off, and guard release releases numbers on hold', async () => {
  const on = await cli('guard', 'set', account, '--watch', 'on', '--safe', '+49');
  expect(on.stdout).toContain('  Numbers with suspected SMS pumping are put on hold for 20 minutes, except +49.\n');
  const longerHold = await json('guard', 'set', account, '--hold-minutes', '30');
  expect(longerHold).toMatchObject({ guard: { watch: { holdMinutes: 30, safe: ['+49'] } } });
  const id = newId();
  const until = new Date(Date.now() + 60_000);
  const hold = { id, accountId: account, prefix: '4477', reason: 'codes', messages: 10, heldAt: new Date(), until };
  await commands.store.prisma.spendHold.create({ data: hold });
  expect((await cli('guard', 'show', account)).stdout).toContain(
    `On hold until ${until.toISOString()}: +4477 (codes), ${id}\n`,
  );
  expect((await cli('guard', 'release', id)).stdout).toBe('Messages to +4477 are sent again.\n');
  expect((await cli('guard', 'release', id)).code).toBe(1);
  expect(await json('guard', 'show', account)).toMatchObject({ holds: [] });
  expect(await json('guard', 'set', account, '--watch', 'off')).toMatchObject({ guard: { watch: null } });
});

it.each([
  [['--watch', 'on', '--hold-minutes', '0'], 'watch.holdMinutes must be a whole number'],
  [['--safe', '49'], 'watch.safe must be number prefixes'],
  [['--allow', 'XX'], 'allowed must be countries'],
  [['--allow', '+0'], 'allowed must be countries'],
  [['--limit', 'many'], 'limit must be such as'],
  [['--limit', '1.5 messages per day'], 'limits[0].most must be a whole number'],
  [['--limit', '1.1234567 money per day'], 'limits[0].most must be an amount'],
  [['--limit', '1 messages per day', '--limit', '2 messages per day'], 'limits[1] must not repeat the limit'],
  [['--key', '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55', '--allow', 'DE'], 'has no active key or app'],
])('guard set rejects %j', async (args, reason) => {
  const { code, stderr } = await cli('guard', 'set', account, ...args);
  expect(code).toBe(1);
  expect(stderr).toContain(reason);
});

it('a new account may send anywhere, to its --country, or to the countries of the setting', async () => {
  const readCreatedGuard = async (env: NodeJS.ProcessEnv, ...args: string[]) => {
    const { stdout } = await cliWith(env, '--json', 'account', 'create', 'New', ...args);
    const output = await json('guard', 'show', JSON.parse(stdout).id);
    return (output.guard as { allowed: string[] } | null)?.allowed ?? null;
  };
  const setting = { NEW_ACCOUNT_COUNTRIES: 'DE, AT' };
  expect(await readCreatedGuard({})).toBeNull();
  expect(await readCreatedGuard({}, '--country', 'FR', 'BE')).toEqual(['FR', 'BE']);
  expect(await readCreatedGuard(setting)).toEqual(['DE', 'AT']);
  expect(await readCreatedGuard(setting, '--country', 'FR')).toEqual(['FR']);
});

describe('the country of a new account', () => {
  const QUESTION = 'Country the account may send to, such as DE; any for all';
  const readNewestGuard = async () => {
    const newest = { orderBy: { createdAt: 'desc' } } as const;
    const { spendGuard } = await commands.store.prisma.account.findFirstOrThrow(newest);
    return (spendGuard as { allowed: string[] } | null)?.allowed ?? null;
  };

  it.each([
    ['the country of the locale', { LANG: 'de_DE.UTF-8' }, [''], ' [DE]: ', ['DE']],
    ['LC_ALL before LANG', { LANG: 'de_DE.UTF-8', LC_ALL: 'fr_CH' }, [''], ' [CH]: ', ['CH']],
    ['the input', { LANG: 'de_DE.UTF-8' }, ['at'], ' [DE]: ', ['AT']],
    ['any', { LANG: 'de_DE.UTF-8' }, ['any'], ' [DE]: ', null],
    ['the input if the locale has no country', { LANG: 'C.UTF-8' }, ['', 'AT'], ': ', ['AT']],
    ['the input if the country of the locale has no phone numbers', { LANG: 'en_AQ.UTF-8' }, ['NZ'], ': ', ['NZ']],
  ])('is prompted for on a terminal: %s', async (_what, env, answers, promptEnd, allowed) => {
    const { code, questions } = await cliWithAnswers(env, answers, 'account', 'create', 'Asked');
    expect([code, questions]).toEqual([0, answers.map(() => `${QUESTION}${promptEnd}`)]);
    expect(await readNewestGuard()).toEqual(allowed);
  });

  it('is prompted for again after an invalid input', async () => {
    const { stderr, questions } = await cliWithAnswers({}, ['Germany', 'DE'], 'account', 'create', 'Asked');
    expect(questions).toHaveLength(2);
    expect(stderr).toContain('country must be countries such as DE');
    expect(await readNewestGuard()).toEqual(['DE']);
  });

  it.each([
    ['--country', {}, ['--country', 'FR'], ['FR']],
    ['--country any', {}, ['--country', 'any'], null],
    ['the setting', { NEW_ACCOUNT_COUNTRIES: 'DE' }, [], ['DE']],
    ['the setting any', { NEW_ACCOUNT_COUNTRIES: 'any' }, [], null],
    ['--country any over the setting', { NEW_ACCOUNT_COUNTRIES: 'DE' }, ['--country', 'any'], null],
    ['--json', { LANG: 'de_DE.UTF-8' }, ['--json'], null],
  ])('is not prompted for with %s', async (_what, env, args, allowed) => {
    const { code, questions } = await cliWithAnswers(env, [], 'account', 'create', 'Guarded', ...args);
    expect([code, questions]).toEqual([0, []]);
    expect(await readNewestGuard()).toEqual(allowed);
  });

  it('must be a country', async () => {
    const { code, stderr } = await cli('account', 'create', 'Wrong', '--country', 'any', 'DE');
    expect([code, stderr]).toEqual([1, expect.stringContaining('--country must be countries such as DE')]);
  });

  it('is required: without an answer no account is created', async () => {
    const countBefore = await commands.store.prisma.account.count();
    expect((await cliWithAnswers({}, [], 'account', 'create', 'Gone')).code).toBe(1);
    expect(await commands.store.prisma.account.count()).toBe(countBefore);
  });
});
