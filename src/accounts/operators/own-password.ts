import { invalidField } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { type AttemptOptions, limited } from './attempts.js';
import { hashPassword, isPassword } from './passwords.js';

export interface OwnPasswordOptions extends AttemptOptions {
  prisma: AttemptOptions['prisma'] & Pick<PrismaClient, 'operator'>;
}

/**
 * Gives an operator who is signed in another password.
 * @param input.current the one so far; not asked of who has none
 * @throws {AppError} INVALID_REQUEST for a wrong current or a bad new one, RATE_LIMITED after too many wrong ones
 */
export async function changeOwnPassword(
  options: OwnPasswordOptions,
  { operatorId, address, current = '', password }: ChangeOfPassword,
): Promise<void> {
  const { prisma } = options;
  const { name, passwordHash: before } = await prisma.operator.findUniqueOrThrow({ where: { id: operatorId } });
  const passwordHash = await hashPassword(password);
  await limited(options, { name, address }, async () => {
    if (before !== null && !(await isPassword(before, current))) throw invalidField('current', 'is wrong');
  });
  await prisma.operator.update({ where: { id: operatorId }, data: { passwordHash } });
}

interface ChangeOfPassword {
  operatorId: string;
  /** From where the attempt comes. */
  address: string;
  current?: string;
  password: string;
}
