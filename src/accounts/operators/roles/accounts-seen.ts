import type { Account, Channel, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { isUuid } from '../../../platform/ids.js';
import { CHANNEL_REF, type ChannelRef } from '../../channel-authenticator.js';
import { type Grant, visibleAccounts } from './roles.js';

export interface SeenOptions {
  prisma: Pick<PrismaClient, 'account' | 'channel'>;
}

export type SeenAccount = Account;

export async function findSeenAccount({ prisma }: SeenOptions, accountId: string): Promise<SeenAccount | null> {
  return isUuid(accountId) ? prisma.account.findUnique({ where: { id: accountId } }) : null;
}

/** Finds a channel of an account; null if the account has no such channel. */
export async function findSeenChannel(
  { prisma }: SeenOptions,
  accountId: string,
  channelId: string,
  includeDeleted: boolean,
): Promise<ChannelRef | null> {
  if (!isUuid(channelId)) return null;
  return prisma.channel.findFirst({
    where: { id: channelId, accountId, ...(!includeDeleted && { deletedAt: null }) },
    select: CHANNEL_REF,
  });
}

/** Returns a page of the accounts that grants make visible, newest first. */
export async function listSeenAccounts(
  { prisma }: SeenOptions,
  grants: readonly Grant[],
  { limit, before, search = '' }: { limit: number; before: string | null; search?: string },
): Promise<{ accounts: Account[]; next: string | null }> {
  const visibleIds = visibleAccounts(grants);
  const accounts = await prisma.account.findMany({
    where: {
      id: { ...(visibleIds !== 'all' && { in: visibleIds }), ...(before !== null && { lt: before }) },
      ...(search !== '' && { name: { contains: search, mode: 'insensitive' } }),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const page = accounts.slice(0, limit);
  return { accounts: page, next: accounts.length > limit ? (page.at(-1)?.id ?? null) : null };
}

/** Lists an account's channels, oldest first, without deleted ones. */
export async function listSeenChannels({ prisma }: SeenOptions, accountId: string): Promise<Channel[]> {
  return prisma.channel.findMany({ where: { accountId, deletedAt: null }, orderBy: { id: 'asc' } });
}
