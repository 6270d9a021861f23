import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import type { Prisma } from '../../../platform/generated/prisma/client.js';
import { HeldOperator, type SignedInAs } from '../held.js';
import { type Grant, isAtLeast, roleFor } from '../roles/roles.js';

/**
 * Who changes operators: one who is signed in, who gives and takes no role that they do not have themselves, or the command
 * line, which who can run it may do anything with.
 */
export type By = SignedInAs | 'command line';

/** Who changes operators, as they may while nobody else changes any. */
export interface Authority {
  prisma: Prisma.TransactionClient;
  grants: 'all' | readonly Grant[];
}

/** An operator whom nobody else changes until the transaction ends. */
export interface LockedOperator {
  held: HeldOperator;
  id: string;
  name: string;
  isActive: boolean;
  grants: Grant[];
}

/**
 * Changes of operators wait for each other: else two owners who take the role from each other would leave none, and one who
 * is reset could make another operator meanwhile.
 * @param place of which account, or null for the installation, they must be an owner, for they may be so no more
 * @throws {AppError} UNAUTHORIZED where the session of who makes the change has ended, FORBIDDEN
 */
export async function authorityOf(prisma: Prisma.TransactionClient, by: By, place: string | null): Promise<Authority> {
  await prisma.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('heliograph operators', 0))`;
  if (by === 'command line') return { prisma, grants: 'all' };
  const { row } = await HeldOperator.acting(prisma, by);
  const grants = await prisma.operatorGrant.findMany({ where: { operatorId: row.id } });
  requireMayGive({ prisma, grants }, { role: 'owner', accountId: place });
  return { prisma, grants };
}

/** @throws {AppError} NOT_FOUND */
export async function lockedOperator({ prisma }: Authority, operatorId: string): Promise<LockedOperator> {
  const held = await HeldOperator.of(prisma, operatorId);
  if (!held) throw noSuchOperator();
  const { id, name, isActive } = held.row;
  const grants = await prisma.operatorGrant.findMany({ where: { operatorId: id }, orderBy: { id: 'asc' } });
  return { held, id, name, isActive, grants };
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
export function requireMayGive({ grants }: Authority, { role, accountId }: Grant): void {
  if (grants === 'all') return;
  const own = roleFor(grants, accountId);
  if (own && isAtLeast(own, role)) return;
  throw new AppError('FORBIDDEN', 'Nobody gives or takes a role that they do not have themselves.');
}

/** Whether one changes operators of the whole installation: an owner of it, or the command line. */
export function isOverAll({ grants }: Authority): boolean {
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
