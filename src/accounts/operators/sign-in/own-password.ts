import { invalidField } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import type { HeldOperator } from '../held.js';
import { type AttemptOptions, limited } from './attempts.js';
import { hashPassword, isPassword } from './passwords.js';

export interface OwnPasswordOptions extends AttemptOptions {
  prisma: AttemptOptions['prisma'] & Pick<PrismaClient, 'operator'>;
}

/** A new password for who knows the one before. */
export interface ProvedPassword {
  /** The hash that was checked; null: there was no password. */
  before: string | null;
  passwordHash: string;
}

/**
 * Checks the password of an operator who is signed in and wants another, and makes the hash of that. It takes long, so it
 * is done before anybody is held up; see `setOwnPassword`.
 * @param input.current the one so far; not asked of who has none
 * @throws {AppError} INVALID_REQUEST for a wrong current or a bad new one, RATE_LIMITED after too many wrong ones
 */
export async function proveOwnPassword(
  options: OwnPasswordOptions,
  { operatorId, address, current = '', password }: ChangeOfPassword,
): Promise<ProvedPassword> {
  const { name, passwordHash: before } = await options.prisma.operator.findUniqueOrThrow({ where: { id: operatorId } });
  const passwordHash = await hashPassword(password);
  await limited(options, { name, address }, async () => {
    if (before !== null && !(await isPassword(before, current))) throw wrongPassword();
  });
  return { before, passwordHash };
}

/**
 * Gives an operator another password, unless the one that was checked is theirs no more. It ends all sessions but the one
 * that it is changed in, and unused links.
 * @throws {AppError} INVALID_REQUEST where it was changed or taken away meanwhile
 */
export async function setOwnPassword(
  held: HeldOperator,
  { before, passwordHash }: ProvedPassword,
  sessionId: string,
): Promise<void> {
  if (held.row.passwordHash !== before) throw wrongPassword();
  await held.prisma.operator.update({ where: { id: held.row.id }, data: { passwordHash } });
  await held.endSessions(sessionId);
  await held.endLinks();
}

function wrongPassword(): Error {
  return invalidField('current', 'is wrong');
}

interface ChangeOfPassword {
  operatorId: string;
  /** From where the attempt comes. */
  address: string;
  current?: string;
  password: string;
}
