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

interface SecondFactorInput {
  code?: string;
}

/**
 * Signs in by name and password.
 * @throws {AppError} UNAUTHORIZED, without revealing what was wrong, not even by the response time; RATE_LIMITED after
 *   too many failures; INVALID_REQUEST for a wrong code
 */
export async function signInByPassword(
  options: SignInOptions,
  { password, code, ...input }: { name: string; password: string } & SecondFactorInput,
  browser: Browser,
): Promise<SignInResult> {
  const name = operatorName(input.name);
  const refusal = () => new AppError('UNAUTHORIZED', 'The name or the password is wrong.');
  return limited(options, { name, address: browser.address }, async () => {
    const operator = await options.prisma.operator.findUnique({ where: { name } });
    const matches = await isPassword(operator?.passwordHash ?? null, password);
    if (!operator?.isActive || !matches) throw refusal();
    return enter(options, operator, {
      way: 'password',
      place: browser,
      refusal,
      prove: async (held) => {
        // The check took a while, and the password may have changed in the meantime.
        if (held.row.passwordHash !== operator.passwordHash) throw refusal();
        return (await isMissingCode(options, held, code)) ? 'code needed' : [];
      },
    });
  });
}

/**
 * Signs in by a one-time link.
 * @throws {AppError} UNAUTHORIZED for a link that is unknown, used or expired; RATE_LIMITED and INVALID_REQUEST as by
 *   password
 */
export async function signInByLink(
  options: SignInOptions,
  { token, code }: { token: string } & SecondFactorInput,
  browser: Browser,
): Promise<SignInResult> {
  const { prisma, clock } = options;
  const link = isToken(token)
    ? await prisma.signInLink.findUnique({ where: { tokenHash: hashKey(token) }, include: { operator: true } })
    : null;
  if (!link?.operator.isActive || link.expiresAt <= clock.now()) throw invalidLink();
  const { id, operator } = link;
  const consumeLink = () =>
    enter(options, operator, {
      way: 'link',
      place: browser,
      refusal: invalidLink,
      prove: async (held) => {
        // The link is gone after a concurrent use, or after a change of how the operator signs in.
        if ((await held.prisma.signInLink.count({ where: { id } })) === 0) throw invalidLink();
        if (await isMissingCode(options, held, code)) return 'code needed';
        await held.prisma.signInLink.delete({ where: { id } });
        return [];
      },
    });
  // Links cannot be guessed, so failures by password must not block them. Codes can be guessed.
  if (!hasSecondFactor(operator)) return consumeLink();
  return limited(options, { name: operator.name, address: browser.address }, consumeLink);
}

function invalidLink(): AppError {
  return new AppError('UNAUTHORIZED', 'The link was already used or has expired. Ask for a new one.');
}

/**
 * Returns whether the operator must still enter a code of the second factor.
 * @throws {AppError} INVALID_REQUEST for a wrong code
 */
async function isMissingCode({ clock }: Pick<SignInOptions, 'clock'>, held: HeldOperator, code: string | undefined) {
  if (!hasSecondFactor(held.row)) return false;
  if (code === undefined) return true;
  if (await takeCode(held, { code, at: clock.now() })) return false;
  throw invalidField('code', 'is wrong, or was used before');
}
