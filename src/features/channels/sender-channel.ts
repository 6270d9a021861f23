import type { Channel, PrismaClient } from '../../platform/generated/prisma/client.js';

/** A channel as a send from it needs it. */
export type SenderChannel = Pick<Channel, 'id' | 'kind' | 'phoneNumber' | 'carrier' | 'isActive'>;

/** By which a send names the channel that it leaves from. */
export type NamedChannel = { id: string } | { kind: 'whatsapp'; phoneNumber: string };

/** A channel of an account, whether it is active or not; null where it has none such. */
export function findSenderChannel(
  { prisma }: { prisma: Pick<PrismaClient, 'channel'> },
  accountId: string,
  named: NamedChannel,
): Promise<SenderChannel | null> {
  return prisma.channel.findFirst({
    where: { ...named, accountId, deletedAt: null },
    select: { id: true, kind: true, phoneNumber: true, carrier: true, isActive: true },
  });
}
