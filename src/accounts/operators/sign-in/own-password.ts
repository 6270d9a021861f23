import { invalidField } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import type { LockedOperator } from '../locked-operator.js';
import { type AttemptOptions, limitAttempts } from './attempts.js';
import { checkNewPassword, hashPassword, verifyPassword } from './passwords.js';

export interface OwnPasswordOptions extends AttemptOptions {
  prisma: AttemptOptions['prisma'] & Pick<PrismaClient, 'operator'>;
}

export interface CheckedPassword {
  before: string | null;
  passwordHash: string;
}

/**
 * Hashes the new password before the transaction of `setOwnPassword`, because hashing is slow. If the operator has no password
 * yet, `requireAllowed` is called first and may throw.
 * @throws {AppError} INVALID_REQUEST, RATE_LIMITED
 */
export async function checkOwnPassword(
  options: OwnPasswordOptions,
  { operatorId, address, current = '', password }: PasswordChange,
  requireAllowed: () => void,
): Promise<CheckedPassword> {
  const { name, passwordHash: before } = await options.prisma.operator.findUniqueOrThrow({ where: { id: operatorId } });
  if (before === null) requireAllowed();
  checkNewPassword(password);
  return limitAttempts(options, { name, address }, async () => {
    if (before !== null && !(await verifyPassword(before, current))) throw createWrongPasswordError();
    return { before, passwordHash: await hashPassword(password) };
  });
}

/**
 * A new password revokes the operator's unused sign-in links and ends all sessions except the current session. The change fails
 * if the password has changed since `checkOwnPassword`.
 * @throws {AppError} INVALID_REQUEST
 */
export async function setOwnPassword(
  locked: LockedOperator,
  { before, passwordHash }: CheckedPassword,
  sessionId: string,
): Promise<void> {
  if (locked.row.passwordHash !== before) throw createWrongPasswordError();
  await locked.prisma.operator.update({ where: { id: locked.row.id }, data: { passwordHash } });
  await locked.endSessions(sessionId);
  await locked.endLinks();
}

function createWrongPasswordError(): Error {
  return invalidField('current', 'is wrong', 'wrong-proof');
}

interface PasswordChange {
  operatorId: string;
  address: string;
  current?: string;
  password: string;
}
