import { findPreset } from '../../carriers/types.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import type { ChannelSender } from '../conversations/sending/compose.js';
import type { MessageKeyword } from '../opt-outs/message-keyword.js';
import { type ReplyRow, readReplyRow } from './reply-store.js';
import {
  type RepliesOfChannel,
  readAccountReplies,
  readChannelReplies,
  resolveTexts,
  sendsReplies,
} from './settings.js';

export interface ReplyPlan {
  keyword: MessageKeyword;
  sender: ChannelSender;
  isAccountActive: boolean;
  text: string;
}

/** Returns null if the channel does not reply to keywords. */
export async function planReply(
  connection: Connection,
  { id: channelId, accountId }: { id: string; accountId: string },
  keyword: MessageKeyword,
): Promise<ReplyPlan | null> {
  const row = await readReplyRow(connection, channelId);
  if (row === null) return null;
  const settings = toReplies(row);
  if (!sendsReplies(settings)) return null;
  const { currency, rateCardId, spendGuard, kind, phoneNumber, carrier, isActive, isAccountActive } = row;
  return {
    keyword,
    sender: {
      account: { id: accountId, currency, rateCardId, spendGuard },
      channel: { id: channelId, kind, phoneNumber, carrier, isActive },
    },
    isAccountActive,
    text: resolveTexts(settings)[keyword.meaning],
  };
}

function toReplies(row: ReplyRow): RepliesOfChannel {
  const { accountName, stopsMarketingOnly, accountReplies, channelReplies, carrierType, preset } = row;
  return {
    accountName,
    stopsMarketingOnly,
    account: readAccountReplies(accountReplies),
    channel: readChannelReplies(channelReplies),
    isCarrierReplying: isCarrierReplying(carrierType, preset),
  };
}

export function isCarrierReplying(carrierType: string | null, preset: string | null): boolean {
  return carrierType !== null && preset !== null && findPreset(carrierType, preset)?.repliesToKeywords === true;
}
