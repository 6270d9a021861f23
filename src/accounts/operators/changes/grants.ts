import { AppError } from '../../../platform/errors/app-error.js';
import type { Prisma, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { requireAccount } from '../../accounts.js';
import type { NewLink } from '../links.js';
import { operatorName } from '../operators.js';
import type { Grant } from '../roles.js';
import { addOperator } from './change.js';
import { auditPlaces, grantsAt, line, placesOf } from './lines.js';
import {
  type By,
  distinctGrants,
  isOverAll,
  type LockedOperator,
  lockedOperator,
  noSuchOperator,
  requireMayGive,
  requireOwner,
} from './rules.js';

type Client = Pick<PrismaClient, '$transaction'>;

/** An operator, and the link by which they sign in first. */
export interface AddedOperator {
  operator: { id: string; name: string };
  /** Null for one who was there already. */
  link: NewLink | null;
}

/**
 * Gives an operator other roles in place of those that they have.
 * @throws {AppError} INVALID_REQUEST where an account is named twice, NOT_FOUND, FORBIDDEN, CONFLICT where no owner of the
 * installation would be left
 */
export async function setGrants(prisma: Client, operatorId: string, grants: readonly Grant[], by: By): Promise<void> {
  const wanted = distinctGrants(grants);
  await prisma.$transaction(async (transaction) => {
    const operator = await lockedOperator(transaction, operatorId);
    await replaceGrants(transaction, operator, wanted, by);
  });
}

/**
 * Gives somebody a role for one account; whom nobody knows yet is made an operator, with a link. A name proves nothing:
 * whoever holds it may have taken it in another account, so only who is over all gives a role to one who is there already.
 * @throws {AppError} INVALID_REQUEST for a malformed name, FORBIDDEN, CONFLICT for the name of an operator without a role
 * for the account
 */
export async function addToAccount(
  prisma: Client & Pick<PrismaClient, 'operator'>,
  { accountId, name, role, at }: { accountId: string; name: string; role: Grant['role']; at: Date },
  by: By,
): Promise<AddedOperator> {
  const known = await prisma.operator.findUnique({ where: { name: operatorName(name) } });
  if (!known) return addOperator(prisma, { name, grants: [{ role, accountId }], at }, by);
  const refusal = new AppError(
    'CONFLICT',
    `There is an operator ${known.name} already; an owner of the installation can give them a role for this account.`,
  );
  await changeRole(prisma, { accountId, operatorId: known.id, role }, by, refusal);
  return { operator: { id: known.id, name: known.name }, link: null };
}

/**
 * Gives an operator another role for one account, or none. Who is not over all does so with those who have one alone.
 * @throws {AppError} NOT_FOUND, also for a role to take that is not there; FORBIDDEN
 */
export function setAccountRole(
  prisma: Client,
  change: { accountId: string; operatorId: string; role: Grant['role'] | null },
  by: By,
): Promise<void> {
  return changeRole(prisma, change, by, noSuchOperator());
}

async function changeRole(
  prisma: Client,
  { operatorId, role, ...of }: { accountId: string; operatorId: string; role: Grant['role'] | null },
  by: By,
  refusal: AppError,
): Promise<void> {
  const accountId = of.accountId.toLowerCase();
  await prisma.$transaction(async (transaction) => {
    const operator = await lockedOperator(transaction, operatorId);
    const others = operator.grants.filter((each) => each.accountId !== accountId);
    if (others.length === operator.grants.length) {
      if (!isOverAll(by)) throw refusal;
      if (role === null) throw new AppError('NOT_FOUND', `The operator ${operator.name} has no role for this account.`);
    }
    await replaceGrants(transaction, operator, role === null ? others : [...others, { role, accountId }], by);
  });
}

/** @param grants distinct */
async function replaceGrants(
  transaction: Prisma.TransactionClient,
  operator: LockedOperator,
  grants: readonly Grant[],
  by: By,
): Promise<void> {
  const same = (one: Grant) => (other: Grant) => one.accountId === other.accountId && one.role === other.role;
  const given = grants.filter((each) => !operator.grants.some(same(each)));
  const taken = operator.grants.filter((each) => !grants.some(same(each)));
  for (const grant of [...given, ...taken]) requireMayGive(by, grant);
  for (const { accountId } of given) if (accountId !== null) await requireAccount(transaction, accountId);
  const operatorId = operator.id;
  for (const { accountId } of taken) await transaction.operatorGrant.deleteMany({ where: { operatorId, accountId } });
  await transaction.operatorGrant.createMany({
    data: given.map(({ role, accountId }) => ({ id: newId(), operatorId, role, accountId })),
  });
  if (taken.some(({ role, accountId }) => accountId === null && role === 'owner')) await requireOwner(transaction);
  await auditPlaces(transaction, placesOf([...given, ...taken]), (place) => ({
    ...line(by, 'operator.grant', operator),
    before: { name: operator.name, grants: grantsAt(operator.grants, place) },
    after: { grants: grantsAt(grants, place) },
  }));
}
