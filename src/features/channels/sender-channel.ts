import type { ChannelSettings } from '../../carriers/channel-settings.js';
import type { Channel, PrismaClient } from '../../platform/generated/prisma/client.js';
import type { OwnedChannel } from './call-carrier.js';

export type SenderChannel = Pick<Channel, 'id' | 'kind' | 'phoneNumber' | 'carrier' | 'isActive'>;

export type ChannelIdentifier = { id: string } | { kind: 'whatsapp'; phoneNumber: string };

export function findSenderChannel(
  { prisma }: { prisma: Pick<PrismaClient, 'channel'> },
  accountId: string,
  identifier: ChannelIdentifier,
): Promise<SenderChannel | null> {
  return prisma.channel.findFirst({
    where: { ...identifier, accountId, deletedAt: null },
    select: { id: true, kind: true, phoneNumber: true, carrier: true, isActive: true },
  });
}

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
