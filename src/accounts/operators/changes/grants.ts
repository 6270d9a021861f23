import { AppError } from '../../../platform/errors/app-error.js';
import type { Prisma } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { requireAccount } from '../../accounts.js';
import type { ChangeResult } from '../../audit/change.js';
import { normalizeOperatorName } from '../operators.js';
import type { Grant } from '../roles/roles.js';
import type { NewLink } from '../sign-in/sign-in-links.js';
import { createEntriesByScope, createOperatorEntry, filterGrants, listScopes } from './audit-entries.js';
import { type CreatedOperator, createWithLink } from './change.js';
import {
  type Authority,
  createUnknownOperatorError,
  type Initiator,
  isInstallationOwner,
  lockAuthority,
  lockOperator,
  normalizeGrants,
  type OperatorWithGrants,
  requireCanGrant,
  requireOwner,
} from './rules.js';

type Client = Prisma.TransactionClient;

export interface RemovedRoles {
  removed: Grant[];
}

export interface AddedOperator extends Pick<CreatedOperator, 'operator'> {
  /** The sign-in link of a new operator, or null if the operator already existed. */
  link: NewLink | null;
}

/**
 * A change of roles also revokes the operator's unused sign-in links. `checkCurrent` receives the operator's current roles
 * after locking, and may throw to cancel the change.
 * @throws {AppError} INVALID_REQUEST, NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function setGrants(
  prisma: Client,
  operatorId: string,
  grants: readonly Grant[],
  initiator: Initiator,
  checkCurrent: (grants: readonly Grant[]) => void = () => {},
): Promise<ChangeResult<RemovedRoles>> {
  const normalizedGrants = normalizeGrants(grants);
  const authority = await lockAuthority(prisma, initiator, null);
  const operator = await lockOperator(authority, operatorId);
  checkCurrent(operator.grants);
  return replaceGrants(authority, operator, normalizedGrants);
}

/**
 * Only installation owners may add an existing operator to an account, because someone in another account may have taken the
 * operator's name.
 * @throws {AppError} INVALID_REQUEST, FORBIDDEN, CONFLICT
 */
export async function addToAccount(
  prisma: Client,
  { name, role, at, ...target }: { accountId: string; name: string; role: Grant['role']; at: Date },
  initiator: Initiator,
): Promise<ChangeResult<AddedOperator>> {
  const accountId = target.accountId.toLowerCase();
  const authority = await lockAuthority(prisma, initiator, accountId);
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
 * Only installation owners may give an existing operator a role in an account where the operator has none.
 * @throws {AppError} NOT_FOUND, FORBIDDEN
 */
export async function setAccountRole(
  prisma: Client,
  { operatorId, role, ...target }: RoleChange & { accountId: string },
  initiator: Initiator,
): Promise<ChangeResult<RemovedRoles>> {
  const accountId = target.accountId.toLowerCase();
  const authority = await lockAuthority(prisma, initiator, accountId);
  return changeRole(authority, { accountId, operatorId, role }, createUnknownOperatorError());
}

/** Roles for accounts stay. @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT */
export async function setInstallationRole(
  prisma: Client,
  change: Omit<RoleChange, 'accountId'>,
  initiator: Initiator,
): Promise<ChangeResult<RemovedRoles>> {
  const authority = await lockAuthority(prisma, initiator, null);
  return changeRole(authority, { ...change, accountId: null }, createUnknownOperatorError());
}

interface RoleChange {
  accountId: string | null;
  operatorId: string;
  /** Null: remove the role. */
  role: Grant['role'] | null;
}

/** Throws `refusal` if the operator has no role in the account and the caller does not own the installation. */
async function changeRole(
  authority: Authority,
  { accountId, operatorId, role }: RoleChange,
  refusal: AppError,
): Promise<ChangeResult<RemovedRoles>> {
  const operator = await lockOperator(authority, operatorId);
  const otherGrants = operator.grants.filter((grant) => grant.accountId !== accountId);
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
  const addedGrants = grants.filter((grant) => !operator.grants.some(isSameGrant(grant)));
  const removedGrants = operator.grants.filter((grant) => !grants.some(isSameGrant(grant)));
  const changedGrants = [...addedGrants, ...removedGrants];
  for (const grant of changedGrants) requireCanGrant(authority, grant);
  for (const { accountId } of addedGrants) if (accountId !== null) await requireAccount(prisma, accountId);
  const operatorId = operator.id;
  for (const { accountId } of removedGrants)
    await prisma.operatorGrant.deleteMany({ where: { operatorId, accountId } });
  await prisma.operatorGrant.createMany({
    data: addedGrants.map(({ role, accountId }) => ({ id: newId(), operatorId, role, accountId })),
  });
  if (changedGrants.length > 0) await operator.locked.endLinks();
  if (removedGrants.some(({ role, accountId }) => accountId === null && role === 'owner')) await requireOwner(prisma);
  const audit = createEntriesByScope(listScopes(changedGrants), (scope) => ({
    ...createOperatorEntry('operator.grant', operator),
    before: { name: operator.name, grants: filterGrants(operator.grants, scope) },
    after: { grants: filterGrants(grants, scope) },
  }));
  return { result: { removed: removedGrants }, audit };
}
