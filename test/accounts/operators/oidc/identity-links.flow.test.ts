import { expect, it } from 'vitest';
import { resetOperator } from '../../../../src/accounts/operators/changes/change.js';
import { LockedOperator } from '../../../../src/accounts/operators/locked-operator.js';
import { acceptIdentity, findLinkedOperator } from '../../../../src/accounts/operators/oidc/identity-links.js';
import { createOperator } from '../../../../src/accounts/operators/operators.js';
import { suiteApp } from '../../../support/suite.js';

const heliograph = suiteApp({ role: 'api' });

const identity = (subject: string, email: string | null) => ({
  issuer: 'https://issuer.example',
  subject,
  verifiedEmail: async () => email,
});

const recognizeInTransaction = (
  person: ReturnType<typeof identity>,
  found: Awaited<ReturnType<typeof findLinkedOperator>>,
) =>
  heliograph.deps.prisma.$transaction(async (transaction) => {
    const held = await LockedOperator.lock(transaction, found.operator.id);
    return acceptIdentity(held as LockedOperator, found, person);
  });

it('a sign-in by OpenID Connect fails if a reset removes the identity in the meantime', async () => {
  const { prisma } = heliograph.deps;
  const grants = [{ role: 'owner' as const, accountId: null }];
  const { id } = await createOperator(prisma, { name: 'ada@example.com', grants });
  const person = identity('ada', 'ada@example.com');
  expect(await recognizeInTransaction(person, await findLinkedOperator({ prisma }, person))).toMatchObject([
    { action: 'oidc-link.create' },
  ]);

  const found = await findLinkedOperator({ prisma }, person);
  expect(found).toMatchObject({ by: 'subject', operator: { id } });
  expect(await recognizeInTransaction(person, found)).toEqual([]);
  await prisma.$transaction((transaction) => resetOperator(transaction, id, new Date(), 'command line'));
  await expect(recognizeInTransaction(person, found)).rejects.toMatchObject({ problem: 'expired' });
  expect(await prisma.operator.findUniqueOrThrow({ where: { id } })).toMatchObject({ oidcSubject: null });
});

it('of two identities that sign in with the same e-mail address at once, one is linked', async () => {
  const { prisma } = heliograph.deps;
  await createOperator(prisma, { name: 'bob@example.com', grants: [{ role: 'viewer', accountId: null }] });
  const both = [identity('one', 'bob@example.com'), identity('two', 'bob@example.com')];
  const found = await Promise.all(both.map((person) => findLinkedOperator({ prisma }, person)));
  const results = await Promise.allSettled(
    both.map((person, index) => recognizeInTransaction(person, found[index] as never)),
  );
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const refused = results.find((each) => each.status === 'rejected');
  expect(refused).toMatchObject({ reason: { problem: 'taken' } });
});
