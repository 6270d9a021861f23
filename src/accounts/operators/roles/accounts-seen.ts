import type { Account, Channel, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { isUuid } from '../../../platform/ids.js';
import { CHANNEL_REF, type ChannelRef } from '../../channel-authenticator.js';
import { type Grant, visibleAccounts } from './roles.js';

export interface SeenOptions {
  prisma: Pick<PrismaClient, 'account' | 'channel'>;
}

/** The account that a request of the console is about. */
export type SeenAccount = Account;

/** An account by its id; null where there is none. */
export async function findSeenAccount({ prisma }: SeenOptions, accountId: string): Promise<SeenAccount | null> {
  return isUuid(accountId) ? prisma.account.findUnique({ where: { id: accountId } }) : null;
}

/** A channel of an account by its id, as the caller of Surface B has it; null where the account has none such. */
export async function findSeenChannel(
  { prisma }: SeenOptions,
  accountId: string,
  channelId: string,
  orDeleted: boolean,
): Promise<ChannelRef | null> {
  if (!isUuid(channelId)) return null;
  return prisma.channel.findFirst({
    where: { id: channelId, accountId, ...(!orDeleted && { deletedAt: null }) },
    select: CHANNEL_REF,
  });
}

/** A page of the accounts that grants let an operator see, the newest first. */
export async function listSeenAccounts(
  { prisma }: SeenOptions,
  grants: readonly Grant[],
  { limit, before, search = '' }: { limit: number; before: string | null; search?: string },
): Promise<{ accounts: Account[]; next: string | null }> {
  const seen = visibleAccounts(grants);
  const accounts = await prisma.account.findMany({
    where: {
      id: { ...(seen !== 'all' && { in: seen }), ...(before !== null && { lt: before }) },
      ...(search !== '' && { name: { contains: search, mode: 'insensitive' } }),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const page = accounts.slice(0, limit);
  return { accounts: page, next: accounts.length > limit ? (page.at(-1)?.id ?? null) : null };
}

/** The channels of an account that are there, the oldest first. */
export async function listSeenChannels({ prisma }: SeenOptions, accountId: string): Promise<Channel[]> {
  return prisma.channel.findMany({ where: { accountId, deletedAt: null }, orderBy: { id: 'asc' } });
}
