import type { Clock } from '../../../platform/clock.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import type { Operator, PrismaClient } from '../../../platform/generated/prisma/client.js';
import type { HeldOperator } from '../held.js';
import { type AttemptOptions, limited } from './attempts.js';
import { isPassword } from './passwords.js';
import { hasSecondFactor, takeCode } from './second-factor.js';

/** For how many milliseconds it counts that an operator has proved who they are; signing in counts as well. */
export const CONFIRMED_FOR_MS = 10 * 60_000;

/** By what an operator can prove again who they are. Without either they sign in anew. */
export type ConfirmedBy = 'password' | 'code' | null;

/** How an operator proves it: by the password, where they have one, else by a code of the second factor. */
export function confirmedBy(operator: Pick<Operator, 'passwordHash' | 'totpConfirmedAt'>): ConfirmedBy {
  if (operator.passwordHash !== null) return 'password';
  return hasSecondFactor(operator) ? 'code' : null;
}

/** Until when a session needs no other proof. */
export function confirmedUntil({ createdAt, confirmedAt }: { createdAt: Date; confirmedAt: Date | null }): Date {
  return new Date((confirmedAt ?? createdAt).getTime() + CONFIRMED_FOR_MS);
}

/**
 * What changes who can sign in is not for whoever finds a browser open: they must have proved lately who they are.
 * @throws {AppError} CONFIRMATION_NEEDED
 */
export function requireConfirmed(session: { createdAt: Date; confirmedAt: Date | null }, clock: Clock): void {
  if (confirmedUntil(session) > clock.now()) return;
  throw new AppError(
    'CONFIRMATION_NEEDED',
    'Confirm that it is you: by your password, or a code of your second factor; without either, sign in again.',
  );
}

export interface ConfirmOptions extends AttemptOptions {
  prisma: AttemptOptions['prisma'] & Pick<PrismaClient, 'operator'>;
}

/**
 * Confirms the session of an operator who proves who they are.
 * @param change makes a change while the operator is held, see `HeldOperator`
 * @throws {AppError} INVALID_REQUEST for a wrong proof, or one of another kind than they have; RATE_LIMITED after too many
 * wrong ones
 */
export async function confirmSession(
  options: ConfirmOptions,
  { operatorId, sessionId, address, password, code }: Proving,
  change: (work: (held: HeldOperator) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { prisma, clock } = options;
  const { name, passwordHash, totpConfirmedAt } = await prisma.operator.findUniqueOrThrow({
    where: { id: operatorId },
  });
  const by = confirmedBy({ passwordHash, totpConfirmedAt });
  if (by === null) throw invalidField('password', 'is not set, and there is no second factor: sign in again instead');
  if (by === 'password' && password === undefined) throw invalidField('password', 'is required');
  if (by === 'code' && code === undefined) throw invalidField('code', 'is required');
  const wrong =
    by === 'password' ? invalidField('password', 'is wrong') : invalidField('code', 'is wrong, or was used before');
  await limited(options, { name, address }, async () => {
    // It takes long, so it is done before anybody is held up.
    if (by === 'password' && !(await isPassword(passwordHash, password ?? ''))) throw wrong;
    await change(async (held) => {
      const at = clock.now();
      const isRight =
        by === 'password' ? held.row.passwordHash === passwordHash : await takeCode(held, { code: code ?? '', at });
      if (!isRight) throw wrong;
      await held.prisma.operatorSession.updateMany({ where: { id: sessionId }, data: { confirmedAt: at } });
    });
  });
}

interface Proving {
  operatorId: string;
  sessionId: string;
  /** From where the attempt comes. */
  address: string;
  password: string | undefined;
  code: string | undefined;
}
