import { AppError, invalidField, notFound } from '../../../platform/errors/app-error.js';
import type { Prisma } from '../../../platform/generated/prisma/client.js';
import { LockedOperator, type SessionRef } from '../locked-operator.js';
import { findHighestRole, type Grant, isAtLeast } from '../roles/roles.js';

/** Changes to operators on the command line are not restricted by roles. */
export type Initiator = SessionRef | 'command line';

/** While a transaction has an `Authority`, no other transaction can change operators. */
export interface Authority {
  prisma: Prisma.TransactionClient;
  grants: 'all' | readonly Grant[];
}

export interface OperatorWithGrants {
  locked: LockedOperator;
  id: string;
  name: string;
  isActive: boolean;
  grants: Grant[];
}

/**
 * Requires that the caller owns the account `scope`, or the installation if `scope` is null. Also prevents concurrent changes
 * to operators, because two owners could remove each other's role and leave no owner.
 * @throws {AppError} UNAUTHORIZED, FORBIDDEN
 */
export async function lockAuthority(
  prisma: Prisma.TransactionClient,
  initiator: Initiator,
  scope: string | null,
): Promise<Authority> {
  await prisma.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('heliograph operators', 0))`;
  if (initiator === 'command line') return { prisma, grants: 'all' };
  const { row } = await LockedOperator.lockSignedIn(prisma, initiator);
  const grants = await prisma.operatorGrant.findMany({ where: { operatorId: row.id } });
  requireCanGrant({ prisma, grants }, { role: 'owner', accountId: scope });
  return { prisma, grants };
}

export async function lockOperator({ prisma }: Authority, operatorId: string): Promise<OperatorWithGrants> {
  const locked = await LockedOperator.lock(prisma, operatorId);
  if (!locked) throw createUnknownOperatorError();
  const { id, name, isActive } = locked.row;
  const grants = await prisma.operatorGrant.findMany({ where: { operatorId: id }, orderBy: { id: 'asc' } });
  return { locked, id, name, isActive, grants };
}

/** The error does not reveal whether the operator is unknown or only hidden from the caller. */
export function createUnknownOperatorError(): AppError {
  return notFound('operator');
}

/** At least one active owner of the installation must remain, so that mistakes can be repaired. @throws {AppError} CONFLICT */
export async function requireOwner(transaction: Prisma.TransactionClient): Promise<void> {
  const owners = await transaction.operator.count({
    where: { isActive: true, grants: { some: { accountId: null, role: 'owner' } } },
  });
  if (owners === 0)
    throw new AppError('CONFLICT', 'This is the last owner of the installation. Add another owner first.');
}

export function requireCanGrant({ grants }: Authority, { role, accountId }: Grant): void {
  if (grants === 'all') return;
  const ownRole = findHighestRole(grants, accountId);
  if (ownRole && isAtLeast(ownRole, role)) return;
  throw new AppError('FORBIDDEN', 'You can only grant or remove roles that you have yourself.');
}

export function isInstallationOwner({ grants }: Authority): boolean {
  return grants === 'all' || findHighestRole(grants, null) === 'owner';
}

/** Converts account IDs to lower case and rejects duplicate accounts. @throws {AppError} INVALID_REQUEST */
export function normalizeGrants(grants: readonly Grant[]): Grant[] {
  const normalized = grants.map(({ role, accountId }) => ({ role, accountId: accountId?.toLowerCase() ?? null }));
  const scopes = new Set(normalized.map(({ accountId }) => accountId));
  if (scopes.size < normalized.length) throw invalidField('grants', 'must name each account once');
  return normalized;
}
