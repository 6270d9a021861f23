import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { hashKey } from '../../keys.js';
import type { LockedOperator } from '../locked-operator.js';
import { normalizeOperatorName } from '../operators.js';
import type { BrowserClient } from '../sessions/sessions.js';
import { isToken } from '../tokens.js';
import { type AttemptOptions, limitAttempts } from './attempts.js';
import { verifyPassword } from './passwords.js';
import { consumeCode, hasSecondFactor } from './second-factor.js';
import { type SignInResult, type StartSessionOptions, startSession } from './start-session.js';

export interface SignInOptions extends AttemptOptions, Pick<StartSessionOptions, 'sessions'> {
  prisma: AttemptOptions['prisma'] & StartSessionOptions['prisma'] & Pick<PrismaClient, 'operator' | 'signInLink'>;
}

interface SecondFactorInput {
  code?: string;
}

/**
 * Neither the error nor the response time reveals whether the name or the password was wrong.
 * @throws {AppError} UNAUTHORIZED, RATE_LIMITED, INVALID_REQUEST
 */
export async function signInByPassword(
  options: SignInOptions,
  { password, code, ...input }: { name: string; password: string } & SecondFactorInput,
  browser: BrowserClient,
): Promise<SignInResult> {
  const name = normalizeOperatorName(input.name);
  const refusal = () => new AppError('UNAUTHORIZED', 'The name or the password is wrong.');
  return limitAttempts(options, { name, address: browser.address }, async () => {
    const operator = await options.prisma.operator.findUnique({ where: { name } });
    const matches = await verifyPassword(operator?.passwordHash ?? null, password);
    if (!operator?.isActive || !matches) throw refusal();
    return startSession(options, operator, {
      way: 'password',
      browser,
      refusal,
      prove: async (locked) => {
        // Compare the password hashes, because the password may have changed during the slow check.
        if (locked.row.passwordHash !== operator.passwordHash) throw refusal();
        return (await isMissingCode(options, locked, code)) ? 'code needed' : [];
      },
    });
  });
}

/** @throws {AppError} UNAUTHORIZED, RATE_LIMITED, INVALID_REQUEST */
export async function signInByLink(
  options: SignInOptions,
  { token, code }: { token: string } & SecondFactorInput,
  browser: BrowserClient,
): Promise<SignInResult> {
  const { prisma, clock } = options;
  const link = isToken(token)
    ? await prisma.signInLink.findUnique({ where: { tokenHash: hashKey(token) }, include: { operator: true } })
    : null;
  if (!link?.operator.isActive || link.expiresAt <= clock.now()) throw createInvalidLinkError();
  const { id, operator } = link;
  const consumeLink = () =>
    startSession(options, operator, {
      way: 'link',
      browser,
      refusal: createInvalidLinkError,
      prove: async (locked) => {
        // Check the link again, because a concurrent sign-in or a change of sign-in methods may have deleted it.
        if ((await locked.prisma.signInLink.count({ where: { id } })) === 0) throw createInvalidLinkError();
        if (await isMissingCode(options, locked, code)) return 'code needed';
        await locked.prisma.signInLink.delete({ where: { id } });
        return [];
      },
    });
  // Failed passwords must not block sign-in links, because links cannot be guessed. Codes can be guessed.
  if (!hasSecondFactor(operator)) return consumeLink();
  return limitAttempts(options, { name: operator.name, address: browser.address }, consumeLink);
}

function createInvalidLinkError(): AppError {
  return new AppError('UNAUTHORIZED', 'The link was already used or has expired. Ask for a new one.');
}

/** @throws {AppError} INVALID_REQUEST */
async function isMissingCode(
  { clock }: Pick<SignInOptions, 'clock'>,
  locked: LockedOperator,
  code: string | undefined,
) {
  if (!hasSecondFactor(locked.row)) return false;
  if (code === undefined) return true;
  if (await consumeCode(locked, { code, at: clock.now() })) return false;
  throw invalidField('code', 'is wrong, or was used before', 'wrong-proof');
}
