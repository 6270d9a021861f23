import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { Operator, PrismaClient } from '../../platform/generated/prisma/client.js';
import { type Actor, type AuditStore, audit } from '../audit/audit-log.js';
import { hashKey } from '../keys.js';
import { type AttemptOptions, limited } from './attempts.js';
import { operatorName } from './operators.js';
import { isPassword } from './passwords.js';
import { hasSecondFactor, takeCode } from './second-factor.js';
import type { NewSession, Place, Sessions, SignInWay } from './sessions.js';
import { isToken } from './tokens.js';

/** What a sign-in leads to: a session, or the question for the code of the second factor. */
export type SignInResult = { session: NewSession; operator: { id: string; name: string } } | 'code needed';

export interface SignInOptions extends AttemptOptions {
  prisma: AttemptOptions['prisma'] & Pick<PrismaClient, 'operator' | 'signInLink'> & AuditStore;
  sessions: Pick<Sessions, 'begin'>;
}

/** Of the second factor, where the operator has one. */
interface Code {
  code?: string;
}

/**
 * Signs in by name and password.
 * @throws {AppError} UNAUTHORIZED; it does not tell what was wrong, nor does the time that it takes. RATE_LIMITED after
 * too many failures, INVALID_REQUEST for a wrong code
 */
export async function signInByPassword(
  options: SignInOptions,
  { password, code, ...input }: { name: string; password: string } & Code,
  place: Place,
): Promise<SignInResult> {
  const name = operatorName(input.name);
  return limited(options, { name, address: place.address }, async () => {
    const operator = await options.prisma.operator.findUnique({ where: { name } });
    const matches = await isPassword(operator?.passwordHash ?? null, password);
    if (!operator?.isActive || !matches) throw new AppError('UNAUTHORIZED', 'The name or the password is wrong.');
    return (await isMissingCode(options, operator, code))
      ? 'code needed'
      : beginSession(options, operator, { way: 'password', place });
  });
}

/**
 * Signs in by a link, which is good for nothing afterwards.
 * @throws {AppError} UNAUTHORIZED for one that is unknown, used or too old, RATE_LIMITED and INVALID_REQUEST as by password
 */
export async function signInByLink(
  options: SignInOptions,
  { token, code }: { token: string } & Code,
  place: Place,
): Promise<SignInResult> {
  const { prisma, clock } = options;
  const link = isToken(token)
    ? await prisma.signInLink.findUnique({ where: { tokenHash: hashKey(token) }, include: { operator: true } })
    : null;
  if (!link?.operator.isActive || link.expiresAt <= clock.now()) throw uselessLink();
  const { operator } = link;
  const use = async (): Promise<SignInResult> => {
    if (await isMissingCode(options, operator, code)) return 'code needed';
    // Of two uses at once, one finds the row.
    const { count } = await prisma.signInLink.deleteMany({ where: { id: link.id } });
    if (count === 0) throw uselessLink();
    return beginSession(options, operator, { way: 'link', place });
  };
  // Nobody guesses a link, so who fails at the password keeps nobody from using theirs; a code can be guessed.
  if (!hasSecondFactor(operator)) return use();
  return limited(options, { name: operator.name, address: place.address }, use);
}

function uselessLink(): AppError {
  return new AppError('UNAUTHORIZED', 'The link was used before or is too old. Ask for another.');
}

/**
 * Whether the code of the second factor must be asked for.
 * @throws {AppError} INVALID_REQUEST for a wrong one
 */
async function isMissingCode({ prisma, clock }: SignInOptions, operator: Operator, code: string | undefined) {
  if (!hasSecondFactor(operator)) return false;
  if (code === undefined) return true;
  if (await takeCode(prisma, { operator, code, at: clock.now() })) return false;
  throw invalidField('code', 'is wrong, or was used before');
}

/** Begins the session of an operator who has proved who they are, and writes it down. */
export async function beginSession(
  { prisma, sessions }: Pick<SignInOptions, 'prisma' | 'sessions'>,
  { id, name }: { id: string; name: string },
  { way, place }: { way: SignInWay; place: Place },
): Promise<Exclude<SignInResult, string>> {
  const session = await sessions.begin(id, place, way);
  const actor: Actor = { kind: 'operator', id, name, address: place.address };
  await audit(prisma, { actor, action: 'session.create', accountId: null, subject: session.id, after: { way } });
  return { session, operator: { id, name } };
}
