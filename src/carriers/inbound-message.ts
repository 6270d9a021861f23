import type { PersonIds } from './numbers/user-ids.js';
import type { EncodedText } from './sms/decoding.js';

/** Position of a part in a multipart SMS (3GPP TS 23.040 §9.2.3.24.1). */
export interface Concatenation {
  /** Shared by the parts of one message. Phones reuse reference numbers. */
  reference: number;
  total: number;
  /** From 1. */
  part: number;
}

/** A file in an MMS. */
export interface InboundFile {
  /** Download URL at the vendor. */
  url: string;
  /** Null if the vendor does not say. */
  mimeType: string | null;
  filename?: string;
}

/** An SMS or MMS from a phone to one of our numbers (mobile-originated). The number determines the channel. */
export interface InboundSms {
  /** Name of the carrier. */
  carrier: string;
  /**
   * Deduplicates the message. If the carrier assigns no ID (as in SMPP), derived from the content, so that a repetition gets
   * the same ID.
   */
  carrierMessageId: string;
  /** Digits with country code. Short codes and alphanumeric senders are unchanged. */
  from: string;
  /** `from` is in national form. If possible, it is read as a number of the recipient number's country. */
  isNational?: boolean;
  /** Our number, digits only. */
  to: string;
  /** A group message: reported once per recipient, and some recipients may not be ours. */
  isGroupMessage?: boolean;
  /** Text, or the octets of a binary message in base64. */
  body: string;
  /** Data for an application on the phone, not text. */
  isBinary?: boolean;
  files?: readonly InboundFile[];
  receivedAt: Date;
  /**
   * Hash of the whole message, if the carrier assigned no ID. If our process dies before acknowledging the message, the
   * repetition is recognized by this hash.
   */
  fingerprint?: string;
  /** Set for a part of a longer message. The sink stores parts until all have arrived. */
  concatenation?: Concatenation;
  /** A part's text before decoding, if the carrier delivers octets. A character may be split across two parts. */
  encoded?: EncodedText;
}

/** The channel fields that inbound messages need. */
export interface InboundChannel {
  id: string;
  accountId: string;
  kind: 'sms' | 'whatsapp';
  /** Digits with country code. */
  phoneNumber: string;
}

/** A message from a contact. */
export interface InboundReport {
  /** Deduplicates the message. Carriers without IDs must generate a new one per message. */
  carrierMessageId: string;
  /** Digits with country code. Null if the sender is known only by user ID. */
  from: string | null;
  /** WhatsApp: the sender's ID within the channel's business portfolio. `parentUserId` is valid in all linked portfolios. */
  userId?: string;
  parentUserId?: string;
  /** WhatsApp user name, without `@`. */
  username?: string;
  /** Name chosen by the sender; used to name a new contact. */
  profileName?: string;
  /** Meta's type (text, image, document, button, location …), or `binary` for a non-text SMS. */
  type: string;
  /** Text, caption or button label; may be empty. */
  body: string;
  /** The object under the type's name in the carrier's report. */
  payload: object;
  /** The carrier's timestamp. A time in the future is replaced by the current time. */
  receivedAt: Date;
  /**
   * True for history from before the channel was connected. It completes the conversation but opens no reply window that is
   * already over, and triggers no notifications.
   */
  isPast?: boolean;
}

/** A message whose channel the carrier code has already determined, e.g. by the carrier's ID of the number. */
export interface ChannelMessage extends InboundReport {
  channel: InboundChannel;
}

/** A message sent from the channel's number outside Heliograph, e.g. in the phone app. */
export interface EchoReport extends Pick<InboundReport, 'carrierMessageId' | 'type' | 'body' | 'payload'> {
  channel: InboundChannel;
  /** Null if not reported: the report then adds content to a message that was reported earlier. */
  to: PersonIds | null;
  /** Used if the recipient has no name yet. */
  name: string;
  sentAt: Date;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  /** As for an inbound message. */
  isPast: boolean;
}

/** Someone edited or deleted a message. */
export interface CorrectionReport {
  channel: InboundChannel;
  carrierMessageId: string;
  /** True for a message from the channel's own number, false for a contact's. */
  isOwn: boolean;
  /** The new content; null if the message was deleted. */
  edit: Pick<InboundReport, 'type' | 'body' | 'payload'> | null;
  at: Date;
}

/** A contact's interaction other than a message, such as a link click. Opens no reply window and notifies nobody. */
export interface ActionReport extends Pick<InboundReport, 'carrierMessageId' | 'type' | 'payload'>, PersonIds {
  channel: InboundChannel;
  at: Date;
}

/** A person's choice whether the business may message them. */
export interface PreferenceReport extends PersonIds {
  channel: InboundChannel;
  wantsNone: boolean;
  /** The carrier's name for the message category. */
  category: string;
  at: Date;
}

/** Current IDs of a person, as reported by a carrier. */
export interface PersonReport extends PersonIds {
  channel: InboundChannel;
  /** The person's previous IDs, if they changed. */
  before?: PersonIds;
  at: Date;
}

export type InboundMessage = InboundSms | ChannelMessage;
