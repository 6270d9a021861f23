import { expect, it } from 'vitest';
import { resetOperator } from '../../../../src/accounts/operators/changes/change.js';
import { HeldOperator } from '../../../../src/accounts/operators/held.js';
import { operatorOf, recognize } from '../../../../src/accounts/operators/oidc/links.js';
import { createOperator } from '../../../../src/accounts/operators/operators.js';
import { suiteApp } from '../../../support/suite.js';

const heliograph = suiteApp({ role: 'api' });

const identity = (subject: string, email: string | null) => ({
  issuer: 'https://issuer.example',
  subject,
  verifiedEmail: async () => email,
});

const recognized = (who: ReturnType<typeof identity>, found: Awaited<ReturnType<typeof operatorOf>>) =>
  heliograph.deps.prisma.$transaction(async (inside) => {
    const held = await HeldOperator.of(inside, found.operator.id);
    return recognize(held as HeldOperator, found, who);
  });

it('lets nobody in who was found by an identity that a reset has taken away meanwhile', async () => {
  const { prisma } = heliograph.deps;
  const grants = [{ role: 'owner' as const, accountId: null }];
  const { id } = await createOperator(prisma, { name: 'ada@example.com', grants });
  const who = identity('ada', 'ada@example.com');
  expect(await recognized(who, await operatorOf({ prisma }, who))).toMatchObject([{ action: 'oidc-link.create' }]);

  const found = await operatorOf({ prisma }, who);
  expect(found).toMatchObject({ by: 'subject', operator: { id } });
  expect(await recognized(who, found)).toEqual([]);
  await prisma.$transaction((inside) => resetOperator(inside, id, new Date(), 'command line'));
  await expect(recognized(who, found)).rejects.toMatchObject({ problem: 'expired' });
  expect(await prisma.operator.findUniqueOrThrow({ where: { id } })).toMatchObject({ oidcSubject: null });
});

it('links one of two identities that come by the same address at once', async () => {
  const { prisma } = heliograph.deps;
  await createOperator(prisma, { name: 'bob@example.com', grants: [{ role: 'viewer', accountId: null }] });
  const both = [identity('one', 'bob@example.com'), identity('two', 'bob@example.com')];
  const found = await Promise.all(both.map((who) => operatorOf({ prisma }, who)));
  const results = await Promise.allSettled(both.map((who, index) => recognized(who, found[index] as never)));
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const refused = results.find((each) => each.status === 'rejected');
  expect(refused).toMatchObject({ reason: { problem: 'taken' } });
});
