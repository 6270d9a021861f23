import { beforeAll, describe, expect, it } from 'vitest';
import { createTestAccount } from '../../../support/accounts.js';
import { createShop, createTestOperator, type TestOperator } from '../../../support/operators.js';
import { suiteApp } from '../../../support/suite.js';

const heliograph = suiteApp({ role: 'api' });
let owner: TestOperator;
let accountId: string;

beforeAll(async () => {
  ({ accountId, owner } = await createShop(heliograph));
});

const find = async (id: string) =>
  (await owner.ask('GET', '/operators?limit=200')).json().data.find((each: { id: string }) => each.id === id);

describe('operators of an account', () => {
  it('are created with a link, given other roles and removed by its owner', async () => {
    const chief = await createTestOperator(heliograph, { role: 'owner', accountId });
    const path = `/accounts/${accountId}/operators`;
    const { id, link } = (await chief.ask('POST', path, { name: 'cleo', role: 'viewer' })).json().data;
    expect(link.url).toMatch(/^http:\/\/localhost\/console\/sign-in#token=/);
    const again = (await chief.ask('POST', path, { name: 'Cleo', role: 'owner' })).json().data;
    expect(again).toEqual({ id, name: 'cleo', link: null });
    expect((await chief.ask('PUT', `${path}/${id}`, { role: 'developer' })).statusCode).toBe(200);
    const listed = (await chief.ask('GET', path)).json().data;
    expect(listed.find((each: { id: string }) => each.id === id)).toMatchObject({ name: 'cleo', role: 'developer' });
    expect((await chief.ask('DELETE', `${path}/${id}`)).statusCode).toBe(200);
    expect((await find(id)).grants).toEqual([]);
    const lines = (await chief.ask('GET', `/accounts/${accountId}/audit?subject=${id}`)).json().data;
    expect(lines.map(({ action }: { action: string }) => action)).toEqual([
      'operator.grant',
      'operator.grant',
      'operator.grant',
      'operator.create',
    ]);
    const { name } = await heliograph.deps.prisma.account.findUniqueOrThrow({ where: { id: accountId } });
    for (const line of lines) expect(line.names).toEqual({ [id]: 'cleo', [accountId]: name });
  });

  it('cannot be added from existing operators, except by an owner of the installation', async () => {
    const other = (await createTestAccount(heliograph.deps)).id;
    const path = `/accounts/${accountId}/operators`;
    const squatter = await createTestOperator(heliograph, { role: 'owner', accountId: other });
    const named = { name: 'ceo@example.com', role: 'owner' };
    const { id } = (await squatter.ask('POST', `/accounts/${other}/operators`, named)).json().data;
    const grants = [
      { role: 'owner' as const, accountId },
      { role: 'developer' as const, accountId: null },
    ];
    const chief = await createTestOperator(heliograph, { grants });
    const refused = await chief.ask('POST', path, named);
    expect(refused.statusCode).toBe(409);
    expect(refused.body).toContain('The operator ceo@example.com already exists. Ask an owner of the installation to');
    const byId = await chief.ask('PUT', `${path}/${id}`, { role: 'owner' });
    const unknown = await chief.ask('PUT', `${path}/${crypto.randomUUID()}`, { role: 'owner' });
    expect([byId.statusCode, byId.json().error.message]).toEqual([404, unknown.json().error.message]);
    expect((await find(id)).grants).toMatchObject([{ role: 'owner', accountId: other }]);
    const added = await owner.ask('POST', path, named);
    expect(added.json().data).toEqual({ id, name: named.name, link: null });
    expect((await find(id)).grants).toHaveLength(2);
  });

  it('are created once when two requests add the same new name concurrently', async () => {
    const chief = await createTestOperator(heliograph, { role: 'owner', accountId });
    const other = (await createTestAccount(heliograph.deps)).id;
    const rival = await createTestOperator(heliograph, { role: 'owner', accountId: other });
    const body = { name: 'raced', role: 'viewer' };
    const answers = await Promise.all([
      chief.ask('POST', `/accounts/${accountId}/operators`, body),
      rival.ask('POST', `/accounts/${other}/operators`, body),
    ]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
  });

  it('are not audited if nothing changes: a missing role, or one they already have', async () => {
    const other = (await createTestAccount(heliograph.deps)).id;
    const bob = await createTestOperator(heliograph, { role: 'viewer', accountId: other });
    const chief = await createTestOperator(heliograph, { role: 'owner', accountId });
    const taken = await chief.ask('DELETE', `/accounts/${accountId}/operators/${bob.id}`);
    expect(taken.statusCode).toBe(404);
    expect((await owner.ask('DELETE', `/accounts/${accountId}/operators/${bob.id}`)).statusCode).toBe(404);
    const same = await owner.ask('PUT', `/accounts/${other}/operators/${bob.id}`, { role: 'viewer' });
    const on = await owner.ask('PUT', `/operators/${bob.id}/active`, { isActive: true });
    expect([same.statusCode, on.statusCode]).toEqual([200, 200]);
    expect((await owner.ask('GET', `/audit?subject=${bob.id}`)).json().data).toEqual([]);
  });

  it('keep their roles for other accounts', async () => {
    const other = (await createTestAccount(heliograph.deps)).id;
    const bob = await createTestOperator(heliograph, { role: 'owner', accountId: other });
    const chief = await createTestOperator(heliograph, { role: 'owner', accountId });
    await chief.ask('DELETE', `/accounts/${accountId}/operators/${bob.id}`);
    expect((await find(bob.id)).grants).toMatchObject([{ role: 'owner', accountId: other }]);
    expect((await chief.ask('PUT', `/operators/${bob.id}/grants`, { grants: [] })).statusCode).toBe(403);
  });

  it('appear in the audit log of the account without roles for other accounts', async () => {
    const other = (await createTestAccount(heliograph.deps)).id;
    const bob = await createTestOperator(heliograph, { role: 'owner', accountId: other });
    const chief = await createTestOperator(heliograph, { role: 'owner', accountId });
    await owner.ask('POST', `/accounts/${accountId}/operators`, { name: bob.name, role: 'viewer' });
    const given = await chief.ask('GET', `/accounts/${accountId}/audit?subject=${bob.id}`);
    expect(given.json().data).toMatchObject([
      { action: 'operator.grant', before: { grants: [] }, after: { grants: [{ role: 'viewer', accountId }] } },
    ]);
    expect(given.body).not.toContain(other);
  });

  it('are audited in each account they may enter, without data of the others', async () => {
    const other = (await createTestAccount(heliograph.deps)).id;
    const places = [accountId, other];
    const grants = [...places, null].map((each) => ({ role: 'viewer', accountId: each }));
    const { id } = (await owner.ask('POST', '/operators', { name: 'everywhere', grants })).json().data;
    const changed = grants.map((each) => ({ ...each, role: 'developer' }));
    await owner.ask('PUT', `/operators/${id}/grants`, { grants: changed });
    await owner.ask('PUT', `/operators/${id}/active`, { isActive: false });
    await owner.ask('DELETE', `/operators/${id}`);
    for (const [index, place] of places.entries()) {
      const log = await owner.ask('GET', `/accounts/${place}/audit?subject=${id}`);
      expect(log.json().data).toMatchObject([
        { action: 'operator.remove', before: { grants: [{ role: 'developer', accountId: place }] } },
        { action: 'operator.update', before: { isActive: true }, after: { isActive: false } },
        { action: 'operator.grant', after: { grants: [{ role: 'developer', accountId: place }] } },
        { action: 'operator.create', after: { name: 'everywhere', grants: [{ role: 'viewer', accountId: place }] } },
      ]);
      expect(log.body).not.toContain(places[1 - index]);
    }
    const all = (await owner.ask('GET', `/audit?subject=${id}`)).json().data;
    const ofInstallation = all.filter((each: { accountId: string | null }) => each.accountId === null);
    expect(ofInstallation.map(({ action }: { action: string }) => action)).toEqual([
      'operator.remove',
      'operator.update',
      'operator.grant',
      'operator.create',
    ]);
  });
});
