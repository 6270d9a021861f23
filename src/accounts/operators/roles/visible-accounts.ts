import type { Account, Channel, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { isUuid } from '../../../platform/ids.js';
import { CHANNEL_REF_COLUMNS, type ChannelRef } from '../../channel-authenticator.js';
import { type Grant, listVisibleAccountIds } from './roles.js';

export interface VisibleAccountsOptions {
  prisma: Pick<PrismaClient, 'account' | 'channel'>;
}

export type VisibleAccount = Account;

export async function findVisibleAccount(
  { prisma }: VisibleAccountsOptions,
  accountId: string,
): Promise<VisibleAccount | null> {
  return isUuid(accountId) ? prisma.account.findUnique({ where: { id: accountId } }) : null;
}

export async function findVisibleChannel(
  { prisma }: VisibleAccountsOptions,
  accountId: string,
  channelId: string,
  includeDeleted: boolean,
): Promise<ChannelRef | null> {
  if (!isUuid(channelId)) return null;
  return prisma.channel.findFirst({
    where: { id: channelId, accountId, ...(!includeDeleted && { deletedAt: null }) },
    select: CHANNEL_REF_COLUMNS,
  });
}

export async function listVisibleAccounts(
  { prisma }: VisibleAccountsOptions,
  grants: readonly Grant[],
  { limit, before, search = '' }: { limit: number; before: string | null; search?: string },
): Promise<{ accounts: Account[]; next: string | null }> {
  const visibleIds = listVisibleAccountIds(grants);
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

export async function listVisibleChannels({ prisma }: VisibleAccountsOptions, accountId: string): Promise<Channel[]> {
  return prisma.channel.findMany({ where: { accountId, deletedAt: null }, orderBy: { id: 'asc' } });
}
