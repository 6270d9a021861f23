import type { PersonIds } from './numbers/user-ids.js';
import type { EncodedText } from './sms/decoding.js';

/** Which part of a longer SMS a message is (3GPP TS 23.040 §9.2.3.24.1). */
export interface Concatenation {
  /** Shared by the parts of one message; the sender's telephone uses it again later. */
  reference: number;
  total: number;
  /** From 1. */
  part: number;
}

/** A file of an MMS. */
export interface InboundFile {
  /** Where the vendor hands it out. */
  url: string;
  /** As the vendor says; null where it does not. */
  mimeType: string | null;
  filename?: string;
}

/** An SMS or MMS from a phone to one of our numbers (mobile-originated). The number determines its channel. */
export interface InboundSms {
  /** Name of the carrier. */
  carrier: string;
  /**
   * By which the message is stored once. Where the carrier gives none, as SMPP does, it is derived from what the message
   * says of itself, so that a repetition has the same one.
   */
  carrierMessageId: string;
  /** Digits with country code; a short code or an alphanumeric sender as the carrier wrote it. */
  from: string;
  /** The carrier says that `from` is in national form: it is of the country of the number that it wrote to, if that is possible. */
  isNational?: boolean;
  /** Digits of our number. */
  to: string;
  /** It went to a group: the carrier reports it once for each number, of which some may not be ours. */
  isOneOfSeveral?: boolean;
  /** The text; of a binary message its octets as base64. */
  body: string;
  /** It is data for an application on the telephone, not text. */
  isBinary?: boolean;
  /** The files of an MMS. */
  files?: readonly InboundFile[];
  receivedAt: Date;
  /**
   * Of one to which the carrier gave no id: a hash of all that it says of itself. Should the process be killed before the
   * message is answered, its repetition is known by it.
   */
  fingerprint?: string;
  /** Which part of a longer message this is. The sink keeps the parts until all have come. */
  concatenation?: Concatenation;
  /** The text of a part before decoding, if the carrier gives octets: a character may be divided between two parts. */
  encoded?: EncodedText;
}

/** A channel as inbound messages need it. */
export interface InboundChannel {
  id: string;
  accountId: string;
  kind: 'sms' | 'whatsapp';
  /** Digits with country code. */
  phoneNumber: string;
}

/** A message from a contact, as a carrier reports it. */
export interface InboundReport {
  /** The carrier's id, by which it is stored once. A carrier that gives none must be given a new one per message. */
  carrierMessageId: string;
  /** Digits with country code; null where the sender is known by an id alone. */
  from: string | null;
  /** Of WhatsApp: the id of the sender to the portfolio of the channel, and that to all linked ones. */
  userId?: string;
  parentUserId?: string;
  /** What the sender calls itself on WhatsApp, without `@`. */
  username?: string;
  /** The name that the sender gave itself; names a contact that is new. */
  profileName?: string;
  /** Meta's type: text, image, document, button, location …; `binary` for an SMS that is no text. */
  type: string;
  /** Text, caption or button text; "" where there is none. */
  body: string;
  /** What the carrier sent under the type's name. */
  payload: object;
  /** The carrier's time of the message; one that lies ahead of ours counts as now. */
  receivedAt: Date;
  /**
   * It was written before the channel was here, and is told so that the conversation is whole: it lies at its time, opens no
   * window that is over by now, and nobody is told of it.
   */
  isPast?: boolean;
}

/** A message whose channel the carrier has found itself, e.g. by the carrier's own id of the number. */
export interface ChannelMessage extends InboundReport {
  channel: InboundChannel;
}

/** A message that somebody sent by the number of a channel elsewhere, such as from the app on the telephone. */
export interface EchoReport extends Pick<InboundReport, 'carrierMessageId' | 'type' | 'body' | 'payload'> {
  channel: InboundChannel;
  /** Whom it was sent to. Null where that is not told: then it is what a message that was told before holds. */
  to: PersonIds | null;
  /** For one who has no name yet. */
  name: string;
  /** The carrier's time of it. */
  sentAt: Date;
  /** What became of it, where that is told. */
  status: 'sent' | 'delivered' | 'read' | 'failed';
  /** As of an inbound message. */
  isPast: boolean;
}

/** Somebody changed a message, or took it back. */
export interface CorrectionReport {
  channel: InboundChannel;
  /** The carrier's id of the message. */
  carrierMessageId: string;
  /** It is a message of the channel's own number; else one of a contact. */
  isOwn: boolean;
  /** What it says now; null where it was taken back. */
  edit: Pick<InboundReport, 'type' | 'body' | 'payload'> | null;
  at: Date;
}

/**
 * Something that a person did with a message and said nothing by, such as a click on a link. It opens no window, and nobody is told
 * of it.
 */
export interface ActionReport extends Pick<InboundReport, 'carrierMessageId' | 'type' | 'payload'>, PersonIds {
  channel: InboundChannel;
  at: Date;
}

/** A person told the carrier whether the business may send it something. */
export interface PreferenceReport extends PersonIds {
  channel: InboundChannel;
  wantsNone: boolean;
  /** What it is about, in the carrier's word. */
  category: string;
  at: Date;
}

/** What a carrier says of the ids of a person: these are theirs. */
export interface PersonReport extends PersonIds {
  channel: InboundChannel;
  /** Where they were others until then: by which the person was known. */
  before?: PersonIds;
  at: Date;
}

/** What a carrier hands over that somebody wrote to a number of ours. */
export type InboundMessage = InboundSms | ChannelMessage;
