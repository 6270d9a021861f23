import { invalidField } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import type { HeldOperator } from '../held.js';
import { type AttemptOptions, limited } from './attempts.js';
import { checkNewPassword, hashPassword, isPassword } from './passwords.js';

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
 * Checks the current password of a signed-in operator and hashes the new one. Hashing is slow, so it happens outside the
 * transaction of `setOwnPassword`, and only after the attempt is counted: requests over the limit must cost nothing.
 * @param input.current ignored if the operator has no password
 * @param mayStart called for an operator without a password, before anything is hashed; throws to refuse
 * @throws {AppError} INVALID_REQUEST for a wrong current or an invalid new password, RATE_LIMITED after too many failures
 */
export async function proveOwnPassword(
  options: OwnPasswordOptions,
  { operatorId, address, current = '', password }: ChangeOfPassword,
  mayStart: () => void,
): Promise<ProvedPassword> {
  const { name, passwordHash: before } = await options.prisma.operator.findUniqueOrThrow({ where: { id: operatorId } });
  if (before === null) mayStart();
  checkNewPassword(password);
  return limited(options, { name, address }, async () => {
    if (before !== null && !(await isPassword(before, current))) throw wrongPassword();
    return { before, passwordHash: await hashPassword(password) };
  });
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
