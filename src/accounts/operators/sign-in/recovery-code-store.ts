import type { PrismaClient } from '../../../platform/generated/prisma/client.js';

/** Removes a recovery code and returns whether it existed, so that only one of two concurrent uses succeeds. */
export async function consumeRecoveryCode(
  prisma: Pick<PrismaClient, '$executeRaw'>,
  operatorId: string,
  codeHash: Uint8Array,
): Promise<boolean> {
  const count = await prisma.$executeRaw`
    UPDATE operators SET recovery_code_hashes = array_remove(recovery_code_hashes, ${codeHash}::bytea)
    WHERE id = ${operatorId}::uuid AND ${codeHash}::bytea = ANY (recovery_code_hashes)`;
  return count === 1;
}
