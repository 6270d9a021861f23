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

const findOperator = async (id: string) =>
  (await owner.ask('GET', '/operators?limit=200')).json().data.find((operator: { id: string }) => operator.id === id);

describe('operators of an account', () => {
  it('are created with a link, given other roles and removed by its owner', async () => {
    const accountOwner = await createTestOperator(heliograph, { role: 'owner', accountId });
    const path = `/accounts/${accountId}/operators`;
    const { id, link } = (await accountOwner.ask('POST', path, { name: 'cleo', role: 'viewer' })).json().data;
    expect(link.url).toMatch(/^http:\/\/localhost\/console\/sign-in#token=/);
    const repeatedCreation = (await accountOwner.ask('POST', path, { name: 'Cleo', role: 'owner' })).json().data;
    expect(repeatedCreation).toEqual({ id, name: 'cleo', link: null });
    expect((await accountOwner.ask('PUT', `${path}/${id}`, { role: 'developer' })).statusCode).toBe(200);
    const members = (await accountOwner.ask('GET', path)).json().data;
    expect(members.find((member: { id: string }) => member.id === id)).toMatchObject({
      name: 'cleo',
      role: 'developer',
    });
    expect((await accountOwner.ask('DELETE', `${path}/${id}`)).statusCode).toBe(200);
    expect((await findOperator(id)).grants).toEqual([]);
    const auditEntries = (await accountOwner.ask('GET', `/accounts/${accountId}/audit?subject=${id}`)).json().data;
    expect(auditEntries.map(({ action }: { action: string }) => action)).toEqual([
      'operator.grant',
      'operator.grant',
      'operator.grant',
      'operator.create',
    ]);
    const { name } = await heliograph.deps.prisma.account.findUniqueOrThrow({ where: { id: accountId } });
    for (const entry of auditEntries) expect(entry.names).toEqual({ [id]: 'cleo', [accountId]: name });
  });

  it('can only be added from existing operators by an owner of the installation', async () => {
    const otherAccountId = (await createTestAccount(heliograph.deps)).id;
    const path = `/accounts/${accountId}/operators`;
    const squatter = await createTestOperator(heliograph, { role: 'owner', accountId: otherAccountId });
    const existingOperator = { name: 'ceo@example.com', role: 'owner' };
    const { id } = (await squatter.ask('POST', `/accounts/${otherAccountId}/operators`, existingOperator)).json().data;
    const grants = [
      { role: 'owner' as const, accountId },
      { role: 'developer' as const, accountId: null },
    ];
    const accountOwner = await createTestOperator(heliograph, { grants });
    const refusal = await accountOwner.ask('POST', path, existingOperator);
    expect(refusal.statusCode).toBe(409);
    expect(refusal.body).toContain('The operator ceo@example.com already exists. Ask an owner of the installation to');
    const responseById = await accountOwner.ask('PUT', `${path}/${id}`, { role: 'owner' });
    const unknownIdResponse = await accountOwner.ask('PUT', `${path}/${crypto.randomUUID()}`, { role: 'owner' });
    expect([responseById.statusCode, responseById.json().error.message]).toEqual([
      404,
      unknownIdResponse.json().error.message,
    ]);
    expect((await findOperator(id)).grants).toMatchObject([{ role: 'owner', accountId: otherAccountId }]);
    const addResponse = await owner.ask('POST', path, existingOperator);
    expect(addResponse.json().data).toEqual({ id, name: existingOperator.name, link: null });
    expect((await findOperator(id)).grants).toHaveLength(2);
  });

  it('are created once when two requests add the same new name concurrently', async () => {
    const accountOwner = await createTestOperator(heliograph, { role: 'owner', accountId });
    const otherAccountId = (await createTestAccount(heliograph.deps)).id;
    const rival = await createTestOperator(heliograph, { role: 'owner', accountId: otherAccountId });
    const body = { name: 'raced', role: 'viewer' };
    const responses = await Promise.all([
      accountOwner.ask('POST', `/accounts/${accountId}/operators`, body),
      rival.ask('POST', `/accounts/${otherAccountId}/operators`, body),
    ]);
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
  });

  it('are not audited if nothing changes', async () => {
    const otherAccountId = (await createTestAccount(heliograph.deps)).id;
    const bob = await createTestOperator(heliograph, { role: 'viewer', accountId: otherAccountId });
    const accountOwner = await createTestOperator(heliograph, { role: 'owner', accountId });
    const removeResponse = await accountOwner.ask('DELETE', `/accounts/${accountId}/operators/${bob.id}`);
    expect(removeResponse.statusCode).toBe(404);
    expect((await owner.ask('DELETE', `/accounts/${accountId}/operators/${bob.id}`)).statusCode).toBe(404);
    const sameRoleResponse = await owner.ask('PUT', `/accounts/${otherAccountId}/operators/${bob.id}`, {
      role: 'viewer',
    });
    const enableResponse = await owner.ask('PUT', `/operators/${bob.id}/active`, { isActive: true });
    expect([sameRoleResponse.statusCode, enableResponse.statusCode]).toEqual([200, 200]);
    expect((await owner.ask('GET', `/audit?subject=${bob.id}`)).json().data).toEqual([]);
  });

  it('keep their roles for other accounts', async () => {
    const otherAccountId = (await createTestAccount(heliograph.deps)).id;
    const bob = await createTestOperator(heliograph, { role: 'owner', accountId: otherAccountId });
    const accountOwner = await createTestOperator(heliograph, { role: 'owner', accountId });
    await accountOwner.ask('DELETE', `/accounts/${accountId}/operators/${bob.id}`);
    expect((await findOperator(bob.id)).grants).toMatchObject([{ role: 'owner', accountId: otherAccountId }]);
    expect((await accountOwner.ask('PUT', `/operators/${bob.id}/grants`, { grants: [] })).statusCode).toBe(403);
  });

  it('appear in the audit log of the account without roles for other accounts', async () => {
    const otherAccountId = (await createTestAccount(heliograph.deps)).id;
    const bob = await createTestOperator(heliograph, { role: 'owner', accountId: otherAccountId });
    const accountOwner = await createTestOperator(heliograph, { role: 'owner', accountId });
    await owner.ask('POST', `/accounts/${accountId}/operators`, { name: bob.name, role: 'viewer' });
    const auditResponse = await accountOwner.ask('GET', `/accounts/${accountId}/audit?subject=${bob.id}`);
    expect(auditResponse.json().data).toMatchObject([
      { action: 'operator.grant', before: { grants: [] }, after: { grants: [{ role: 'viewer', accountId }] } },
    ]);
    expect(auditResponse.body).not.toContain(otherAccountId);
  });

  it('are audited in each of their accounts, without data of the others', async () => {
    const otherAccountId = (await createTestAccount(heliograph.deps)).id;
    const accountIds = [accountId, otherAccountId];
    const grants = [...accountIds, null].map((grantAccountId) => ({ role: 'viewer', accountId: grantAccountId }));
    const { id } = (await owner.ask('POST', '/operators', { name: 'everywhere', grants })).json().data;
    const newGrants = grants.map((grant) => ({ ...grant, role: 'developer' }));
    await owner.ask('PUT', `/operators/${id}/grants`, { grants: newGrants });
    await owner.ask('PUT', `/operators/${id}/active`, { isActive: false });
    await owner.ask('DELETE', `/operators/${id}`);
    for (const [index, auditedAccountId] of accountIds.entries()) {
      const auditResponse = await owner.ask('GET', `/accounts/${auditedAccountId}/audit?subject=${id}`);
      expect(auditResponse.json().data).toMatchObject([
        { action: 'operator.remove', before: { grants: [{ role: 'developer', accountId: auditedAccountId }] } },
        { action: 'operator.update', before: { isActive: true }, after: { isActive: false } },
        { action: 'operator.grant', after: { grants: [{ role: 'developer', accountId: auditedAccountId }] } },
        {
          action: 'operator.create',
          after: { name: 'everywhere', grants: [{ role: 'viewer', accountId: auditedAccountId }] },
        },
      ]);
      expect(auditResponse.body).not.toContain(accountIds[1 - index]);
    }
    const allEntries = (await owner.ask('GET', `/audit?subject=${id}`)).json().data;
    const installationEntries = allEntries.filter((entry: { accountId: string | null }) => entry.accountId === null);
    expect(installationEntries.map(({ action }: { action: string }) => action)).toEqual([
      'operator.remove',
      'operator.update',
      'operator.grant',
      'operator.create',
    ]);
  });
});
