import { AppError } from '../../../platform/errors/app-error.js';
import type { Operator, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { isUniqueViolation } from '../../../platform/store/prisma-errors.js';
import type { AuditEntryInput, ChangeResult } from '../../audit/change.js';
import type { LockedOperator } from '../locked-operator.js';
import { normalizeOperatorName } from '../operators.js';
import { hasSecondFactor, NO_SECOND_FACTOR } from '../sign-in/second-factor.js';
import { OidcFailure } from './problems.js';
import type { Identity } from './provider.js';

/**
 * Only ASCII e-mail addresses are accepted, because lower-casing maps some other characters to ASCII letters and could produce
 * another operator's name.
 */
const ASCII_EMAIL = /^[!-~][!-?A-~]*@[!-~]+$/;

type IdentityKey = Pick<Identity, 'issuer' | 'subject'>;

export function isLinked({ oidcSubject }: Pick<Operator, 'oidcSubject'>): boolean {
  return oidcSubject !== null;
}

/**
 * At the first sign-in by OpenID Connect, the verified e-mail address must be the operator's name. Later sign-ins are matched
 * by the identity's subject, which an issuer never reassigns.
 * @throws {OidcFailure} `unverified`, `unknown`
 */
export async function findLinkedOperator(
  { prisma }: { prisma: Pick<PrismaClient, 'operator'> },
  identity: Identity,
): Promise<OperatorMatch> {
  const { issuer: oidcIssuer, subject: oidcSubject } = identity;
  const linkedOperator = await prisma.operator.findUnique({
    where: { oidcIssuer_oidcSubject: { oidcIssuer, oidcSubject } },
  });
  if (linkedOperator) return { operator: linkedOperator, by: 'subject' };
  const email = await identity.verifiedEmail();
  if (email === null) throw new OidcFailure('unverified');
  if (!ASCII_EMAIL.test(email)) throw new OidcFailure('unknown');
  const namedOperator = await prisma.operator.findUnique({ where: { name: normalizeOperatorName(email) } });
  if (!namedOperator) throw new OidcFailure('unknown');
  return { operator: namedOperator, by: 'email' };
}

export interface OperatorMatch {
  operator: { id: string; name: string };
  by: 'subject' | 'email';
}

/**
 * A sign-in that was matched by e-mail address links the identity and removes the operator's other sign-in methods and
 * sessions. Without the removal, a person who had created an operator with someone else's e-mail address could keep access.
 * @throws {OidcFailure} `taken`, `expired`
 */
export async function acceptIdentity(
  locked: LockedOperator,
  { by }: OperatorMatch,
  identity: IdentityKey,
): Promise<readonly AuditEntryInput[]> {
  const { oidcIssuer, oidcSubject } = locked.row;
  if (oidcIssuer === identity.issuer && oidcSubject === identity.subject) return [];
  if (by === 'subject') throw new OidcFailure('expired');
  const { line, after } = await linkRow(locked, identity);
  const removedAccess = await removeOtherAccess(locked);
  return [{ ...line, after: { ...after, by, ...(removedAccess && { ended: removedAccess }) } }];
}

/** @throws {OidcFailure} `taken` */
export async function linkIdentity(locked: LockedOperator, identity: IdentityKey): Promise<ChangeResult<null>> {
  const { line, after } = await linkRow(locked, identity);
  return { result: null, audit: { ...line, after: { ...after, by: 'operator' } } };
}

async function linkRow({ prisma, row: { id, name, ...row } }: LockedOperator, { issuer, subject }: IdentityKey) {
  if (isLinked(row)) throw new OidcFailure('taken');
  try {
    await prisma.operator.update({ where: { id }, data: { oidcIssuer: issuer, oidcSubject: subject } });
  } catch (error) {
    throw isUniqueViolation(error) ? new OidcFailure('taken') : error;
  }
  return { line: { action: 'oidc-link.create', subject: id }, after: { name, issuer, subject } };
}

/** Returns undefined if the operator had no other sign-in methods and no sessions. */
async function removeOtherAccess(locked: LockedOperator) {
  const { prisma, row } = locked;
  const data = { ...NO_SECOND_FACTOR, passwordHash: null };
  await prisma.operator.update({ where: { id: row.id }, data });
  const links = await locked.endLinks();
  const sessions = await locked.endSessions();
  const removedAccess = { password: row.passwordHash !== null, secondFactor: hasSecondFactor(row), sessions, links };
  return Object.values(removedAccess).some(Boolean) ? removedAccess : undefined;
}

/** @throws {AppError} CONFLICT if not linked */
export async function unlinkIdentity({ prisma, row }: LockedOperator): Promise<ChangeResult<null>> {
  const { id, oidcIssuer: issuer, oidcSubject: subject } = row;
  if (!isLinked(row)) throw new AppError('CONFLICT', 'This operator is not linked to OpenID Connect.');
  await prisma.operator.update({ where: { id }, data: { oidcIssuer: null, oidcSubject: null } });
  return { result: null, audit: { action: 'oidc-link.remove', subject: id, before: { issuer, subject } } };
}
