import { AppError } from '../../../platform/errors/app-error.js';
import type { Prisma, PrismaClient } from '../../../platform/generated/prisma/client.js';
import type { ChangeResult } from '../../audit/change.js';
import type { LockedOperator } from '../locked-operator.js';
import { createOperator, normalizeOperatorName } from '../operators.js';
import type { Grant } from '../roles/roles.js';
import { NO_SECOND_FACTOR } from '../sign-in/second-factor.js';
import { createLink, type NewLink } from '../sign-in/sign-in-links.js';
import {
  createEntriesByScope,
  createOperatorEntry,
  filterGrants,
  listScopes,
  listScopesWithInstallation,
  toAuditGrants,
} from './audit-entries.js';
import {
  type Authority,
  type Initiator,
  lockAuthority,
  lockOperator,
  normalizeGrants,
  requireCanGrant,
  requireOwner,
} from './rules.js';

type Client = Prisma.TransactionClient;

export interface CreatedOperator {
  operator: { id: string; name: string };
  link: NewLink;
}

interface OperatorInput {
  name: string;
  grants: readonly Grant[];
  at: Date;
}

/** @throws {AppError} INVALID_REQUEST, NOT_FOUND, CONFLICT, FORBIDDEN */
export async function addOperator(
  prisma: Client,
  input: OperatorInput,
  initiator: Initiator,
): Promise<ChangeResult<CreatedOperator>> {
  return createWithLink(await lockAuthority(prisma, initiator, null), input);
}

/** Creates an operator with a sign-in link, after `lockAuthority` has checked the caller's permission. */
export async function createWithLink(
  authority: Authority,
  { name, at, ...input }: OperatorInput,
): Promise<ChangeResult<CreatedOperator>> {
  const { prisma } = authority;
  const grants = normalizeGrants(input.grants);
  for (const grant of grants) requireCanGrant(authority, grant);
  const operator = await createOperator(prisma, { name, grants });
  const link = await createLink(prisma, { operatorId: operator.id, at });
  const audit = createEntriesByScope(listScopes(grants), (scope) => ({
    ...createOperatorEntry('operator.create', operator),
    after: { name: operator.name, grants: filterGrants(grants, scope) },
  }));
  return { result: { operator, link }, audit };
}

/**
 * Switching an operator off also ends the operator's sessions and revokes unused sign-in links.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function setOperatorActive(
  prisma: Client,
  operatorId: string,
  isActive: boolean,
  initiator: Initiator,
): Promise<ChangeResult<null>> {
  const operator = await lockChangeable(prisma, operatorId, initiator);
  await prisma.operator.update({ where: { id: operator.id }, data: { isActive } });
  if (!isActive) {
    await signOut(operator.locked);
    await requireOwner(prisma);
  }
  if (isActive === operator.isActive) return { result: null, audit: null };
  const before = { isActive: operator.isActive };
  const audit = createEntriesByScope(listScopesWithInstallation(operator.grants), () => ({
    ...createOperatorEntry('operator.update', operator),
    before,
    after: { isActive },
  }));
  return { result: null, audit };
}

/**
 * Removes the operator's sign-in methods and sessions, and creates a new sign-in link.
 * @throws {AppError} NOT_FOUND, FORBIDDEN
 */
export async function resetOperator(
  prisma: Client,
  operatorId: string,
  now: Date,
  initiator: Initiator,
): Promise<ChangeResult<NewLink>> {
  const operator = await lockChangeable(prisma, operatorId, initiator);
  const data = { ...NO_SECOND_FACTOR, passwordHash: null, oidcIssuer: null, oidcSubject: null };
  await prisma.operator.update({ where: { id: operator.id }, data });
  await signOut(operator.locked);
  const result = await createLink(prisma, { operatorId: operator.id, at: now });
  return { result, audit: createOperatorEntry('operator.reset', operator) };
}

/** Invalidates earlier links. @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT */
export async function issueLink(
  prisma: Client,
  operatorId: string,
  now: Date,
  initiator: Initiator,
): Promise<ChangeResult<NewLink>> {
  const operator = await lockChangeable(prisma, operatorId, initiator);
  if (!operator.isActive) throw new AppError('CONFLICT', `the operator ${operator.name} is switched off`);
  await operator.locked.endLinks();
  const result = await createLink(prisma, { operatorId: operator.id, at: now });
  return { result, audit: createOperatorEntry('operator.link', operator) };
}

/**
 * The name of a removed operator stays in the audit log.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function removeOperator(
  prisma: Client,
  operatorId: string,
  initiator: Initiator,
): Promise<ChangeResult<null>> {
  const operator = await lockChangeable(prisma, operatorId, initiator);
  await prisma.operator.delete({ where: { id: operator.id } });
  await requireOwner(prisma);
  const { name, grants } = operator;
  const audit = createEntriesByScope(listScopesWithInstallation(grants), (scope) => ({
    ...createOperatorEntry('operator.remove', operator),
    before: { name, grants: scope === null ? toAuditGrants(grants) : filterGrants(grants, scope) },
  }));
  return { result: null, audit };
}

export async function requireOperatorId(prisma: Pick<PrismaClient, 'operator'>, name: string): Promise<string> {
  const operator = await prisma.operator.findUnique({
    where: { name: normalizeOperatorName(name) },
    select: { id: true },
  });
  if (!operator) throw new AppError('NOT_FOUND', `there is no operator ${normalizeOperatorName(name)}`);
  return operator.id;
}

/** A caller may change an operator only if the caller could grant all of the operator's roles. */
async function lockChangeable(prisma: Client, operatorId: string, initiator: Initiator) {
  const authority = await lockAuthority(prisma, initiator, null);
  const operator = await lockOperator(authority, operatorId);
  for (const grant of operator.grants) requireCanGrant(authority, grant);
  return operator;
}

async function signOut(locked: LockedOperator): Promise<void> {
  await locked.endSessions();
  await locked.endLinks();
}
