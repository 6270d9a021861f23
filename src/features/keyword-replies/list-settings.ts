import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { isCarrierReplying } from './plan.js';
import {
  type AccountReplies,
  type ChannelReplies,
  type RepliesOfChannel,
  readAccountReplies,
  readChannelReplies,
  resolveTexts,
  sendsReplies,
} from './settings.js';

export interface ChannelReplySettings extends ChannelReplies {
  id: string;
  name: string | null;
  channelName: string;
  kind: 'sms' | 'whatsapp';
  phoneNumber: string;
  isCarrierReplying: boolean;
  /** Whether the channel replies, by its own settings and those of the account. */
  sends: boolean;
  sentTexts: ReturnType<typeof resolveTexts>;
}

export interface ReplySettings {
  account: AccountReplies;
  /** What an account without own texts sends. */
  defaultTexts: ReturnType<typeof resolveTexts>;
  channels: ChannelReplySettings[];
}

type Tables = Pick<PrismaClient, 'account' | 'channel' | 'carrier'>;

/** The account must exist. */
export async function listReplySettings(prisma: Tables, accountId: string): Promise<ReplySettings> {
  const row = await prisma.account.findUniqueOrThrow({
    where: { id: accountId },
    select: { name: true, keywordReplies: true, stopsMarketingOnly: true },
  });
  const account = readAccountReplies(row.keywordReplies);
  const channels = await prisma.channel.findMany({
    where: { accountId, deletedAt: null },
    orderBy: { id: 'asc' },
    select: { id: true, name: true, kind: true, phoneNumber: true, carrier: true, keywordReplies: true },
  });
  const carriers = await prisma.carrier.findMany({
    where: { name: { in: channels.map(({ carrier }) => carrier) } },
    select: { name: true, type: true, settings: true },
  });
  const replying = new Set(carriers.filter(repliesItself).map(({ name }) => name));
  const toReplies = (channel: ChannelReplies, carrier: string): RepliesOfChannel => ({
    accountName: row.name,
    stopsMarketingOnly: row.stopsMarketingOnly,
    account,
    channel,
    isCarrierReplying: replying.has(carrier),
  });
  const noOwn = { ...account, texts: {} };
  return {
    account,
    defaultTexts: resolveTexts({ ...toReplies(readChannelReplies(null), ''), account: noOwn }),
    channels: channels.map(({ id, name: channelName, kind, phoneNumber, carrier, keywordReplies }) => {
      const own = readChannelReplies(keywordReplies);
      const replies = toReplies(own, carrier);
      return {
        ...own,
        ...{ id, channelName, kind, phoneNumber },
        isCarrierReplying: replies.isCarrierReplying,
        sends: sendsReplies(replies),
        sentTexts: resolveTexts(replies),
      };
    }),
  };
}

function repliesItself({ type, settings }: { type: string; settings: unknown }): boolean {
  const { preset } = settings as { preset?: unknown };
  return isCarrierReplying(type, typeof preset === 'string' ? preset : null);
}
