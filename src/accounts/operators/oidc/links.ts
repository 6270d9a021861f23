import { AppError } from '../../../platform/errors/app-error.js';
import type { Operator, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { isUniqueViolation } from '../../../platform/store/prisma-errors.js';
import type { Changed, ToldChange } from '../../audit/change.js';
import type { HeldOperator } from '../held.js';
import { operatorName } from '../operators.js';
import { hasSecondFactor, NO_SECOND_FACTOR } from '../sign-in/second-factor.js';
import { OidcFailure } from './problems.js';
import type { Identity } from './provider.js';

/** Of other letters some become ASCII in lower case, as the sign of kelvin does: another address would be the name then. */
const ASCII_EMAIL = /^[!-~][!-?A-~]*@[!-~]+$/;

type Named = Pick<Identity, 'issuer' | 'subject'>;

/** Whether an operator signs in by OpenID Connect. */
export function isLinked({ oidcSubject }: Pick<Operator, 'oidcSubject'>): boolean {
  return oidcSubject !== null;
}

/**
 * The operator who somebody of the issuer is. Who comes for the first time is the operator whose name is their verified
 * e-mail address, and from then on by what the issuer never changes or gives to another: its subject.
 * @throws {OidcFailure} `unverified`, `unknown`
 */
export async function operatorOf(
  { prisma }: { prisma: Pick<PrismaClient, 'operator'> },
  identity: Identity,
): Promise<FoundOperator> {
  const { issuer: oidcIssuer, subject: oidcSubject } = identity;
  const linked = await prisma.operator.findUnique({ where: { oidcIssuer_oidcSubject: { oidcIssuer, oidcSubject } } });
  if (linked) return { operator: linked, by: 'subject' };
  const email = await identity.verifiedEmail();
  if (email === null) throw new OidcFailure('unverified');
  if (!ASCII_EMAIL.test(email)) throw new OidcFailure('unknown');
  const named = await prisma.operator.findUnique({ where: { name: operatorName(email) } });
  if (!named) throw new OidcFailure('unknown');
  return { operator: named, by: 'email' };
}

/** An operator, and what of the identity they were found by. */
export interface FoundOperator {
  operator: { id: string; name: string };
  by: 'subject' | 'email';
}

/**
 * Lets who was found by `operatorOf` in as this operator. Who comes by their e-mail address is linked first, and ends
 * whatever was there before them: anybody who may make operators could have made one of their name and kept its ways in.
 * @returns what it changed
 * @throws {OidcFailure} `taken` where the operator is linked to somebody else, or somebody else to this identity; `expired`
 * where they were unlinked meanwhile
 */
export async function recognize(
  held: HeldOperator,
  { by }: FoundOperator,
  identity: Named,
): Promise<readonly ToldChange[]> {
  const { oidcIssuer, oidcSubject } = held.row;
  if (oidcIssuer === identity.issuer && oidcSubject === identity.subject) return [];
  if (by === 'subject') throw new OidcFailure('expired');
  const { line, after } = await connect(held, identity);
  const ended = await endWaysBefore(held);
  return [{ ...line, after: { ...after, by, ...(ended && { ended }) } }];
}

/**
 * Lets an operator who is signed in sign in by who they are to the issuer too, from now on.
 * @throws {OidcFailure} `taken` as `recognize`
 */
export async function link(held: HeldOperator, identity: Named): Promise<Changed<null>> {
  const { line, after } = await connect(held, identity);
  return { result: null, told: { ...line, after: { ...after, by: 'operator' } } };
}

async function connect({ prisma, row: { id, name, ...row } }: HeldOperator, { issuer, subject }: Named) {
  if (isLinked(row)) throw new OidcFailure('taken');
  try {
    await prisma.operator.update({ where: { id }, data: { oidcIssuer: issuer, oidcSubject: subject } });
  } catch (error) {
    throw isUniqueViolation(error) ? new OidcFailure('taken') : error;
  }
  return { line: { action: 'oidc-link.create', subject: id }, after: { name, issuer, subject } };
}

/** @returns what there was; undefined: nothing */
async function endWaysBefore(held: HeldOperator) {
  const { prisma, row } = held;
  const data = { ...NO_SECOND_FACTOR, passwordHash: null };
  await prisma.operator.update({ where: { id: row.id }, data });
  const links = await held.endLinks();
  const sessions = await held.endSessions();
  const ended = { password: row.passwordHash !== null, secondFactor: hasSecondFactor(row), sessions, links };
  return Object.values(ended).some(Boolean) ? ended : undefined;
}

/**
 * Has an operator sign in by OpenID Connect no more.
 * @throws {AppError} CONFLICT where they do not
 */
export async function unlink({ prisma, row }: HeldOperator): Promise<Changed<null>> {
  const { id, oidcIssuer: issuer, oidcSubject: subject } = row;
  if (!isLinked(row)) throw new AppError('CONFLICT', 'This operator does not sign in by OpenID Connect.');
  await prisma.operator.update({ where: { id }, data: { oidcIssuer: null, oidcSubject: null } });
  return { result: null, told: { action: 'oidc-link.remove', subject: id, before: { issuer, subject } } };
}
