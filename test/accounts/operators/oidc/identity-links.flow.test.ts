import { expect, it } from 'vitest';
import { resetOperator } from '../../../../src/accounts/operators/changes/change.js';
import { LockedOperator } from '../../../../src/accounts/operators/locked-operator.js';
import { acceptIdentity, findLinkedOperator } from '../../../../src/accounts/operators/oidc/identity-links.js';
import { createOperator } from '../../../../src/accounts/operators/operators.js';
import { suiteApp } from '../../../support/suite.js';

const heliograph = suiteApp({ role: 'api' });

const createIdentity = (subject: string, email: string | null) => ({
  issuer: 'https://issuer.example',
  subject,
  verifiedEmail: async () => email,
});

const recognizeInTransaction = (
  person: ReturnType<typeof createIdentity>,
  match: Awaited<ReturnType<typeof findLinkedOperator>>,
) =>
  heliograph.deps.prisma.$transaction(async (transaction) => {
    const lockedOperator = await LockedOperator.lock(transaction, match.operator.id);
    return acceptIdentity(lockedOperator as LockedOperator, match, person);
  });

it('a sign-in by OpenID Connect fails if a reset removes the identity in the meantime', async () => {
  const { prisma } = heliograph.deps;
  const grants = [{ role: 'owner' as const, accountId: null }];
  const { id } = await createOperator(prisma, { name: 'ada@example.com', grants });
  const person = createIdentity('ada', 'ada@example.com');
  expect(await recognizeInTransaction(person, await findLinkedOperator({ prisma }, person))).toMatchObject([
    { action: 'oidc-link.create' },
  ]);

  const match = await findLinkedOperator({ prisma }, person);
  expect(match).toMatchObject({ by: 'subject', operator: { id } });
  expect(await recognizeInTransaction(person, match)).toEqual([]);
  await prisma.$transaction((transaction) => resetOperator(transaction, id, new Date(), 'command line'));
  await expect(recognizeInTransaction(person, match)).rejects.toMatchObject({ problem: 'expired' });
  expect(await prisma.operator.findUniqueOrThrow({ where: { id } })).toMatchObject({ oidcSubject: null });
});

it('of two identities that sign in with the same e-mail address at once, one is linked', async () => {
  const { prisma } = heliograph.deps;
  await createOperator(prisma, { name: 'bob@example.com', grants: [{ role: 'viewer', accountId: null }] });
  const identities = [createIdentity('one', 'bob@example.com'), createIdentity('two', 'bob@example.com')];
  const matches = await Promise.all(identities.map((person) => findLinkedOperator({ prisma }, person)));
  const results = await Promise.allSettled(
    identities.map((person, index) => recognizeInTransaction(person, matches[index] as never)),
  );
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const rejection = results.find((result) => result.status === 'rejected');
  expect(rejection).toMatchObject({ reason: { problem: 'taken' } });
});
