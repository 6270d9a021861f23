import type { PrismaClient } from '../../../platform/generated/prisma/client.js';

/** Only one of two concurrent uses succeeds. @returns whether the code existed */
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
