import { beforeAll, expect, it } from 'vitest';
import { type Actor, audit } from '../../../src/accounts/audit/audit-log.js';
import { changing } from '../../../src/accounts/audit/change.js';
import { changeOf } from '../../../src/accounts/audit/change-of.js';
import { Prisma } from '../../../src/platform/generated/prisma/client.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount } from '../../support/accounts.js';
import { suiteApp } from '../../support/suite.js';

const heliograph = suiteApp({ role: 'api' });
const actor: Actor = { kind: 'system', name: `test ${newId()}` };
let accountId: string;

beforeAll(async () => {
  ({ id: accountId } = await createTestAccount(heliograph.deps));
});

const lines = () => heliograph.deps.prisma.auditLine.findMany({ where: { actorName: actor.name } });
const nameOf = async () => (await heliograph.deps.prisma.account.findUniqueOrThrow({ where: { id: accountId } })).name;
const by = { actor, accountId: null };

it('commits what pg and Prisma write, and the line, together', async () => {
  const told: string[] = [];
  const seen = await changing(heliograph.deps, by, async ({ client, prisma: inside, afterCommit }) => {
    await inside.account.update({ where: { id: accountId }, data: { name: 'by Prisma' } });
    const { rows } = await client.query('SELECT name FROM accounts WHERE id = $1', [accountId]);
    afterCommit(() => told.push('committed'));
    expect(told).toEqual([]);
    return { result: rows[0].name, told: { action: 'account.rename', subject: accountId } };
  });
  expect([seen, await nameOf(), told]).toEqual(['by Prisma', 'by Prisma', ['committed']]);
  expect(await lines()).toMatchObject([{ action: 'account.rename', accountId: null, actorKind: 'system' }]);
});

it('leaves neither the change nor its line where the work fails, or the line cannot be written', async () => {
  const before = (await lines()).length;
  const told: string[] = [];
  const rename = (fails: boolean) =>
    changing(heliograph.deps, by, async ({ client, prisma: inside, afterCommit }) => {
      await client.query('UPDATE accounts SET name = $2 WHERE id = $1', [accountId, 'lost']);
      afterCommit(() => told.push('committed'));
      await audit(inside, { actor, accountId: null, action: 'account.rename', subject: 'lost' });
      if (fails) throw new Error('on purpose');
      return { result: null, told: { action: 'account.rename', subject: accountId, after: { broken: '\0' } } };
    });
  await expect(rename(true)).rejects.toThrow('on purpose');
  await expect(rename(false)).rejects.toThrow();
  expect([await nameOf(), (await lines()).length, told]).toEqual(['by Prisma', before, []]);
});

it('begins again after a deadlock, told by pg or by Prisma, and forgets what the first try wanted done', async () => {
  for (const way of ['pg', 'prisma'] as const) {
    let tries = 0;
    const told: number[] = [];
    await changing(heliograph.deps, by, async ({ client, prisma, afterCommit }) => {
      tries += 1;
      const number = tries;
      afterCommit(() => told.push(number));
      const raise = `DO $$ BEGIN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END $$`;
      if (tries === 1) await (way === 'pg' ? client.query(raise) : prisma.$executeRaw(Prisma.sql([raise])));
      return { result: null, told: null };
    });
    expect([tries, told]).toEqual([2, [2]]);
  }
});

it('tells of the fields that became another, and of nothing where none did', () => {
  const was = { name: 'a', roles: ['x'], isActive: true };
  expect(changeOf('thing.change', '1', was, { ...was, roles: ['y'] })).toEqual({
    action: 'thing.change',
    subject: '1',
    before: { roles: ['x'] },
    after: { roles: ['y'] },
  });
  expect(changeOf('thing.change', '1', was, { ...was, roles: ['x'] })).toBeNull();
});
