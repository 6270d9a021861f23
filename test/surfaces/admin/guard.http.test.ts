import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { buildGuard, buildLimit } from '../../support/guards.js';
import { ManualClock } from '../../support/manual-clock.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { sendV2 } from '../a/requests.js';

// The clock stands still, so that no limit's day or month ends during the tests.
const api = suiteApp({ clock: new ManualClock() });
let owner: TestOperator;
let accountOwner: TestOperator;
let developer: TestOperator;
let account: TestAccount;
let keyId: string;
beforeAll(async () => {
  owner = await createTestOperator(api);
  account = await createTestAccount(api.deps);
  accountOwner = await createTestOperator(api, { accountId: account.id });
  developer = await createTestOperator(api, { accountId: account.id, role: 'developer' });
  keyId = (await api.deps.prisma.apiKey.findFirstOrThrow({ where: { accountId: account.id } })).id;
});

const GUARD = buildGuard({ allowed: ['us'], limits: [buildLimit('3'), buildLimit('1.00', 'money', 'month')] });

it('the guard of an account is set by owners of the installation, shows its usage, and is removed', async () => {
  const path = `/accounts/${account.id}/guard`;
  expect((await developer.ask('GET', path)).json().data).toMatchObject({ currency: 'USD', guard: null });
  expect((await accountOwner.ask('PUT', path, { guard: GUARD })).statusCode).toBe(403);
  const setResponse = await owner.ask('PUT', path, { guard: GUARD });
  expect(setResponse.json().data.guard).toEqual({
    allowed: ['US'],
    refusesRisky: true,
    limits: [
      { ...buildLimit('3'), used: '0' },
      { ...buildLimit('1.00', 'money', 'month'), used: '0.00' },
    ],
    watch: null,
  });
  const sms = { from: 'A', to: ['12125550111', '12125550112'], channel: 'sms', message: 'Hi' };
  expect((await sendV2(api.app, account, sms)).statusCode).toBe(200);
  expect((await sendV2(api.app, account, sms)).statusCode).toBe(429);
  const { limits } = (await accountOwner.ask('GET', path)).json().data.guard;
  expect(limits.map(({ used }: { used: string }) => used)).toEqual(['2', '0.02']);
  const removeResponse = await owner.ask('PUT', path, { guard: null });
  expect(removeResponse.json().data.guard).toBeNull();
  const auditEntries = await api.deps.prisma.auditLine.findMany({
    where: { accountId: account.id, action: 'guard.change' },
    orderBy: { id: 'asc' },
  });
  expect(auditEntries.map(({ before, after }) => [before, after])).toMatchObject([
    [{ guard: null }, { guard: { allowed: ['US'] } }],
    [{ guard: { allowed: ['US'] } }, { guard: null }],
  ]);
});

it('the guard of a key is set by owners of the account, but not for a key of another account', async () => {
  const path = `/accounts/${account.id}/keys/${keyId}/guard`;
  expect((await developer.ask('PUT', path, { guard: GUARD })).statusCode).toBe(403);
  const { keys } = (await accountOwner.ask('PUT', path, { guard: GUARD })).json().data;
  expect(keys).toMatchObject([{ id: keyId, name: 'Test app', guard: { allowed: ['US'] } }]);
  const watch = { holdMinutes: 20, safe: [] };
  const setResponse = await accountOwner.ask('PUT', path, { guard: { ...GUARD, watch } });
  expect(setResponse.json().error.details).toMatchObject([{ field: 'watch' }]);
  const otherAccount = await createTestAccount(api.deps);
  expect((await owner.ask('PUT', `/accounts/${otherAccount.id}/keys/${keyId}/guard`, { guard: null })).statusCode).toBe(
    404,
  );
});

it.each([
  [{ allowed: ['XX'] }, 'allowed'],
  [{ watch: { holdMinutes: 0, safe: [] } }, 'watch.holdMinutes'],
  [{ watch: { holdMinutes: 20, safe: ['49'] } }, 'watch.safe'],
  [{ limits: [buildLimit('1.5')] }, 'limits[0].most'],
  [{ limits: [buildLimit('1'), buildLimit('2')] }, 'limits[1]'],
])('a guard with %j is refused', async (guardFields, field) => {
  const { json } = await owner.ask('PUT', `/accounts/${account.id}/guard`, { guard: buildGuard(guardFields) });
  expect(json().error).toMatchObject({ code: 'INVALID_REQUEST', details: [{ field }] });
});

it('a new account gets a guard with the given countries', async () => {
  const { data } = (await owner.ask('POST', '/accounts', { name: 'New', countries: ['DE'] })).json();
  expect((await owner.ask('GET', `/accounts/${data.id}/guard`)).json().data.guard).toMatchObject({ allowed: ['DE'] });
});

it('a new account gets a guard with NEW_ACCOUNT_COUNTRIES unless the request contains countries', async () => {
  const appWithCountries = await testApp({ settings: { NEW_ACCOUNT_COUNTRIES: 'DE, AT' } });
  onTestFinished(() => appWithCountries.close());
  const { ask } = await createTestOperator(appWithCountries);
  expect((await ask('GET', '/account-defaults')).json().data).toEqual({ countries: ['DE', 'AT'] });
  const createAndReadAllowed = async (countries?: string[]) => {
    const { data } = (await ask('POST', '/accounts', { name: 'New', ...(countries && { countries }) })).json();
    return (await ask('GET', `/accounts/${data.id}/guard`)).json().data.guard?.allowed ?? null;
  };
  expect(await createAndReadAllowed()).toEqual(['DE', 'AT']);
  expect(await createAndReadAllowed(['FR'])).toEqual(['FR']);
  expect(await createAndReadAllowed([])).toBeNull();
  expect(await createAndReadAllowed(['any'])).toBeNull();
  const refusal = await ask('POST', '/accounts', { name: 'New', countries: ['Germany'] });
  expect(refusal.json().error.details).toMatchObject([{ field: 'countries' }]);
});
