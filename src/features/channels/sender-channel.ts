import type { ChannelSettings } from '../../carriers/channel-settings.js';
import type { Channel, PrismaClient } from '../../platform/generated/prisma/client.js';
import type { OwnedChannel } from './ask-carrier.js';

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

/** A channel of an account as its carrier is asked by it; null where it has none with this id. */
export async function findOwnedChannel(
  { prisma }: { prisma: Pick<PrismaClient, 'channel'> },
  accountId: string,
  id: string,
): Promise<OwnedChannel | null> {
  const channel = await prisma.channel.findFirst({
    where: { id, accountId, deletedAt: null },
    select: { id: true, accountId: true, kind: true, phoneNumber: true, carrier: true, carrierSettings: true },
  });
  return channel && { ...channel, carrierSettings: channel.carrierSettings as ChannelSettings | null };
}
