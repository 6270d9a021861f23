import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { hashKey } from '../../keys.js';
import type { HeldOperator } from '../held.js';
import { operatorName } from '../operators.js';
import type { Browser } from '../sessions/sessions.js';
import { isToken } from '../tokens.js';
import { type AttemptOptions, limited } from './attempts.js';
import { type EnteringOptions, enter, type SignInResult } from './entering.js';
import { isPassword } from './passwords.js';
import { hasSecondFactor, takeCode } from './second-factor.js';

export interface SignInOptions extends AttemptOptions, Pick<EnteringOptions, 'sessions'> {
  prisma: AttemptOptions['prisma'] & EnteringOptions['prisma'] & Pick<PrismaClient, 'operator' | 'signInLink'>;
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
  place: Browser,
): Promise<SignInResult> {
  const name = operatorName(input.name);
  const refusal = () => new AppError('UNAUTHORIZED', 'The name or the password is wrong.');
  return limited(options, { name, address: place.address }, async () => {
    const operator = await options.prisma.operator.findUnique({ where: { name } });
    const matches = await isPassword(operator?.passwordHash ?? null, password);
    if (!operator?.isActive || !matches) throw refusal();
    return enter(options, operator, {
      way: 'password',
      place,
      refusal,
      prove: async (held) => {
        // The check took a while, in which it may have become another, or none.
        if (held.row.passwordHash !== operator.passwordHash) throw refusal();
        return (await isMissingCode(options, held, code)) ? 'code needed' : [];
      },
    });
  });
}

/**
 * Signs in by a link, which is good for nothing afterwards.
 * @throws {AppError} UNAUTHORIZED for one that is unknown, used or too old, RATE_LIMITED and INVALID_REQUEST as by password
 */
export async function signInByLink(
  options: SignInOptions,
  { token, code }: { token: string } & Code,
  place: Browser,
): Promise<SignInResult> {
  const { prisma, clock } = options;
  const link = isToken(token)
    ? await prisma.signInLink.findUnique({ where: { tokenHash: hashKey(token) }, include: { operator: true } })
    : null;
  if (!link?.operator.isActive || link.expiresAt <= clock.now()) throw uselessLink();
  const { id, operator } = link;
  const use = () =>
    enter(options, operator, {
      way: 'link',
      place,
      refusal: uselessLink,
      prove: async (held) => {
        // Of two uses at once, the second finds none; nor does one after a change of how the operator signs in.
        if ((await held.prisma.signInLink.count({ where: { id } })) === 0) throw uselessLink();
        if (await isMissingCode(options, held, code)) return 'code needed';
        await held.prisma.signInLink.delete({ where: { id } });
        return [];
      },
    });
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
async function isMissingCode({ clock }: Pick<SignInOptions, 'clock'>, held: HeldOperator, code: string | undefined) {
  if (!hasSecondFactor(held.row)) return false;
  if (code === undefined) return true;
  if (await takeCode(held, { code, at: clock.now() })) return false;
  throw invalidField('code', 'is wrong, or was used before');
}
