import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import type { Operator, Prisma } from '../../../platform/generated/prisma/client.js';
import { isUuid } from '../../../platform/ids.js';
import type { Actor } from '../../audit/audit-log.js';
import { type Grant, isAtLeast, roleFor } from '../roles.js';

/** Who changes operators: nobody gives or takes a role that they do not have themselves. */
export interface By {
  actor: Actor;
  /** `all`: the command line, which who can run it may do anything with. */
  grants: 'all' | readonly Grant[];
}

/** An operator whom nobody else changes until the transaction ends. */
export type LockedOperator = Operator & { grants: Grant[] };

/**
 * Changes of operators wait for each other: else two owners who take the role from each other would leave none.
 * @throws {AppError} NOT_FOUND
 */
export async function lockedOperator(
  transaction: Prisma.TransactionClient,
  operatorId: string,
): Promise<LockedOperator> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('heliograph operators', 0))`;
  const operator = isUuid(operatorId)
    ? await transaction.operator.findUnique({ where: { id: operatorId }, include: { grants: true } })
    : null;
  if (!operator) throw noSuchOperator();
  return operator;
}

/** The same whether there is none, or one whom the caller may not know of. */
export function noSuchOperator(): AppError {
  return new AppError('NOT_FOUND', 'There is no operator with this id.');
}

/**
 * Somebody must be left who can mend whatever is wrong.
 * @throws {AppError} CONFLICT
 */
export async function requireOwner(transaction: Prisma.TransactionClient): Promise<void> {
  const owners = await transaction.operator.count({
    where: { isActive: true, grants: { some: { accountId: null, role: 'owner' } } },
  });
  if (owners === 0) throw new AppError('CONFLICT', 'This is the last owner of the installation; make another first.');
}

/**
 * Nobody gives or takes a role that they do not have themselves.
 * @throws {AppError} FORBIDDEN
 */
export function requireMayGive({ grants }: By, { role, accountId }: Grant): void {
  if (grants === 'all') return;
  const own = roleFor(grants, accountId);
  if (own && isAtLeast(own, role)) return;
  throw new AppError('FORBIDDEN', 'Nobody gives or takes a role that they do not have themselves.');
}

/** Whether one changes operators of the whole installation: an owner of it, or the command line. */
export function isOverAll({ grants }: By): boolean {
  return grants === 'all' || roleFor(grants, null) === 'owner';
}

/**
 * Grants with the ids of accounts in lower case, as they are stored.
 * @throws {AppError} INVALID_REQUEST where two are for the same account, or for the installation
 */
export function distinctGrants(grants: readonly Grant[]): Grant[] {
  const distinct = grants.map(({ role, accountId }) => ({ role, accountId: accountId?.toLowerCase() ?? null }));
  const places = new Set(distinct.map(({ accountId }) => accountId));
  if (places.size < distinct.length) throw invalidField('grants', 'must name each account once');
  return distinct;
}
