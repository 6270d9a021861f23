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

export interface MadeOperator {
  operator: { id: string; name: string };
  link: NewLink;
}

interface WantedOperator {
  name: string;
  grants: readonly Grant[];
  /** The current time. */
  at: Date;
}

/**
 * Creates an operator and a one-time sign-in link.
 * @throws {AppError} as `createOperator`; INVALID_REQUEST if an account is named twice; FORBIDDEN for a role above the
 *   caller's own
 */
export async function addOperator(prisma: Client, wanted: WantedOperator, by: By): Promise<Changed<MadeOperator>> {
  return makeOperator(await authorityOf(prisma, by, null), wanted);
}

/** Does the same as `addOperator` for a caller whose permission was already checked. */
export async function makeOperator(
  authority: Authority,
  { name, at, ...wanted }: WantedOperator,
): Promise<Changed<MadeOperator>> {
  const { prisma } = authority;
  const grants = distinctGrants(wanted.grants);
  for (const grant of grants) requireMayGive(authority, grant);
  const operator = await createOperator(prisma, { name, grants });
  const link = await createLink(prisma, { operatorId: operator.id, at });
  const audit = linesAt(placesOf(grants), (scope) => ({
    ...line('operator.create', operator),
    after: { name: operator.name, grants: grantsAt(grants, scope) },
  }));
  return { result: { operator, link }, told: audit };
}

/**
 * Switches an operator on or off. Switching off ends all their sessions.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT if no owner of the installation would be left
 */
export async function switchOperator(
  prisma: Client,
  operatorId: string,
  isActive: boolean,
  by: By,
): Promise<Changed<null>> {
  const operator = await lockChangeable(prisma, operatorId, by);
  await prisma.operator.update({ where: { id: operator.id }, data: { isActive } });
  if (!isActive) {
    await signOut(operator.held);
    await requireOwner(prisma);
  }
  if (isActive === operator.isActive) return { result: null, told: null };
  const before = { isActive: operator.isActive };
  const audit = linesAt(everyPlaceOf(operator.grants), () => ({
    ...line('operator.update', operator),
    before,
    after: { isActive },
  }));
  return { result: null, told: audit };
}

/**
 * Removes an operator's password, second factor and OpenID Connect link, ends their sessions, and issues a link for
 * setting up again.
 * @throws {AppError} NOT_FOUND, FORBIDDEN
 */
export async function resetOperator(prisma: Client, operatorId: string, now: Date, by: By): Promise<Changed<NewLink>> {
  const operator = await lockChangeable(prisma, operatorId, by);
  const data = { ...NO_SECOND_FACTOR, passwordHash: null, oidcIssuer: null, oidcSubject: null };
  await prisma.operator.update({ where: { id: operator.id }, data });
  await signOut(operator.held);
  const result = await createLink(prisma, { operatorId: operator.id, at: now });
  return { result, told: line('operator.reset', operator) };
}

/**
 * Issues a new one-time sign-in link and invalidates earlier ones.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT for an operator who is switched off
 */
export async function giveLink(prisma: Client, operatorId: string, now: Date, by: By): Promise<Changed<NewLink>> {
  const operator = await lockChangeable(prisma, operatorId, by);
  if (!operator.isActive) throw new AppError('CONFLICT', `the operator ${operator.name} is switched off`);
  await operator.held.endLinks();
  const result = await createLink(prisma, { operatorId: operator.id, at: now });
  return { result, told: line('operator.link', operator) };
}

/**
 * Deletes an operator. Their name stays in the audit log.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT if no owner of the installation would be left
 */
export async function removeOperator(prisma: Client, operatorId: string, by: By): Promise<Changed<null>> {
  const operator = await lockChangeable(prisma, operatorId, by);
  await prisma.operator.delete({ where: { id: operator.id } });
  await requireOwner(prisma);
  const { name, grants } = operator;
  const audit = linesAt(everyPlaceOf(grants), (scope) => ({
    ...line('operator.remove', operator),
    before: { name, grants: scope === null ? shown(grants) : grantsAt(grants, scope) },
  }));
  return { result: null, told: audit };
}

/** @throws {AppError} NOT_FOUND */
export async function requireOperatorId(prisma: Pick<PrismaClient, 'operator'>, name: string): Promise<string> {
  const operator = await prisma.operator.findUnique({ where: { name: operatorName(name) }, select: { id: true } });
  if (!operator) throw new AppError('NOT_FOUND', `there is no operator ${operatorName(name)}`);
  return operator.id;
}

/** Locks an operator whose roles the caller may all grant. */
async function lockChangeable(prisma: Client, operatorId: string, by: By) {
  const authority = await authorityOf(prisma, by, null);
  const operator = await lockedOperator(authority, operatorId);
  for (const grant of operator.grants) requireMayGive(authority, grant);
  return operator;
}

async function signOut(held: HeldOperator): Promise<void> {
  await held.endSessions();
  await held.endLinks();
}
