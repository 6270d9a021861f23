import type { KeywordMeaning } from '../opt-outs/message-keyword.js';
import { buildDefaultTexts } from './texts.js';

export type ReplyTexts = Partial<Record<KeywordMeaning, string>>;

/** Settings of an account, stored in `accounts.keyword_replies`. */
export interface AccountReplies {
  isOn: boolean;
  /** One of REPLY_LANGUAGES. */
  language: string;
  /** Name in the default texts; null: the name of the account. */
  name: string | null;
  /** Where people get help, in the default texts, such as a phone number or e-mail address. */
  contact: string | null;
  /** Own texts, instead of the default texts. */
  texts: ReplyTexts;
}

/** Settings of a channel, stored in `channels.keyword_replies`. Null: as in the account. */
export interface ChannelReplies {
  /** Null: on if the account has replies on, unless the carrier replies itself. */
  isOn: boolean | null;
  language: string | null;
  name: string | null;
  contact: string | null;
  texts: ReplyTexts;
}

export const DEFAULT_ACCOUNT_REPLIES: AccountReplies = {
  isOn: false,
  language: 'en',
  name: null,
  contact: null,
  texts: {},
};

export const DEFAULT_CHANNEL_REPLIES: ChannelReplies = {
  isOn: null,
  language: null,
  name: null,
  contact: null,
  texts: {},
};

/** @param stored the column, which is null until the settings are first saved */
export function readAccountReplies(stored: unknown): AccountReplies {
  return { ...DEFAULT_ACCOUNT_REPLIES, ...(stored as Partial<AccountReplies> | null) };
}

/** @param stored the column, which is null until the settings are first saved */
export function readChannelReplies(stored: unknown): ChannelReplies {
  return { ...DEFAULT_CHANNEL_REPLIES, ...(stored as Partial<ChannelReplies> | null) };
}

export interface RepliesOfChannel {
  accountName: string;
  /** Whether a STOP blocks marketing only. Default: false. */
  stopsMarketingOnly?: boolean;
  account: AccountReplies;
  channel: ChannelReplies;
  /** Whether the carrier of the channel replies to STOP, START and HELP itself. */
  isCarrierReplying: boolean;
}

export function sendsReplies({ account, channel, isCarrierReplying }: RepliesOfChannel): boolean {
  return account.isOn && (channel.isOn ?? !isCarrierReplying);
}

/** Returns the texts that the channel sends: its own, otherwise the account's, otherwise the default texts. */
export function resolveTexts({
  accountName,
  stopsMarketingOnly,
  account,
  channel,
}: RepliesOfChannel): Record<KeywordMeaning, string> {
  const name = channel.name ?? account.name ?? accountName;
  const contact = channel.contact ?? account.contact ?? '';
  const defaults = buildDefaultTexts(channel.language ?? account.language, { name, contact }, stopsMarketingOnly);
  return { ...defaults, ...account.texts, ...channel.texts };
}
