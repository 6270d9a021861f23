import type { TemplateStatus } from '../platform/generated/prisma/client.js';
import type { BusinessProfile, ProfileChange } from './business-profile.js';
import type { ChannelSettings } from './channel-settings.js';
import type { MessageContent } from './content.js';
import type { Departure } from './departure.js';
import type { InboundChannel, InboundMessage, PersonReport, PreferenceReport } from './inbound-message.js';
import type { FetchedMedia, MediaSource } from './media/carrier-media.js';
import type { SmsSegmentation } from './sms/segments.js';
import type { CarrierTemplate, TemplateChannel, TemplateDraft, TemplateEdit, TemplateExample } from './templates.js';

/** A part of an SMS, with the ID the carrier assigned to it. */
export interface AcceptedPart {
  /** From 1. */
  part: number;
  carrierMessageId: string;
}

/** A message as it is passed to a carrier. */
export interface OutboundMessage {
  /** Our ID (UUIDv7). */
  id: string;
  kind: 'sms' | 'whatsapp';
  /** Null for SMS. */
  channelId: string | null;
  /** Null for SMS, and for channels without carrier settings. */
  channelSettings: ChannelSettings | null;
  /** SMS: the sender ID. WhatsApp: the channel's phone number, digits only. */
  from: string;
  /** Digits with country code. On WhatsApp also a user ID, for people without a visible number. */
  to: string;
  /** Counts claims, from 1. */
  attempt: number;
  /** Text, caption or rendered template. */
  body: string;
  /** Null for plain text without options. */
  content: MessageContent | null;
  /** SMS only. */
  segmentation: SmsSegmentation | null;
  /** Parts this carrier accepted in an earlier attempt. They must not be sent again. */
  acceptedParts: readonly AcceptedPart[];
  /** The carrier stops trying after this time. */
  validUntil: Date;
  /** Checked right before the message leaves, after every wait. Absent when nothing can stop the message (`carrier try`). */
  departure?: Departure;
}

/** The carrier's acceptance of a message. */
export interface Submission {
  /** The carrier's own ID, e.g. an SMPP message_id or a `wamid.`. For a multipart message, the first part's ID. */
  carrierMessageId: string;
  /** All parts, including those of earlier attempts, if each has its own ID. A receipt is then expected for each part. */
  parts?: readonly AcceptedPart[];
}

/** Statuses a receipt can report. */
export type ReceiptStatus = 'delivered' | 'read' | 'undelivered' | 'failed' | 'rejected' | 'expired';

/** A carrier's report on the delivery of a message. */
export interface Receipt {
  /** Name of the carrier. */
  carrier: string;
  carrierMessageId: string;
  /** Our ID, if it can be derived from the carrier's. Otherwise the message is found through the carrier references. */
  messageId?: string;
  /** The attempt the receipt is about, from 1. Absent if the carrier does not say. */
  attempt?: number;
  /**
   * Set if the receipt is about one part of a message whose parts share one ID. `key` distinguishes the parts; `total` is
   * the carrier's part count, if known.
   */
  part?: { key: string; total: number | null };
  status: ReceiptStatus;
  /**
   * Marks a `delivered` or `read` that replaces an earlier `failed`. Meta reports each device of a recipient separately: one
   * may fail while another shows the message.
   */
  overridesFailure?: boolean;
  occurredAt: Date;
  errorCode?: string;
  errorMessage?: string;
}

/** Resolves once the receipts are applied or stored. Only then may they be acknowledged to the carrier. */
export type ReceiptSink = (receipts: readonly Receipt[]) => Promise<void>;

/** `healthStatus` of a channel without problems. */
export const HEALTHY = 'healthy';

/** Why a channel cannot send until an operator resumes it. */
export interface ChannelPause {
  /** Shown to clients as `healthStatus`. */
  health: string;
  /** The carrier's code and text, shown on the channel's waiting messages. */
  code: string;
  reason: string;
  /** When the carrier reported the problem. Ignored if the channel was resumed since. */
  at: Date;
}

/** A channel and its health. */
export interface CarrierChannel extends InboundChannel {
  carrierSettings: ChannelSettings | null;
  healthStatus: string;
}

/**
 * Receives what carriers deliver to us. Each method resolves once the data is stored; only then may it be acknowledged to
 * the carrier. Calling a method twice with the same data has no effect.
 */
export interface CarrierSinks {
  receipts: ReceiptSink;
  /** Messages from contacts. */
  inbound(messages: readonly InboundMessage[]): Promise<void>;
  /** IDs of people that were reported without a message. */
  people(reports: readonly PersonReport[]): Promise<void>;
  /** WhatsApp knows the recipient `sentTo` by another number, `known`: both are one account. Digits with country code. */
  linkNumbers(channelId: string, numbers: { sentTo: string; known: string }): Promise<void>;
  /** A person unsubscribed from a category of messages, or resubscribed. */
  preference?(report: PreferenceReport): Promise<void>;
  /**
   * Messages with a fingerprint were acknowledged to the carrier. From now on, an identical message is a new one, not a
   * repetition.
   */
  acknowledged(carrierMessageIds: readonly string[]): Promise<void>;
  /** Sets a channel's `healthStatus`: `healthy`, or a word for the problem. */
  health(channelId: string, status: string): Promise<void>;
  /** Holds back a channel's messages until an operator resumes it. No effect on a channel that is already paused. */
  pause(channelId: string, pause: ChannelPause): Promise<void>;
  /** The carrier's channels. */
  channels(carrier: string): Promise<CarrierChannel[]>;
  /** Whether a channel has this APPROVED template in our store. For carriers that store no templates. */
  hasTemplate(channelId: string, name: string, language: string): Promise<boolean>;
  /** Whether the contact wrote to the channel within 24 hours. The simulator needs it: it does not track the window. */
  isReplyWindowOpen?(channelId: string, address: string): Promise<boolean>;
  /**
   * Whether an earlier attempt may have reached a carrier: its response was lost, or the waiting process died. Costs a
   * query, so carriers call it only when the answer matters.
   */
  isMaybeAccepted(messageId: string): Promise<boolean>;
  /**
   * Recipients of the message or part with a carrier's ID: digits with country code. For an erased person only the country
   * code is left, for an erased message nothing. Empty for an unknown ID.
   */
  findRecipients(carrier: string, carrierMessageId: string): Promise<readonly string[]>;
  /** Files that messages refer to. */
  media: MediaSource;
}

/** Whether a carrier accepts messages now. */
export interface CarrierState {
  /** False while the carrier is unreachable or throttles us. */
  up: boolean;
  /** When the carrier is expected to accept messages again, if known. */
  until?: Date;
  /** The problem, for operators; contains no secrets. */
  reason?: string;
}

/** A carrier's persistent connection, as shown to operators. */
export interface CarrierConnection {
  /** E.g. `transceiver 1`. */
  name: string;
  isUp: boolean;
  /** False for a connection that only receives. */
  sends: boolean;
  /** When the current state (up or down) began. */
  since: Date;
  /** Why the connection last failed; null if it never did. Contains no secrets. */
  lastError: string | null;
  lastErrorAt: Date | null;
}

/** Sends messages. To add a carrier type, add a folder next to this file and a line in types.ts. */
export interface Carrier {
  readonly name: string;
  /** Carrier type, e.g. `smpp`. */
  readonly type: string;
  /** Null: no limit. */
  readonly ratePerSecond: number | null;
  /** True if our IDs cannot be derived from the carrier's. Each message then needs a reference row. */
  readonly needsReferences: boolean;
  /** Must not wait: called for every message of a route with several carriers. */
  state(): CarrierState;
  /** Absent for carriers without persistent connections. */
  connections?(): CarrierConnection[];
  /** Limit on unanswered submissions over all connections that are up, and how many are unanswered now. */
  window?(): { size: number; inUse: number };
  /**
   * Submits one message. The carrier enforces its own window and rate. After the last wait, right before the message leaves,
   * it calls `message.departure` and rethrows its error.
   *
   * Once `signal` fires or its deadline passes (see `isPastDeadline`), a message that has not left must stay. The error is then
   * retryable, without `answerLost`.
   *
   * May be called while the carrier is down, if no other carrier is left. It then fails at once with `notTried`, unless it
   * can send after all.
   * @throws {CarrierError} if the message is refused or throttled, or the response is lost
   */
  submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission>;
  /**
   * Connects and starts delivering incoming data to `sinks`. Called once, by processes that send. Does not wait for
   * connections: an unreachable carrier is down and reconnects by itself.
   */
  start(sinks: CarrierSinks): Promise<void>;
  /**
   * Requests receipts again for messages that are still `sent`. Only for carriers that lose pending receipts when a process
   * ends.
   */
  requestReceipts?(messages: readonly { carrierMessageId: string; to: string; kind: 'sms' | 'whatsapp' }[]): void;
  /**
   * Submits a template for approval. Carriers without templates lack this and `listTemplates`.
   * @throws {CarrierError} if the carrier refuses the template
   */
  createTemplate?(channel: TemplateChannel, template: TemplateDraft): Promise<{ status: TemplateStatus }>;
  /**
   * Replaces a template's components. The carrier reviews it again.
   * @throws {CarrierError} if the carrier refuses the change
   */
  editTemplate?(channel: TemplateChannel, template: TemplateEdit): Promise<void>;
  /**
   * Deletes one language of a template. Succeeds if it does not exist.
   * @throws {CarrierError} if the carrier refuses
   */
  deleteTemplate?(channel: TemplateChannel, key: { name: string; language: string }): Promise<void>;
  /**
   * Uploads an example for a template's header and returns its `header_handle`. Absent for carriers that need no examples.
   * @param read opens the file; its errors are rethrown
   * @throws {CarrierError} if the carrier refuses the file
   */
  uploadExample?(channel: TemplateChannel, read: () => Promise<TemplateExample>): Promise<string>;
  /**
   * Lists the carrier's templates for a channel.
   * @param stored our copies, for carriers that store no templates
   * @throws {CarrierError} if the list cannot be read
   */
  listTemplates?(channel: TemplateChannel, stored: readonly CarrierTemplate[]): Promise<CarrierTemplate[]>;
  /**
   * Marks a contact's message as read and optionally shows a typing indicator. Absent if the carrier supports neither.
   * @param carrierMessageId ID of the contact's message
   * @throws {CarrierError} if the carrier refuses
   */
  markRead?(channel: TemplateChannel, carrierMessageId: string, how: { typing: boolean }): Promise<void>;
  /**
   * Reads the business profile shown for a channel's number. Carriers without profiles lack this and `changeProfile`.
   * @throws {CarrierError} if the profile cannot be read
   */
  readProfile?(channel: TemplateChannel): Promise<BusinessProfile>;
  /** @throws {CarrierError} if the carrier refuses the change */
  changeProfile?(channel: TemplateChannel, change: ProfileChange): Promise<void>;
  /**
   * Downloads a file sent by a contact. Absent for carriers without files.
   * @param carrierMediaId the file's ID from the contact's message
   * @param signal aborts the download, including reading the body
   * @throws {CarrierError} retryable unless the file is gone for good
   */
  fetchMedia?(channel: TemplateChannel, carrierMediaId: string, signal: AbortSignal): Promise<FetchedMedia>;
  /** Stops accepting messages, waits for pending submissions until the signal fires, and disconnects. */
  close(signal: AbortSignal): Promise<void>;
}
