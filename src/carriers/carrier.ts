import type { TemplateStatus } from '../platform/generated/prisma/client.js';
import type { BusinessProfile, ProfileChange } from './business-profile.js';
import type { ChannelSettings } from './channel-settings.js';
import type { MessageContent } from './content.js';
import type { Departure } from './departure.js';
import type { InboundChannel, InboundMessage, PersonReport, PreferenceReport } from './inbound-message.js';
import type { FetchedMedia, MediaSource } from './media/carrier-media.js';
import type { SmsSegmentation } from './sms/segments.js';
import type { CarrierTemplate, TemplateChannel, TemplateDraft, TemplateEdit, TemplateExample } from './templates.js';

/** A part of an SMS under the id that its carrier gave it. */
export interface AcceptedPart {
  /** From 1. */
  part: number;
  carrierMessageId: string;
}

/** One message as a carrier is given it. */
export interface OutboundMessage {
  /** Our id (UUIDv7). */
  id: string;
  kind: 'sms' | 'whatsapp';
  /** The WhatsApp channel; null for SMS. */
  channelId: string | null;
  /** Null without a channel, and where the channel has none. */
  channelSettings: ChannelSettings | null;
  /** Sender ID of an SMS, or the phone number (digits) of the WhatsApp channel. */
  from: string;
  /** Digits with country code; of WhatsApp also a user id, of somebody without a number. */
  to: string;
  /** 1 for the first try; counts every claim. */
  attempt: number;
  /** Text, caption or rendered template. */
  body: string;
  /** Null for plain text without options. */
  content: MessageContent | null;
  /** Encoding and parts of an SMS; null for WhatsApp. */
  segmentation: SmsSegmentation | null;
  /** Parts that this carrier took in an earlier attempt: they must not be sent again. */
  acceptedParts: readonly AcceptedPart[];
  /** Past this moment the carrier should no longer try. */
  validUntil: Date;
  /** Checked directly before it leaves, after every wait; left out where nothing can hold it back, as when a carrier is tried. */
  departure?: Departure;
}

/** What a carrier answers once it took a message. */
export interface Submission {
  /** The carrier's own id, e.g. an SMPP message_id or a `wamid.`; of several parts, the id of the first. */
  carrierMessageId: string;
  /**
   * Every part of the message, those of earlier attempts included, where the carrier gave each of several an id of its
   * own. Receipts are then expected for each of them.
   */
  parts?: readonly AcceptedPart[];
}

/** The statuses that a receipt can report. */
export type ReceiptStatus = 'delivered' | 'read' | 'undelivered' | 'failed' | 'rejected' | 'expired';

/** A carrier's word on what became of a message. */
export interface Receipt {
  /** Name of the carrier. */
  carrier: string;
  carrierMessageId: string;
  /** Our id where the carrier's id tells it; otherwise the carrier references are searched. */
  messageId?: string;
  /** The attempt it is about, from 1, if the carrier says so. */
  attempt?: number;
  /**
   * Set if the receipt is about one part of a message whose parts share one ID. `key` distinguishes it from the receipts of
   * the other parts; `total` is how many parts the carrier counts, null if it does not say.
   */
  part?: { key: string; total: number | null };
  status: ReceiptStatus;
  /**
   * A `delivered` or `read` that also counts after the carrier reported `failed`: Meta reports for each device of a recipient,
   * and one of them may fail while another shows the message.
   */
  overridesFailure?: boolean;
  occurredAt: Date;
  errorCode?: string;
  errorMessage?: string;
}

/** Where a carrier hands its receipts. Resolves once they are applied or stored: only then may they be acknowledged. */
export type ReceiptSink = (receipts: readonly Receipt[]) => Promise<void>;

/** The health of a channel with which nothing is wrong. */
export const HEALTHY = 'healthy';

/** Why a channel can send nothing until an operator has seen to it. */
export interface ChannelPause {
  /** A word for it, which clients read as `healthStatus`. */
  health: string;
  /** The carrier's code and words, which its waiting messages show. */
  code: string;
  reason: string;
  /** Of the moment at which the carrier found it: a channel that was resumed since goes on. */
  at: Date;
}

/** A channel of a carrier, and how it fares. */
export interface CarrierChannel extends InboundChannel {
  carrierSettings: ChannelSettings | null;
  healthStatus: string;
}

/** Where a carrier hands over what comes to it. Each resolves once that is stored: only then may it be acknowledged. */
export interface CarrierSinks {
  receipts: ReceiptSink;
  /** Messages that somebody wrote, of any kind. One that was handed over before changes nothing. */
  inbound(messages: readonly InboundMessage[]): Promise<void>;
  /** What is said of the ids of people, beside what they write. Doing it twice changes nothing. */
  people(reports: readonly PersonReport[]): Promise<void>;
  /**
   * Somebody was sent to by one number whom the carrier knows by another: both are digits with country code, and one account.
   * Doing it twice changes nothing.
   */
  sameNumber(channelId: string, numbers: { sentTo: string; known: string }): Promise<void>;
  /** A person wants no messages of some kind any more, or wants them again. Doing it twice changes nothing. */
  preference?(report: PreferenceReport): Promise<void>;
  /** Messages with a fingerprint were answered, by their ids: what reads alike from now on was written again. */
  answered(carrierMessageIds: readonly string[]): Promise<void>;
  /** How a channel fares with its carrier, which clients read as `healthStatus`: `healthy`, or a word for what is wrong. */
  health(channelId: string, status: string): Promise<void>;
  /** Holds the messages of a channel back until an operator resumes it. One that is paused stays as it is. */
  pause(channelId: string, pause: ChannelPause): Promise<void>;
  /** The channels that name the carrier. */
  channels(carrier: string): Promise<CarrierChannel[]>;
  /** Whether this server holds an APPROVED template of a channel: for a carrier that keeps none itself. */
  hasTemplate(channelId: string, name: string, language: string): Promise<boolean>;
  /** Whether a contact wrote to a channel within the last 24 hours: for the simulator, which does not know itself. */
  isReplyWindowOpen?(channelId: string, address: string): Promise<boolean>;
  /**
   * Whether a message may have been taken by a carrier in an attempt before: its answer was lost, or the process that waited for
   * it. For a carrier that asks only where it must know.
   */
  perhapsTaken(messageId: string): Promise<boolean>;
  /**
   * Who was sent what a carrier gave an id, be it a message or a part of one: digits with country code; of a person that code
   * alone, and of a message nothing, where it was erased. None where nothing has the id.
   */
  recipientsOf(carrier: string, carrierMessageId: string): Promise<readonly string[]>;
  /** The files that messages name. */
  media: MediaSource;
}

/** Whether a carrier would take a message now. */
export interface CarrierState {
  /** False while it is down, and while it is throttling us. */
  up: boolean;
  /** When it is expected back, where that is known. */
  until?: Date;
  /** For operators: what is wrong, without secrets. */
  reason?: string;
}

/** A connection that a carrier keeps, as operators see it. */
export interface CarrierConnection {
  /** E.g. `transceiver 1`. */
  name: string;
  isUp: boolean;
  /** Whether messages leave by it: one that only receives makes no carrier one that sends. */
  sends: boolean;
  /** Since when it is up, or is not. */
  since: Date;
  /** Why it was not made, or ended, last; null when nothing went wrong yet. Without secrets. */
  lastError: string | null;
  lastErrorAt: Date | null;
}

/**
 * A way out for messages. A new carrier is one folder beside this file and one line in types.ts.
 */
export interface Carrier {
  readonly name: string;
  /** Name of its type, e.g. `smpp`. */
  readonly type: string;
  /** Messages per second that it takes; null when it sets no limit. */
  readonly ratePerSecond: number | null;
  /** True when its ids cannot be turned back into ours, so that a reference row per message is needed. */
  readonly needsReferences: boolean;
  /** Known without asking: this is read for every message of a route with several carriers. */
  state(): CarrierState;
  /** The connections that it keeps, for operators; carriers that keep none lack it. */
  connections?(): CarrierConnection[];
  /** How many submits may be unanswered at once over its connections that are up, and how many are; for carriers with windows. */
  window?(): { size: number; inUse: number };
  /**
   * Hands one message over. The carrier keeps its own window and rate. Directly before the message leaves, after the last
   * wait, it calls `message.departure`; what that throws is thrown on. Once the signal fires, or is over (see
   * `isOver`), a message that has not left yet must not leave any more (a retryable error without a lost answer). A carrier that is not up may still be
   * asked, when no other is left: it answers at once with an error that says `notTried`, unless it can take the message.
   * @throws {CarrierError} for every refusal, throttling or lost answer
   */
  submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission>;
  /**
   * Connects, where the carrier keeps connections, and begins to hand over what comes in; called once, by processes that
   * work. It does not wait for the connection: a carrier that cannot be reached is down, and tries again by itself.
   */
  start(sinks: CarrierSinks): Promise<void>;
  /**
   * Asks again for the receipts of messages that are still `sent`. Only carriers whose receipts do not survive a
   * process have it.
   */
  repeatReceipts?(messages: readonly { carrierMessageId: string; to: string; kind: 'sms' | 'whatsapp' }[]): void;
  /**
   * Hands a template in for approval. Carriers without templates lack this and `listTemplates`.
   * @throws {CarrierError} when the carrier does not take it
   */
  createTemplate?(channel: TemplateChannel, template: TemplateDraft): Promise<{ status: TemplateStatus }>;
  /**
   * Gives a template other components; it is to be reviewed again.
   * @throws {CarrierError} when the carrier does not take them
   */
  editTemplate?(channel: TemplateChannel, template: TemplateEdit): Promise<void>;
  /**
   * Deletes one language of a template; one that is not there is deleted already.
   * @throws {CarrierError} when the carrier does not delete it
   */
  deleteTemplate?(channel: TemplateChannel, key: { name: string; language: string }): Promise<void>;
  /**
   * Takes the example of a template's header, and names it (`header_handle`). Carriers that need none lack this.
   * @param read gets the file, for a carrier that looks at it; what it throws is thrown on
   * @throws {CarrierError} when the carrier does not take it
   */
  uploadExample?(channel: TemplateChannel, read: () => Promise<TemplateExample>): Promise<string>;
  /**
   * All templates that the carrier has of a channel.
   * @param held those that this server holds, for a carrier that keeps none itself
   * @throws {CarrierError} when the carrier does not tell
   */
  listTemplates?(channel: TemplateChannel, held: readonly CarrierTemplate[]): Promise<CarrierTemplate[]>;
  /**
   * Shows a contact that a message of theirs was read, and perhaps that an answer is being written. Carriers that cannot lack
   * this.
   * @param carrierMessageId of the contact's message
   * @throws {CarrierError} when the carrier does not take it
   */
  markRead?(channel: TemplateChannel, carrierMessageId: string, how: { typing: boolean }): Promise<void>;
  /**
   * What people see of the business behind a channel's number. Carriers that keep no such thing lack this and `changeProfile`.
   * @throws {CarrierError} when the carrier does not tell
   */
  readProfile?(channel: TemplateChannel): Promise<BusinessProfile>;
  /**
   * Changes fields of it.
   * @throws {CarrierError} when the carrier does not take them
   */
  changeProfile?(channel: TemplateChannel, change: ProfileChange): Promise<void>;
  /**
   * Hands out a file that a contact sent. Carriers that bring no files lack this.
   * @param carrierMediaId of the file, as the contact's message named it
   * @param signal ends it, whatever is still to come of the bytes included
   * @throws {CarrierError} when the carrier does not hand it out: for good, unless it is retryable
   */
  fetchMedia?(channel: TemplateChannel, carrierMediaId: string, signal: AbortSignal): Promise<FetchedMedia>;
  /** Stops taking messages, waits for open submissions until the signal fires, and ends. */
  close(signal: AbortSignal): Promise<void>;
}
