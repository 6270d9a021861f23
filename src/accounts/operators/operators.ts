import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { isUniqueViolation } from '../../platform/store/prisma-errors.js';
import { requireAccount } from '../accounts.js';
import type { Grant } from './roles/roles.js';
import { hashPassword } from './sign-in/passwords.js';

type OperatorTables = Pick<PrismaClient, 'operator' | 'account'>;

const NAME = /^[a-z0-9][a-z0-9._+@-]{0,99}$/;
export const NAME_RULE = 'must be 1 to 100 letters, digits and . _ + @ -, and start with a letter or digit';

/** Case does not matter. */
export function normalizeOperatorName(text: string): string {
  return text.trim().toLowerCase();
}

export interface NewOperator {
  name: string;
  /** The password is optional, because operators can also sign in with a link or OpenID Connect. */
  password?: string;
  grants: readonly Grant[];
}

/** @throws {AppError} INVALID_REQUEST, NOT_FOUND, CONFLICT */
export async function createOperator(
  prisma: OperatorTables,
  input: NewOperator,
): Promise<{ id: string; name: string }> {
  const name = normalizeOperatorName(input.name);
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
    if (isUniqueViolation(error)) throw new AppError('CONFLICT', `the operator ${name} already exists`);
    throw error;
  }
}
