import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { hashKey } from '../keys.js';
import { operatorName } from './operators.js';
import { isPassword } from './passwords.js';
import type { NewSession, Place, Sessions } from './sessions.js';
import { isToken } from './tokens.js';

/** What a sign-in leads to: a session, or the question for the code of the second factor. */
export type SignInResult = { session: NewSession; operator: { id: string; name: string } } | 'code needed';

export interface SignInOptions {
  prisma: Pick<PrismaClient, 'operator' | 'signInLink'>;
  clock: Clock;
  sessions: Pick<Sessions, 'begin'>;
}

/**
 * Signs in by name and password.
 * @throws {AppError} UNAUTHORIZED; it does not tell what was wrong, nor does the time that it takes
 */
export async function signInByPassword(
  options: SignInOptions,
  { name, password }: { name: string; password: string },
  place: Place,
): Promise<SignInResult> {
  const operator = await options.prisma.operator.findUnique({ where: { name: operatorName(name) } });
  const matches = await isPassword(operator?.passwordHash ?? null, password);
  if (!operator?.isActive || !matches) throw new AppError('UNAUTHORIZED', 'The name or the password is wrong.');
  return begin(options, operator, place);
}

/**
 * Signs in by a link, which is good for nothing afterwards.
 * @throws {AppError} UNAUTHORIZED for one that is unknown, used or too old
 */
export async function signInByLink(
  options: SignInOptions,
  { token }: { token: string },
  place: Place,
): Promise<SignInResult> {
  const { prisma, clock } = options;
  const link = isToken(token)
    ? await prisma.signInLink.findUnique({ where: { tokenHash: hashKey(token) }, include: { operator: true } })
    : null;
  if (!link?.operator.isActive || link.expiresAt <= clock.now()) throw uselessLink();
  // Of two uses at once, one finds the row.
  const { count } = await prisma.signInLink.deleteMany({ where: { id: link.id } });
  if (count === 0) throw uselessLink();
  return begin(options, link.operator, place);
}

function uselessLink(): AppError {
  return new AppError('UNAUTHORIZED', 'The link was used before or is too old. Ask for another.');
}

async function begin(
  { sessions }: SignInOptions,
  { id, name }: { id: string; name: string },
  place: Place,
): Promise<SignInResult> {
  return { session: await sessions.begin(id, place), operator: { id, name } };
}
