import { beforeAll, describe, expect, it } from 'vitest';
import { createShop, createTestOperator, ORIGIN, type TestOperator } from '../../../support/operators.js';
import { suiteApp } from '../../../support/suite.js';

const heliograph = suiteApp({ role: 'api' });
let owner: TestOperator;
let accountId: string;

beforeAll(async () => {
  ({ accountId, owner } = await createShop(heliograph));
});

async function followLink(url: string) {
  expect(url).toMatch(/^http:\/\/localhost\/console\/sign-in#token=/);
  const response = await heliograph.app.inject({
    method: 'POST',
    url: '/admin/v1/session/link',
    headers: { origin: ORIGIN, 'content-type': 'application/json' },
    payload: { token: url.split('#token=')[1] },
  });
  const cookie = `heliograph=${response.cookies[0]?.value}`;
  return { statusCode: response.statusCode, ask: (url: string) => heliograph.app.inject({ url, headers: { cookie } }) };
}

const findOperator = async (id: string) =>
  (await owner.ask('GET', '/operators?limit=200')).json().data.find((operator: { id: string }) => operator.id === id);

describe('operators of the installation', () => {
  it('are created with a one-time sign-in link', async () => {
    const grants = [{ role: 'developer', accountId }];
    const { id, name, link } = (await owner.ask('POST', '/operators', { name: 'Bob@Example.com', grants })).json().data;
    expect(name).toBe('bob@example.com');
    expect(await findOperator(id)).toMatchObject({
      name,
      isActive: true,
      hasPassword: false,
      hasSecondFactor: false,
      lastSignedInAt: null,
      grants: [{ role: 'developer', accountId, accountName: 'Shop' }],
    });
    const bob = await followLink(link.url);
    expect((await bob.ask('/admin/v1/session')).json().data).toMatchObject({ operator: { id }, grants });
    expect((await followLink(link.url)).statusCode).toBe(401);
    expect((await owner.ask('POST', '/operators', { name: 'BOB@example.com', grants })).statusCode).toBe(409);
  });

  it.each([
    [{ name: 'a b', grants: [{ role: 'owner', accountId: null }] }, 400],
    [{ name: 'ok', grants: [] }, 400],
    [{ name: 'ok', grants: [{ role: 'king', accountId: null }] }, 400],
    [{ name: 'ok', grants: [{ role: 'owner', accountId: crypto.randomUUID() }] }, 404],
  ])('cannot be created with %j', async (body, status) => {
    expect((await owner.ask('POST', '/operators', body)).statusCode).toBe(status);
  });

  it('get other roles, which apply at once', async () => {
    const bob = await createTestOperator(heliograph, { role: 'viewer', accountId });
    const createApp = () => bob.ask('POST', `/accounts/${accountId}/apps`, { name: 'A', scopes: ['rest'] });
    expect((await createApp()).statusCode).toBe(403);
    const grants = [{ role: 'developer', accountId }];
    expect((await owner.ask('PUT', `/operators/${bob.id}/grants`, { grants })).statusCode).toBe(200);
    expect((await createApp()).statusCode).toBe(200);
  });

  it.each([
    ['an account', () => [accountId, accountId]],
    ['an account in upper and lower case', () => [accountId.toUpperCase(), accountId]],
    ['the installation', () => [null, null]],
  ])('cannot have roles that name %s twice', async (_what, getAccountIds) => {
    const bob = await createTestOperator(heliograph, { role: 'viewer', accountId });
    const grants = getAccountIds().map((grantAccountId) => ({ role: 'viewer', accountId: grantAccountId }));
    const rule = [{ field: 'grants', message: expect.stringContaining('must name each account once') }];
    for (const response of [
      await owner.ask('PUT', `/operators/${bob.id}/grants`, { grants }),
      await owner.ask('POST', '/operators', { name: 'twice', grants }),
    ]) {
      expect(response.statusCode).toBe(400);
      expect(response.json().error.details).toMatchObject(rule);
    }
  });

  it('get roles for an account ID in upper case, which is stored in lower case', async () => {
    const grants = [{ role: 'viewer', accountId: accountId.toUpperCase() }];
    const { id } = (await owner.ask('POST', '/operators', { name: 'upper', grants })).json().data;
    expect((await owner.ask('PUT', `/operators/${id}/grants`, { grants })).statusCode).toBe(200);
    const auditEntries = (await owner.ask('GET', `/audit?subject=${id}`)).json().data;
    expect(auditEntries).toMatchObject([{ action: 'operator.create', accountId, after: { grants: [{ accountId }] } }]);
  });

  it('are signed out when they are disabled or reset', async () => {
    const bob = await createTestOperator(heliograph, { password: 'correct horse battery' });
    const status = async () => (await bob.ask('GET', '/session')).statusCode;
    await owner.ask('PUT', `/operators/${bob.id}/active`, { isActive: false });
    expect(await status()).toBe(401);
    expect((await owner.ask('POST', `/operators/${bob.id}/link`)).statusCode).toBe(409);
    await owner.ask('PUT', `/operators/${bob.id}/active`, { isActive: true });
    const { url } = (await owner.ask('POST', `/operators/${bob.id}/reset`)).json().data;
    expect(await findOperator(bob.id)).toMatchObject({ isActive: true, hasPassword: false });
    expect((await followLink(url)).statusCode).toBe(200);
  });

  it('get another link, which replaces earlier ones', async () => {
    const bob = await createTestOperator(heliograph);
    const firstLink = (await owner.ask('POST', `/operators/${bob.id}/link`)).json().data;
    const secondLink = (await owner.ask('POST', `/operators/${bob.id}/link`)).json().data;
    expect((await followLink(firstLink.url)).statusCode).toBe(401);
    expect((await followLink(secondLink.url)).statusCode).toBe(200);
  });

  it('are removed, and their actions stay in the audit log', async () => {
    const bob = await createTestOperator(heliograph);
    await bob.ask('POST', `/accounts/${accountId}/apps`, { name: 'Kept', scopes: ['rest'] });
    expect((await owner.ask('DELETE', `/operators/${bob.id}`)).statusCode).toBe(200);
    expect((await bob.ask('GET', '/session')).statusCode).toBe(401);
    expect((await owner.ask('DELETE', `/operators/${bob.id}`)).statusCode).toBe(404);
    const auditEntries = (await owner.ask('GET', `/audit?actor=${bob.name}`)).json().data;
    expect(auditEntries).toMatchObject([{ action: 'app.create', actor: { id: bob.id } }]);
    const [removal] = (await owner.ask('GET', `/audit?subject=${bob.id}`)).json().data;
    expect(removal).toMatchObject({ action: 'operator.remove', before: { name: bob.name }, accountId: null });
  });

  it('always include an owner, even if two owners remove each other concurrently', async () => {
    const { prisma } = heliograph.deps;
    await prisma.operatorGrant.deleteMany({ where: { accountId: null, operatorId: { not: owner.id } } });
    const refusals = await Promise.all([
      owner.ask('DELETE', `/operators/${owner.id}`),
      owner.ask('PUT', `/operators/${owner.id}/active`, { isActive: false }),
      owner.ask('PUT', `/operators/${owner.id}/grants`, { grants: [{ role: 'viewer', accountId: null }] }),
    ]);
    expect(refusals.map(({ statusCode }) => statusCode)).toEqual([409, 409, 409]);
    const secondOwner = await createTestOperator(heliograph);
    const responses = await Promise.all([
      owner.ask('DELETE', `/operators/${secondOwner.id}`),
      secondOwner.ask('DELETE', `/operators/${owner.id}`),
    ]);
    expect(responses.map(({ statusCode }) => statusCode === 200)).toContain(true);
    expect(await prisma.operatorGrant.count({ where: { accountId: null, role: 'owner' } })).toBe(1);
    owner = await createTestOperator(heliograph);
  });
});
