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
  /** Null if the vendor does not report it. */
  mimeType: string | null;
  filename?: string;
}

/** The recipient number determines the channel. */
export interface InboundSms {
  carrier: string;
  /** If the carrier assigns no ID (as in SMPP), derived from the content, so that a repetition gets the same ID. */
  carrierMessageId: string;
  /** Short codes and alphanumeric senders are unchanged. */
  from: string;
  /** If possible, `from` is read as a number of the recipient number's country. */
  isNational?: boolean;
  /** Our number, digits only. */
  to: string;
  /** Reported once per recipient, and some recipients may not be ours. */
  isGroupMessage?: boolean;
  /** Octets of a binary message are in base64. */
  body: string;
  isBinary?: boolean;
  files?: readonly InboundFile[];
  receivedAt: Date;
  /** Recognizes a repetition if the carrier assigns no ID and our process dies before acknowledging the message. */
  fingerprint?: string;
  /** The sink stores parts until all parts have arrived. */
  concatenation?: Concatenation;
  /** A character may be split across two parts. */
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
  /** Carriers without IDs must generate a new ID per message. */
  carrierMessageId: string;
  /** Null if only the user ID is known. */
  from: string | null;
  /** Valid in the channel's business portfolio; `parentUserId` in all linked portfolios. */
  userId?: string;
  parentUserId?: string;
  /** Without the `@`. */
  username?: string;
  profileName?: string;
  /** Meta's type, or `binary` for a non-text SMS. */
  type: string;
  body: string;
  payload: object;
  /** The current time if the carrier's timestamp is in the future. */
  receivedAt: Date;
  /** Imported history: opens no reply window that is already over, and triggers no notifications. */
  isPast?: boolean;
}

export interface ChannelMessage extends InboundReport {
  channel: InboundChannel;
}

/** Sent outside Heliograph, e.g. in the phone app. */
export interface EchoReport extends Pick<InboundReport, 'carrierMessageId' | 'type' | 'body' | 'payload'> {
  channel: InboundChannel;
  /** Null if the report only adds content to an earlier message. */
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

/** E.g. a link click, which opens no reply window and notifies nobody. */
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
