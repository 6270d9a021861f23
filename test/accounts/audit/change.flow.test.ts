import { beforeAll, expect, it } from 'vitest';
import { type Actor, writeAuditEntry } from '../../../src/accounts/audit/audit-log.js';
import { makeChange } from '../../../src/accounts/audit/change.js';
import { diffForAudit } from '../../../src/accounts/audit/diff.js';
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

const findEntries = () => heliograph.deps.prisma.auditLine.findMany({ where: { actorName: actor.name } });
const readName = async () =>
  (await heliograph.deps.prisma.account.findUniqueOrThrow({ where: { id: accountId } })).name;
const context = { actor, accountId: null };

it('a change commits the writes of pg and Prisma and its audit log entry together', async () => {
  const callbackCalls: string[] = [];
  const nameInTransaction = await makeChange(
    heliograph.deps,
    context,
    async ({ client, prisma: transaction, afterCommit }) => {
      await transaction.account.update({ where: { id: accountId }, data: { name: 'by Prisma' } });
      const { rows } = await client.query('SELECT name FROM accounts WHERE id = $1', [accountId]);
      afterCommit(() => callbackCalls.push('committed'));
      expect(callbackCalls).toEqual([]);
      return { result: rows[0].name, audit: { action: 'account.rename', subject: accountId } };
    },
  );
  expect([nameInTransaction, await readName(), callbackCalls]).toEqual(['by Prisma', 'by Prisma', ['committed']]);
  expect(await findEntries()).toMatchObject([{ action: 'account.rename', accountId: null, actorKind: 'system' }]);
});

it('a change and its audit log entry are both rolled back when the work or the entry fails', async () => {
  const entryCount = (await findEntries()).length;
  const callbackCalls: string[] = [];
  const rename = (fails: boolean) =>
    makeChange(heliograph.deps, context, async ({ client, prisma: transaction, afterCommit }) => {
      await client.query('UPDATE accounts SET name = $2 WHERE id = $1', [accountId, 'lost']);
      afterCommit(() => callbackCalls.push('committed'));
      await writeAuditEntry(transaction, { actor, accountId: null, action: 'account.rename', subject: 'lost' });
      if (fails) throw new Error('on purpose');
      return { result: null, audit: { action: 'account.rename', subject: accountId, after: { broken: '\0' } } };
    });
  await expect(rename(true)).rejects.toThrow('on purpose');
  await expect(rename(false)).rejects.toThrow();
  expect([await readName(), (await findEntries()).length, callbackCalls]).toEqual(['by Prisma', entryCount, []]);
});

it('a change runs again after a deadlock in pg or Prisma and drops the callbacks of the first attempt', async () => {
  for (const driver of ['pg', 'prisma'] as const) {
    let attempts = 0;
    const callbackCalls: number[] = [];
    await makeChange(heliograph.deps, context, async ({ client, prisma, afterCommit }) => {
      attempts += 1;
      const attempt = attempts;
      afterCommit(() => callbackCalls.push(attempt));
      const raise = `DO $$ BEGIN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END $$`;
      if (attempts === 1) await (driver === 'pg' ? client.query(raise) : prisma.$executeRaw(Prisma.sql([raise])));
      return { result: null, audit: null };
    });
    expect([attempts, callbackCalls]).toEqual([2, [2]]);
  }
});

it('an audit log entry contains only the changed fields, and there is none without a change', () => {
  const before = { name: 'a', roles: ['x'], isActive: true };
  expect(diffForAudit('thing.change', '1', before, { ...before, roles: ['y'] })).toEqual({
    action: 'thing.change',
    subject: '1',
    before: { roles: ['x'] },
    after: { roles: ['y'] },
  });
  expect(diffForAudit('thing.change', '1', before, { ...before, roles: ['x'] })).toBeNull();
});
