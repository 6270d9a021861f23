import type { Clock } from '../../../platform/clock.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import type { Operator, PrismaClient } from '../../../platform/generated/prisma/client.js';
import type { LockedOperator } from '../locked-operator.js';
import { type AttemptOptions, limitAttempts } from './attempts.js';
import { verifyPassword } from './passwords.js';
import { consumeCode, hasSecondFactor } from './second-factor.js';

export const CONFIRMATION_LIFETIME_MS = 10 * 60_000;

/** If the method is null, the operator can confirm their identity only by signing in again. */
export type ConfirmationMethod = 'password' | 'code' | null;

export function findConfirmationMethod(
  operator: Pick<Operator, 'passwordHash' | 'totpConfirmedAt'>,
): ConfirmationMethod {
  if (operator.passwordHash !== null) return 'password';
  return hasSecondFactor(operator) ? 'code' : null;
}

export function getConfirmationEnd({ createdAt, confirmedAt }: { createdAt: Date; confirmedAt: Date | null }): Date {
  return new Date((confirmedAt ?? createdAt).getTime() + CONFIRMATION_LIFETIME_MS);
}

/**
 * Requires that the operator has recently confirmed their identity, to protect sign-in methods from anyone who finds an
 * unattended browser.
 * @throws {AppError} CONFIRMATION_NEEDED
 */
export function requireConfirmed(session: { createdAt: Date; confirmedAt: Date | null }, clock: Clock): void {
  if (getConfirmationEnd(session) > clock.now()) return;
  throw new AppError(
    'CONFIRMATION_NEEDED',
    'Confirm your identity with your password or a code of your second factor. If you have neither, sign in again.',
  );
}

export interface ConfirmOptions extends AttemptOptions {
  prisma: AttemptOptions['prisma'] & Pick<PrismaClient, 'operator'>;
}

/** @throws {AppError} INVALID_REQUEST, RATE_LIMITED */
export async function confirmSession(
  options: ConfirmOptions,
  { operatorId, sessionId, address, password, code }: ConfirmationInput,
  change: (work: (locked: LockedOperator) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { prisma, clock } = options;
  const { name, passwordHash, totpConfirmedAt } = await prisma.operator.findUniqueOrThrow({
    where: { id: operatorId },
  });
  const method = findConfirmationMethod({ passwordHash, totpConfirmedAt });
  if (method === null)
    throw invalidField('password', 'is not set, and neither is a second factor; sign in again instead');
  if (method === 'password' && password === undefined) throw invalidField('password', 'is required');
  if (method === 'code' && code === undefined) throw invalidField('code', 'is required');
  const wrongProof =
    method === 'password'
      ? invalidField('password', 'is wrong', 'wrong-proof')
      : invalidField('code', 'is wrong, or was used before', 'wrong-proof');
  await limitAttempts(options, { name, address }, async () => {
    // Verify the password before the transaction, because hashing is slow.
    if (method === 'password' && !(await verifyPassword(passwordHash, password ?? ''))) throw wrongProof;
    await change(async (locked) => {
      const now = clock.now();
      const isProved =
        method === 'password'
          ? locked.row.passwordHash === passwordHash
          : await consumeCode(locked, { code: code ?? '', at: now });
      if (!isProved) throw wrongProof;
      await locked.prisma.operatorSession.updateMany({ where: { id: sessionId }, data: { confirmedAt: now } });
    });
  });
}

interface ConfirmationInput {
  operatorId: string;
  sessionId: string;
  address: string;
  password: string | undefined;
  code: string | undefined;
}
