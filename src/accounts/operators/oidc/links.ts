import { AppError } from '../../../platform/errors/app-error.js';
import type { Operator, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { isUniqueViolation } from '../../../platform/store/prisma-errors.js';
import { type Actor, type AuditStore, audit } from '../../audit/audit-log.js';
import { operatorName } from '../operators.js';
import { OidcFailure } from './problems.js';
import type { Identity } from './provider.js';

/** Of other letters some become ASCII in lower case, as the sign of kelvin does: another address would be the name then. */
const ASCII_EMAIL = /^[!-~]+@[!-~]+$/;

export interface OidcLinkOptions {
  prisma: Pick<PrismaClient, 'operator'> & AuditStore;
}

/** Whether an operator signs in by OpenID Connect. */
export function isLinked({ oidcSubject }: Pick<Operator, 'oidcSubject'>): boolean {
  return oidcSubject !== null;
}

/**
 * The operator who somebody of the issuer is. Who comes for the first time is the operator whose name is their verified
 * e-mail address, and from then on by what the issuer never changes or gives to another: its subject.
 * @throws {OidcFailure} `unverified`, `unknown`, `taken`, `off`
 */
export async function operatorOf(options: OidcLinkOptions, identity: Identity, address: string): Promise<Operator> {
  const { prisma } = options;
  const { issuer: oidcIssuer, subject: oidcSubject } = identity;
  const linked = await prisma.operator.findUnique({ where: { oidcIssuer_oidcSubject: { oidcIssuer, oidcSubject } } });
  if (linked) return activeOne(linked);
  const email = await identity.verifiedEmail();
  if (email === null) throw new OidcFailure('unverified');
  if (!ASCII_EMAIL.test(email)) throw new OidcFailure('unknown');
  const named = await prisma.operator.findUnique({ where: { name: operatorName(email) } });
  if (!named) throw new OidcFailure('unknown');
  const operator = activeOne(named);
  await link(options, { operator, identity, address, by: 'email' });
  return operator;
}

/**
 * Lets an operator sign in by who they are to the issuer from now on.
 * @param input.by their e-mail address, or the operator who was signed in
 * @throws {OidcFailure} `taken` where the operator is linked already, or somebody else to this identity
 */
export async function link(
  { prisma }: OidcLinkOptions,
  { operator, identity, address, by }: NewOidcLink,
): Promise<void> {
  const { id, name } = operator;
  const { issuer, subject } = identity;
  try {
    const { count } = await prisma.operator.updateMany({
      where: { id, oidcSubject: null, isActive: true },
      data: { oidcIssuer: issuer, oidcSubject: subject },
    });
    if (count === 0) throw new OidcFailure('taken');
  } catch (error) {
    throw isUniqueViolation(error) ? new OidcFailure('taken') : error;
  }
  const actor: Actor = { kind: 'operator', id, name, address };
  const after = { name, issuer, subject, by };
  await audit(prisma, { actor, action: 'oidc-link.create', accountId: null, subject: id, after });
}

interface NewOidcLink {
  operator: { id: string; name: string };
  identity: Pick<Identity, 'issuer' | 'subject'>;
  /** From where the request comes. */
  address: string;
  by: 'email' | 'operator';
}

/**
 * Has an operator sign in by OpenID Connect no more.
 * @returns who they were to the issuer
 * @throws {AppError} CONFLICT where they do not
 */
export async function unlink(
  { prisma }: Pick<OidcLinkOptions, 'prisma'>,
  operatorId: string,
): Promise<{ issuer: string | null; subject: string | null }> {
  const before = await prisma.operator.findUniqueOrThrow({ where: { id: operatorId } });
  if (!isLinked(before)) throw new AppError('CONFLICT', 'This operator does not sign in by OpenID Connect.');
  await prisma.operator.update({ where: { id: operatorId }, data: { oidcIssuer: null, oidcSubject: null } });
  return { issuer: before.oidcIssuer, subject: before.oidcSubject };
}

function activeOne(operator: Operator): Operator {
  if (!operator.isActive) throw new OidcFailure('off');
  return operator;
}
