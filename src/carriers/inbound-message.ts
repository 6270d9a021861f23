import type { PersonIds } from './numbers/user-ids.js';
import type { EncodedText } from './sms/decoding.js';

/** 3GPP TS 23.040 §9.2.3.24.1. */
export interface Concatenation {
  /** Phones reuse reference numbers. */
  reference: number;
  total: number;
  /** From 1. */
  part: number;
}

export interface InboundFile {
  url: string;
  /** Null if the vendor does not report the file's type. */
  mimeType: string | null;
  filename?: string;
}

/** An inbound SMS belongs to the channel that has its recipient number. */
export interface InboundSms {
  carrier: string;
  /** If the carrier assigns no ID (as in SMPP), the ID is derived from the content, so that a repetition gets the same ID. */
  carrierMessageId: string;
  /** Sender of the SMS. Short codes and alphanumeric senders are stored unchanged. */
  from: string;
  /** Whether `from` may be a national number of the country to which the recipient number belongs. */
  isNational?: boolean;
  /** Our number, digits only. */
  to: string;
  /** Carriers report a group message once per recipient, and some recipients may not be our numbers. */
  isGroupMessage?: boolean;
  /** The octets of a binary message are encoded as base64. */
  body: string;
  isBinary?: boolean;
  files?: readonly InboundFile[];
  receivedAt: Date;
  /** Hash that identifies a repetition if the carrier assigns no ID and our process died before acknowledging the message. */
  fingerprint?: string;
  /** Set for the parts of a longer message, which the sink stores until all parts have arrived. */
  concatenation?: Concatenation;
  /** Octets of the part, which are needed because a character may be split across two parts. */
  encoded?: EncodedText;
}

export interface InboundChannel {
  id: string;
  accountId: string;
  kind: 'sms' | 'whatsapp';
  /** Digits with country code. */
  phoneNumber: string;
}

export interface InboundReport {
  /** Carriers without IDs must generate a new ID for each message. */
  carrierMessageId: string;
  /** Phone number of the sender, or null if only the user ID is known. */
  from: string | null;
  /** `userId` is valid in the channel's business portfolio, and `parentUserId` in all linked portfolios. */
  userId?: string;
  parentUserId?: string;
  /** Without the `@`. */
  username?: string;
  profileName?: string;
  /** Meta's message type, or `binary` for a non-text SMS. */
  type: string;
  body: string;
  payload: object;
  /** If the carrier's timestamp is in the future, the current time is used instead. */
  receivedAt: Date;
  /** True for imported history, which triggers no notifications and opens no reply window that has already ended. */
  isPast?: boolean;
}

export interface ChannelMessage extends InboundReport {
  channel: InboundChannel;
}

/** A message that the channel's number sent outside Heliograph, e.g. in the phone app. */
export interface EchoReport extends Pick<InboundReport, 'carrierMessageId' | 'type' | 'body' | 'payload'> {
  channel: InboundChannel;
  /** Recipient, or null if the report only adds content to an earlier message. */
  to: PersonIds | null;
  name: string;
  sentAt: Date;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  isPast: boolean;
}

export interface CorrectionReport {
  channel: InboundChannel;
  carrierMessageId: string;
  isOwn: boolean;
  edit: Pick<InboundReport, 'type' | 'body' | 'payload'> | null;
  at: Date;
}

/** An action such as a link click, which opens no reply window and triggers no notifications. */
export interface ActionReport extends Pick<InboundReport, 'carrierMessageId' | 'type' | 'payload'>, PersonIds {
  channel: InboundChannel;
  at: Date;
}

export interface PreferenceReport extends PersonIds {
  channel: InboundChannel;
  wantsNone: boolean;
  category: string;
  at: Date;
}

export interface PersonReport extends PersonIds {
  channel: InboundChannel;
  before?: PersonIds;
  at: Date;
}

export type InboundMessage = InboundSms | ChannelMessage;
