import { AppError } from '../../../platform/errors/app-error.js';
import type { Prisma } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { requireAccount } from '../../accounts.js';
import type { Changed } from '../../audit/change.js';
import { operatorName } from '../operators.js';
import type { Grant } from '../roles/roles.js';
import type { NewLink } from '../sign-in/links.js';
import { type MadeOperator, makeOperator } from './change.js';
import { grantsAt, line, linesAt, placesOf } from './lines.js';
import {
  type Authority,
  authorityOf,
  type By,
  distinctGrants,
  isOverAll,
  type LockedOperator,
  lockedOperator,
  noSuchOperator,
  requireMayGive,
  requireOwner,
} from './rules.js';

type Client = Prisma.TransactionClient;

/** The roles that a change has taken from an operator, those among them in whose place others were given. */
export interface TakenRoles {
  taken: Grant[];
}

/** An operator, and the link by which they sign in first. */
export interface AddedOperator extends Pick<MadeOperator, 'operator'> {
  /** Null for one who was there already. */
  link: NewLink | null;
}

/**
 * Gives an operator other roles in place of those that they have. It ends links that they have not used.
 * @param expect told which roles they have, while nobody else changes them; what it throws ends it
 * @throws {AppError} INVALID_REQUEST where an account is named twice, NOT_FOUND, FORBIDDEN, CONFLICT where no owner of the
 * installation would be left
 */
export async function setGrants(
  prisma: Client,
  operatorId: string,
  grants: readonly Grant[],
  by: By,
  expect: (grants: readonly Grant[]) => void = () => {},
): Promise<Changed<TakenRoles>> {
  const wanted = distinctGrants(grants);
  const authority = await authorityOf(prisma, by, null);
  const operator = await lockedOperator(authority, operatorId);
  expect(operator.grants);
  return replaceGrants(authority, operator, wanted);
}

/**
 * Gives somebody a role for one account; whom nobody knows yet is made an operator, with a link. A name proves nothing:
 * whoever holds it may have taken it in another account, so only who is over all gives a role to one who is there already.
 * @throws {AppError} INVALID_REQUEST for a malformed name, FORBIDDEN, CONFLICT for the name of an operator without a role
 * for the account
 */
export async function addToAccount(
  prisma: Client,
  { name, role, at, ...to }: { accountId: string; name: string; role: Grant['role']; at: Date },
  by: By,
): Promise<Changed<AddedOperator>> {
  const accountId = to.accountId.toLowerCase();
  const authority = await authorityOf(prisma, by, accountId);
  const known = await prisma.operator.findUnique({ where: { name: operatorName(name) } });
  if (!known) return makeOperator(authority, { name, grants: [{ role, accountId }], at });
  const refusal = new AppError(
    'CONFLICT',
    `There is an operator ${known.name} already; an owner of the installation can give them a role for this account.`,
  );
  const { told } = await changeRole(authority, { accountId, operatorId: known.id, role }, refusal);
  return { result: { operator: { id: known.id, name: known.name }, link: null }, told };
}

/**
 * Gives an operator another role for one account, or none. Who is not over all does so with those who have one alone. It
 * ends links that they have not used.
 * @throws {AppError} NOT_FOUND, also for a role to take that is not there; FORBIDDEN
 */
export async function setAccountRole(
  prisma: Client,
  { operatorId, role, ...at }: RoleChange & { accountId: string },
  by: By,
): Promise<Changed<TakenRoles>> {
  const accountId = at.accountId.toLowerCase();
  const authority = await authorityOf(prisma, by, accountId);
  return changeRole(authority, { accountId, operatorId, role }, noSuchOperator());
}

/**
 * Gives an operator another role for the installation, or none; those for accounts stay. It ends links that they have not used.
 * @throws {AppError} NOT_FOUND, also for a role to take that is not there; FORBIDDEN, CONFLICT where no owner of the installation
 * would be left
 */
export async function setInstallationRole(
  prisma: Client,
  change: Omit<RoleChange, 'accountId'>,
  by: By,
): Promise<Changed<TakenRoles>> {
  const authority = await authorityOf(prisma, by, null);
  return changeRole(authority, { ...change, accountId: null }, noSuchOperator());
}

interface RoleChange {
  /** Null: the installation. */
  accountId: string | null;
  operatorId: string;
  /** Null: none. */
  role: Grant['role'] | null;
}

/** @param refusal of who is not over all, where the operator has no role for the account */
async function changeRole(
  authority: Authority,
  { accountId, operatorId, role }: RoleChange,
  refusal: AppError,
): Promise<Changed<TakenRoles>> {
  const operator = await lockedOperator(authority, operatorId);
  const others = operator.grants.filter((each) => each.accountId !== accountId);
  if (others.length === operator.grants.length) {
    if (!isOverAll(authority)) throw refusal;
    const place = accountId === null ? 'the installation' : 'this account';
    if (role === null) throw new AppError('NOT_FOUND', `The operator ${operator.name} has no role for ${place}.`);
  }
  return replaceGrants(authority, operator, role === null ? others : [...others, { role, accountId }]);
}

/** @param grants distinct */
async function replaceGrants(
  authority: Authority,
  operator: LockedOperator,
  grants: readonly Grant[],
): Promise<Changed<TakenRoles>> {
  const { prisma } = authority;
  const same = (one: Grant) => (other: Grant) => one.accountId === other.accountId && one.role === other.role;
  const given = grants.filter((each) => !operator.grants.some(same(each)));
  const taken = operator.grants.filter((each) => !grants.some(same(each)));
  const changed = [...given, ...taken];
  for (const grant of changed) requireMayGive(authority, grant);
  for (const { accountId } of given) if (accountId !== null) await requireAccount(prisma, accountId);
  const operatorId = operator.id;
  for (const { accountId } of taken) await prisma.operatorGrant.deleteMany({ where: { operatorId, accountId } });
  await prisma.operatorGrant.createMany({
    data: given.map(({ role, accountId }) => ({ id: newId(), operatorId, role, accountId })),
  });
  if (changed.length > 0) await operator.held.endLinks();
  if (taken.some(({ role, accountId }) => accountId === null && role === 'owner')) await requireOwner(prisma);
  const told = linesAt(placesOf(changed), (place) => ({
    ...line('operator.grant', operator),
    before: { name: operator.name, grants: grantsAt(operator.grants, place) },
    after: { grants: grantsAt(grants, place) },
  }));
  return { result: { taken }, told };
}
