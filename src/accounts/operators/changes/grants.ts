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

/** The roles that a change removed, including those it replaced. */
export interface TakenRoles {
  taken: Grant[];
}

export interface AddedOperator extends Pick<MadeOperator, 'operator'> {
  /** Null for an operator who already existed. */
  link: NewLink | null;
}

/**
 * Replaces the roles of an operator, and ends their unused sign-in links.
 * @param checkCurrent called with the current roles once they are locked; throws to cancel the change
 * @throws {AppError} INVALID_REQUEST if an account is named twice, NOT_FOUND, FORBIDDEN, CONFLICT if no owner of the
 *   installation would be left
 */
export async function setGrants(
  prisma: Client,
  operatorId: string,
  grants: readonly Grant[],
  by: By,
  checkCurrent: (grants: readonly Grant[]) => void = () => {},
): Promise<Changed<TakenRoles>> {
  const wanted = distinctGrants(grants);
  const authority = await authorityOf(prisma, by, null);
  const operator = await lockedOperator(authority, operatorId);
  checkCurrent(operator.grants);
  return replaceGrants(authority, operator, wanted);
}

/**
 * Gives an operator a role for one account, creating the operator if the name is new. Only installation owners may add
 * existing operators: a name proves nothing about who claimed it in another account.
 * @throws {AppError} INVALID_REQUEST for a malformed name, FORBIDDEN, CONFLICT for an existing operator without a role
 *   for this account
 */
export async function addToAccount(
  prisma: Client,
  { name, role, at, ...to }: { accountId: string; name: string; role: Grant['role']; at: Date },
  by: By,
): Promise<Changed<AddedOperator>> {
  const accountId = to.accountId.toLowerCase();
  const authority = await authorityOf(prisma, by, accountId);
  const existing = await prisma.operator.findUnique({ where: { name: operatorName(name) } });
  if (!existing) return makeOperator(authority, { name, grants: [{ role, accountId }], at });
  const refusal = new AppError(
    'CONFLICT',
    `The operator ${existing.name} already exists. Ask an owner of the installation to give them a role for this account.`,
  );
  const { told } = await changeRole(authority, { accountId, operatorId: existing.id, role }, refusal);
  return { result: { operator: { id: existing.id, name: existing.name }, link: null }, told };
}

/**
 * Changes or removes an operator's role for one account, and ends their unused sign-in links. Callers other than
 * installation owners can only do this for operators who already have a role there.
 * @throws {AppError} NOT_FOUND, also if the role to remove does not exist; FORBIDDEN
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
 * Changes or removes an operator's role for the installation, and ends their unused sign-in links. Roles for accounts
 * stay.
 * @throws {AppError} NOT_FOUND, also if the role to remove does not exist; FORBIDDEN, CONFLICT if no owner of the
 *   installation would be left
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
  /** Null: remove the role. */
  role: Grant['role'] | null;
}

/** @param refusal thrown if the operator has no role there and the caller is no installation owner */
async function changeRole(
  authority: Authority,
  { accountId, operatorId, role }: RoleChange,
  refusal: AppError,
): Promise<Changed<TakenRoles>> {
  const operator = await lockedOperator(authority, operatorId);
  const otherGrants = operator.grants.filter((each) => each.accountId !== accountId);
  if (otherGrants.length === operator.grants.length) {
    if (!isOverAll(authority)) throw refusal;
    const scope = accountId === null ? 'the installation' : 'this account';
    if (role === null) throw new AppError('NOT_FOUND', `The operator ${operator.name} has no role for ${scope}.`);
  }
  return replaceGrants(authority, operator, role === null ? otherGrants : [...otherGrants, { role, accountId }]);
}

/** @param grants distinct */
async function replaceGrants(
  authority: Authority,
  operator: LockedOperator,
  grants: readonly Grant[],
): Promise<Changed<TakenRoles>> {
  const { prisma } = authority;
  const isSameGrant = (a: Grant) => (b: Grant) => a.accountId === b.accountId && a.role === b.role;
  const added = grants.filter((each) => !operator.grants.some(isSameGrant(each)));
  const removed = operator.grants.filter((each) => !grants.some(isSameGrant(each)));
  const changed = [...added, ...removed];
  for (const grant of changed) requireMayGive(authority, grant);
  for (const { accountId } of added) if (accountId !== null) await requireAccount(prisma, accountId);
  const operatorId = operator.id;
  for (const { accountId } of removed) await prisma.operatorGrant.deleteMany({ where: { operatorId, accountId } });
  await prisma.operatorGrant.createMany({
    data: added.map(({ role, accountId }) => ({ id: newId(), operatorId, role, accountId })),
  });
  if (changed.length > 0) await operator.held.endLinks();
  if (removed.some(({ role, accountId }) => accountId === null && role === 'owner')) await requireOwner(prisma);
  const audit = linesAt(placesOf(changed), (scope) => ({
    ...line('operator.grant', operator),
    before: { name: operator.name, grants: grantsAt(operator.grants, scope) },
    after: { grants: grantsAt(grants, scope) },
  }));
  return { result: { taken: removed }, told: audit };
}
