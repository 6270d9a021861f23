import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { isUniqueViolation } from '../../platform/store/prisma-errors.js';
import { requireAccount } from '../accounts.js';
import type { Grant } from './roles/roles.js';
import { hashPassword } from './sign-in/passwords.js';

type OperatorTables = Pick<PrismaClient, 'operator' | 'account'>;

/** A word or an e-mail address, in lower case. */
const NAME = /^[a-z0-9][a-z0-9._+@-]{0,99}$/;
export const NAME_RULE = 'must be 1 to 100 letters, digits and . _ + @ -, and begin with a letter or digit';

/** A name as operators are found by it: upper and lower case are the same. */
export function operatorName(text: string): string {
  return text.trim().toLowerCase();
}

export interface NewOperator {
  /** By which they sign in. */
  name: string;
  /** Without one they sign in by a link, or by OpenID Connect. */
  password?: string;
  grants: readonly Grant[];
}

/**
 * Makes an operator.
 * @throws {AppError} INVALID_REQUEST for a malformed name or password, or no grant, NOT_FOUND for an unknown account,
 * CONFLICT where the name is taken
 */
export async function createOperator(
  prisma: OperatorTables,
  input: NewOperator,
): Promise<{ id: string; name: string }> {
  const name = operatorName(input.name);
  if (!NAME.test(name)) throw invalidField('name', NAME_RULE);
  if (input.grants.length === 0) throw invalidField('grants', 'must name at least one role');
  for (const { accountId } of input.grants) if (accountId !== null) await requireAccount(prisma, accountId);
  const passwordHash = input.password === undefined ? null : await hashPassword(input.password);
  const grants = { create: input.grants.map(({ role, accountId }) => ({ id: newId(), role, accountId })) };
  try {
    return await prisma.operator.create({
      data: { id: newId(), name, passwordHash, grants },
      select: { id: true, name: true },
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('CONFLICT', `there is an operator ${name} already`);
    throw error;
  }
}
