import { AppError } from '../../../platform/errors/app-error.js';
import type { Prisma, PrismaClient } from '../../../platform/generated/prisma/client.js';
import type { Changed } from '../../audit/change.js';
import type { HeldOperator } from '../held.js';
import { createOperator, operatorName } from '../operators.js';
import type { Grant } from '../roles/roles.js';
import { createLink, type NewLink } from '../sign-in/links.js';
import { NO_SECOND_FACTOR } from '../sign-in/second-factor.js';
import { everyPlaceOf, grantsAt, line, linesAt, placesOf, shown } from './lines.js';
import {
  type Authority,
  authorityOf,
  type By,
  distinctGrants,
  lockedOperator,
  requireMayGive,
  requireOwner,
} from './rules.js';

type Client = Prisma.TransactionClient;

/** An operator who was made, and the link that signs them in once. */
export interface MadeOperator {
  operator: { id: string; name: string };
  link: NewLink;
}

/** Who is to be made an operator. */
interface WantedOperator {
  name: string;
  grants: readonly Grant[];
  /** Now. */
  at: Date;
}

/**
 * Makes an operator with a link that signs them in once.
 * @throws {AppError} as `createOperator` does; INVALID_REQUEST where grants name an account twice; FORBIDDEN for a role
 * that the one who gives it does not have
 */
export async function addOperator(prisma: Client, wanted: WantedOperator, by: By): Promise<Changed<MadeOperator>> {
  return makeOperator(await authorityOf(prisma, by, null), wanted);
}

/** As `addOperator`, by whom it is known to be allowed. */
export async function makeOperator(
  authority: Authority,
  { name, at, ...wanted }: WantedOperator,
): Promise<Changed<MadeOperator>> {
  const { prisma } = authority;
  const grants = distinctGrants(wanted.grants);
  for (const grant of grants) requireMayGive(authority, grant);
  const operator = await createOperator(prisma, { name, grants });
  const link = await createLink(prisma, { operatorId: operator.id, at });
  const told = linesAt(placesOf(grants), (place) => ({
    ...line('operator.create', operator),
    after: { name: operator.name, grants: grantsAt(grants, place) },
  }));
  return { result: { operator, link }, told };
}

/**
 * Switches an operator on or off. Who is switched off is signed out at once.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT where no owner of the installation would be left
 */
export async function switchOperator(
  prisma: Client,
  operatorId: string,
  isActive: boolean,
  by: By,
): Promise<Changed<null>> {
  const operator = await changeable(prisma, operatorId, by);
  await prisma.operator.update({ where: { id: operator.id }, data: { isActive } });
  if (!isActive) {
    await signOut(operator.held);
    await requireOwner(prisma);
  }
  if (isActive === operator.isActive) return { result: null, told: null };
  const before = { isActive: operator.isActive };
  const told = linesAt(everyPlaceOf(operator.grants), () => ({
    ...line('operator.update', operator),
    before,
    after: { isActive },
  }));
  return { result: null, told };
}

/**
 * Takes the password, the second factor and the sign-in by OpenID Connect from an operator, signs them out, and gives them
 * a link by which they begin anew.
 * @throws {AppError} NOT_FOUND, FORBIDDEN
 */
export async function resetOperator(prisma: Client, operatorId: string, at: Date, by: By): Promise<Changed<NewLink>> {
  const operator = await changeable(prisma, operatorId, by);
  const data = { ...NO_SECOND_FACTOR, passwordHash: null, oidcIssuer: null, oidcSubject: null };
  await prisma.operator.update({ where: { id: operator.id }, data });
  await signOut(operator.held);
  const result = await createLink(prisma, { operatorId: operator.id, at });
  return { result, told: line('operator.reset', operator) };
}

/**
 * Gives an operator a further link that signs them in once; those before it are good no more.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT for one who is switched off
 */
export async function giveLink(prisma: Client, operatorId: string, at: Date, by: By): Promise<Changed<NewLink>> {
  const operator = await changeable(prisma, operatorId, by);
  if (!operator.isActive) throw new AppError('CONFLICT', `the operator ${operator.name} is switched off`);
  await operator.held.endLinks();
  const result = await createLink(prisma, { operatorId: operator.id, at });
  return { result, told: line('operator.link', operator) };
}

/**
 * Takes an operator away. Lines of the audit log keep their name.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT where no owner of the installation would be left
 */
export async function removeOperator(prisma: Client, operatorId: string, by: By): Promise<Changed<null>> {
  const operator = await changeable(prisma, operatorId, by);
  await prisma.operator.delete({ where: { id: operator.id } });
  await requireOwner(prisma);
  const { name, grants } = operator;
  const told = linesAt(everyPlaceOf(grants), (place) => ({
    ...line('operator.remove', operator),
    before: { name, grants: place === null ? shown(grants) : grantsAt(grants, place) },
  }));
  return { result: null, told };
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

/** An operator who has no role that the one who changes them does not have. */
async function changeable(prisma: Client, operatorId: string, by: By) {
  const authority = await authorityOf(prisma, by, null);
  const operator = await lockedOperator(authority, operatorId);
  for (const grant of operator.grants) requireMayGive(authority, grant);
  return operator;
}

async function signOut(held: HeldOperator): Promise<void> {
  await held.endSessions();
  await held.endLinks();
}
