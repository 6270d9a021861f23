import { AppError } from '../../../platform/errors/app-error.js';
import type { Prisma } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { requireAccount } from '../../accounts.js';
import type { ChangeResult } from '../../audit/change.js';
import { normalizeOperatorName } from '../operators.js';
import type { Grant } from '../roles/roles.js';
import type { NewLink } from '../sign-in/sign-in-links.js';
import { describeOperator, entriesByScope, filterGrants, listScopes } from './audit-entries.js';
import { type CreatedOperator, createWithLink } from './change.js';
import {
  type Authority,
  type Initiator,
  isInstallationOwner,
  lockAuthority,
  lockOperator,
  normalizeGrants,
  type OperatorWithGrants,
  requireCanGrant,
  requireOwner,
  unknownOperator,
} from './rules.js';

type Client = Prisma.TransactionClient;

export interface RemovedRoles {
  removed: Grant[];
}

export interface AddedOperator extends Pick<CreatedOperator, 'operator'> {
  /** Null for an operator who already existed. */
  link: NewLink | null;
}

/**
 * Also ends unused sign-in links.
 * @param checkCurrent called with the current roles once they are locked; throws to cancel the change
 * @throws {AppError} INVALID_REQUEST, NOT_FOUND, FORBIDDEN, CONFLICT for the last owner
 */
export async function setGrants(
  prisma: Client,
  operatorId: string,
  grants: readonly Grant[],
  by: Initiator,
  checkCurrent: (grants: readonly Grant[]) => void = () => {},
): Promise<ChangeResult<RemovedRoles>> {
  const wanted = normalizeGrants(grants);
  const authority = await lockAuthority(prisma, by, null);
  const operator = await lockOperator(authority, operatorId);
  checkCurrent(operator.grants);
  return replaceGrants(authority, operator, wanted);
}

/**
 * Only installation owners may add existing operators: a name proves nothing about who claimed it in another account.
 * @throws {AppError} INVALID_REQUEST, FORBIDDEN, CONFLICT
 */
export async function addToAccount(
  prisma: Client,
  { name, role, at, ...to }: { accountId: string; name: string; role: Grant['role']; at: Date },
  by: Initiator,
): Promise<ChangeResult<AddedOperator>> {
  const accountId = to.accountId.toLowerCase();
  const authority = await lockAuthority(prisma, by, accountId);
  const existing = await prisma.operator.findUnique({ where: { name: normalizeOperatorName(name) } });
  if (!existing) return createWithLink(authority, { name, grants: [{ role, accountId }], at });
  const refusal = new AppError(
    'CONFLICT',
    `The operator ${existing.name} already exists. Ask an owner of the installation to give them a role for this account.`,
  );
  const { audit } = await changeRole(authority, { accountId, operatorId: existing.id, role }, refusal);
  return { result: { operator: { id: existing.id, name: existing.name }, link: null }, audit };
}

/**
 * Only installation owners may add a role for an operator who has none in the account.
 * @throws {AppError} NOT_FOUND, FORBIDDEN
 */
export async function setAccountRole(
  prisma: Client,
  { operatorId, role, ...at }: RoleChange & { accountId: string },
  by: Initiator,
): Promise<ChangeResult<RemovedRoles>> {
  const accountId = at.accountId.toLowerCase();
  const authority = await lockAuthority(prisma, by, accountId);
  return changeRole(authority, { accountId, operatorId, role }, unknownOperator());
}

/** Roles for accounts stay. @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT for the last owner */
export async function setInstallationRole(
  prisma: Client,
  change: Omit<RoleChange, 'accountId'>,
  by: Initiator,
): Promise<ChangeResult<RemovedRoles>> {
  const authority = await lockAuthority(prisma, by, null);
  return changeRole(authority, { ...change, accountId: null }, unknownOperator());
}

interface RoleChange {
  accountId: string | null;
  operatorId: string;
  /** Null: remove the role. */
  role: Grant['role'] | null;
}

/** @param refusal thrown if the operator has no role there and the caller does not own the installation */
async function changeRole(
  authority: Authority,
  { accountId, operatorId, role }: RoleChange,
  refusal: AppError,
): Promise<ChangeResult<RemovedRoles>> {
  const operator = await lockOperator(authority, operatorId);
  const otherGrants = operator.grants.filter((each) => each.accountId !== accountId);
  if (otherGrants.length === operator.grants.length) {
    if (!isInstallationOwner(authority)) throw refusal;
    const scope = accountId === null ? 'the installation' : 'this account';
    if (role === null) throw new AppError('NOT_FOUND', `The operator ${operator.name} has no role for ${scope}.`);
  }
  return replaceGrants(authority, operator, role === null ? otherGrants : [...otherGrants, { role, accountId }]);
}

async function replaceGrants(
  authority: Authority,
  operator: OperatorWithGrants,
  grants: readonly Grant[],
): Promise<ChangeResult<RemovedRoles>> {
  const { prisma } = authority;
  const isSameGrant = (a: Grant) => (b: Grant) => a.accountId === b.accountId && a.role === b.role;
  const added = grants.filter((each) => !operator.grants.some(isSameGrant(each)));
  const removed = operator.grants.filter((each) => !grants.some(isSameGrant(each)));
  const changed = [...added, ...removed];
  for (const grant of changed) requireCanGrant(authority, grant);
  for (const { accountId } of added) if (accountId !== null) await requireAccount(prisma, accountId);
  const operatorId = operator.id;
  for (const { accountId } of removed) await prisma.operatorGrant.deleteMany({ where: { operatorId, accountId } });
  await prisma.operatorGrant.createMany({
    data: added.map(({ role, accountId }) => ({ id: newId(), operatorId, role, accountId })),
  });
  if (changed.length > 0) await operator.locked.endLinks();
  if (removed.some(({ role, accountId }) => accountId === null && role === 'owner')) await requireOwner(prisma);
  const audit = entriesByScope(listScopes(changed), (scope) => ({
    ...describeOperator('operator.grant', operator),
    before: { name: operator.name, grants: filterGrants(operator.grants, scope) },
    after: { grants: filterGrants(grants, scope) },
  }));
  return { result: { removed }, audit };
}
