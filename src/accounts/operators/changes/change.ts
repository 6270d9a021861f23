import { AppError } from '../../../platform/errors/app-error.js';
import type { Prisma, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { audit } from '../../audit/audit-log.js';
import { createLink, type NewLink } from '../links.js';
import { createOperator, operatorName } from '../operators.js';
import type { Grant } from '../roles.js';
import { NO_SECOND_FACTOR } from '../second-factor.js';
import { auditPlaces, everyPlaceOf, grantsAt, line, placesOf, shown } from './lines.js';
import { type By, distinctGrants, lockedOperator, requireMayGive, requireOwner } from './rules.js';

type Client = Pick<PrismaClient, '$transaction'>;

/**
 * Makes an operator with a link that signs them in once.
 * @throws {AppError} as `createOperator` does; INVALID_REQUEST where grants name an account twice; FORBIDDEN for a role
 * that the one who gives it does not have
 */
export async function addOperator(
  prisma: Client,
  { name, at, ...input }: { name: string; grants: readonly Grant[]; at: Date },
  by: By,
): Promise<{ operator: { id: string; name: string }; link: NewLink }> {
  const grants = distinctGrants(input.grants);
  for (const grant of grants) requireMayGive(by, grant);
  return prisma.$transaction(async (transaction) => {
    const operator = await createOperator(transaction, { name, grants });
    const link = await createLink(transaction, { operatorId: operator.id, at });
    await auditPlaces(transaction, placesOf(grants), (place) => ({
      ...line(by, 'operator.create', operator),
      after: { name: operator.name, grants: grantsAt(grants, place) },
    }));
    return { operator, link };
  });
}

/**
 * Switches an operator on or off. Who is switched off is signed out at once.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT where no owner of the installation would be left
 */
export function switchOperator(prisma: Client, operatorId: string, isActive: boolean, by: By): Promise<void> {
  return prisma.$transaction(async (transaction) => {
    const operator = await lockedOperator(transaction, operatorId);
    for (const grant of operator.grants) requireMayGive(by, grant);
    await transaction.operator.update({ where: { id: operator.id }, data: { isActive } });
    if (!isActive) {
      await signOut(transaction, operator.id);
      await requireOwner(transaction);
    }
    if (isActive === operator.isActive) return;
    const before = { isActive: operator.isActive };
    await auditPlaces(transaction, everyPlaceOf(operator.grants), () => ({
      ...line(by, 'operator.update', operator),
      before,
      after: { isActive },
    }));
  });
}

/**
 * Takes the password, the second factor and the sign-in by OpenID Connect from an operator, signs them out, and gives them
 * a link by which they begin anew.
 * @throws {AppError} NOT_FOUND, FORBIDDEN
 */
export function resetOperator(prisma: Client, operatorId: string, at: Date, by: By): Promise<NewLink> {
  return prisma.$transaction(async (transaction) => {
    const operator = await lockedOperator(transaction, operatorId);
    for (const grant of operator.grants) requireMayGive(by, grant);
    const data = { ...NO_SECOND_FACTOR, passwordHash: null, oidcIssuer: null, oidcSubject: null };
    await transaction.operator.update({ where: { id: operator.id }, data });
    await signOut(transaction, operator.id);
    await audit(transaction, line(by, 'operator.reset', operator));
    return createLink(transaction, { operatorId: operator.id, at });
  });
}

/**
 * Gives an operator a further link that signs them in once; those before it are good no more.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT for one who is switched off
 */
export function giveLink(prisma: Client, operatorId: string, at: Date, by: By): Promise<NewLink> {
  return prisma.$transaction(async (transaction) => {
    const operator = await lockedOperator(transaction, operatorId);
    for (const grant of operator.grants) requireMayGive(by, grant);
    if (!operator.isActive) throw new AppError('CONFLICT', `the operator ${operator.name} is switched off`);
    await transaction.signInLink.deleteMany({ where: { operatorId: operator.id } });
    await audit(transaction, line(by, 'operator.link', operator));
    return createLink(transaction, { operatorId: operator.id, at });
  });
}

/**
 * Takes an operator away. Lines of the audit log keep their name.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT where no owner of the installation would be left
 */
export function removeOperator(prisma: Client, operatorId: string, by: By): Promise<void> {
  return prisma.$transaction(async (transaction) => {
    const operator = await lockedOperator(transaction, operatorId);
    for (const grant of operator.grants) requireMayGive(by, grant);
    await transaction.operator.delete({ where: { id: operator.id } });
    await requireOwner(transaction);
    await auditPlaces(transaction, everyPlaceOf(operator.grants), (place) => ({
      ...line(by, 'operator.remove', operator),
      before: {
        name: operator.name,
        grants: place === null ? shown(operator.grants) : grantsAt(operator.grants, place),
      },
    }));
  });
}

/**
 * The id of an operator by their name.
 * @throws {AppError} NOT_FOUND
 */
export async function requireOperatorId(prisma: Pick<PrismaClient, 'operator'>, name: string): Promise<string> {
  const operator = await prisma.operator.findUnique({ where: { name: operatorName(name) }, select: { id: true } });
  if (!operator) throw new AppError('NOT_FOUND', `there is no operator ${operatorName(name)}`);
  return operator.id;
}

async function signOut(transaction: Prisma.TransactionClient, operatorId: string): Promise<void> {
  await transaction.operatorSession.deleteMany({ where: { operatorId } });
  await transaction.signInLink.deleteMany({ where: { operatorId } });
}
