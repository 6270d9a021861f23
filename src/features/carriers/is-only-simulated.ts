import type { PrismaClient } from '../../platform/generated/prisma/client.js';

/** Returns true if no message leaves this server. */
export async function isOnlySimulated(prisma: Pick<PrismaClient, 'carrier'>): Promise<boolean> {
  return (await prisma.carrier.count({ where: { isActive: true } })) === 0;
}
