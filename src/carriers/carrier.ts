import type { TemplateStatus } from '../platform/generated/prisma/client.js';
import type { BusinessProfile, ProfileChange } from './business-profile.js';
import type { ChannelSettings } from './channel-settings.js';
import type { MessageContent } from './content.js';
import type { Departure } from './departure.js';
import type { InboundChannel, InboundMessage, PersonReport, PreferenceReport } from './inbound-message.js';
import type { FetchedMedia, MediaSource } from './media/carrier-media.js';
import type { SmsSegmentation } from './sms/segments.js';
import type { CarrierTemplate, TemplateChannel, TemplateDraft, TemplateEdit, TemplateExample } from './templates.js';

export interface AcceptedPart {
  /** From 1. */
  part: number;
  carrierMessageId: string;
}

export interface OutboundMessage {
  /** Our ID (UUIDv7). */
  id: string;
  kind: 'sms' | 'whatsapp';
  /** Null for SMS. */
  channelId: string | null;
  /** Null for SMS. */
  channelSettings: ChannelSettings | null;
  /** WhatsApp messages are sent from the channel's phone number, in digits. */
  from: string;
  /** Phone number in digits with country code, or a WhatsApp user ID. */
  to: string;
  /** Counts claims, from 1. */
  attempt: number;
  /** Message text, media caption or rendered template. */
  body: string;
  content: MessageContent | null;
  /** SMS only. */
  segmentation: SmsSegmentation | null;
  /** Parts that the carrier has already accepted, and that must not be sent again. */
  acceptedParts: readonly AcceptedPart[];
  validUntil: Date;
  /** Absent for the command `carrier try`, whose message cannot be stopped. */
  departure?: Departure;
}

export interface Submission {
  /** The carrier's message ID. For a message with several parts, this field contains the ID of the first part. */
  carrierMessageId: string;
  /**
   * Accepted parts, including those of earlier attempts; only set if each part has its own ID, and therefore its own receipt.
   */
  parts?: readonly AcceptedPart[];
}

export type ReceiptStatus = 'delivered' | 'read' | 'undelivered' | 'failed' | 'rejected' | 'expired';

export interface Receipt {
  carrier: string;
  carrierMessageId: string;
  /** Heliograph's message ID, if it can be derived from the carrier's ID. */
  messageId?: string;
  /** From 1. */
  attempt?: number;
  /** Set if all parts of a message share one carrier ID, so that only `key` distinguishes them. */
  part?: { key: string; total: number | null };
  status: ReceiptStatus;
  /** Whether a delivery may follow a failure, because Meta reports each device of a recipient separately. */
  overridesFailure?: boolean;
  occurredAt: Date;
  errorCode?: string;
  errorMessage?: string;
}

/** A carrier may acknowledge receipts to its vendor only after the returned promise resolves. */
export type ReceiptSink = (receipts: readonly Receipt[]) => Promise<void>;

export const HEALTHY = 'healthy';

export interface ChannelPause {
  /** Clients see this value as `healthStatus`. */
  health: string;
  code: string;
  reason: string;
  /** Time of the pause, which is ignored if the channel was resumed later. */
  at: Date;
}

export interface CarrierChannel extends InboundChannel {
  carrierSettings: ChannelSettings | null;
  healthStatus: string;
}

/**
 * Carriers may acknowledge data to the vendor only after the called method resolves. Passing the same data twice has the same
 * effect as passing it once.
 */
export interface CarrierSinks {
  receipts: ReceiptSink;
  inbound(messages: readonly InboundMessage[]): Promise<void>;
  /** Reports the IDs of people who sent no message. */
  people(reports: readonly PersonReport[]): Promise<void>;
  /** Records that WhatsApp knows the recipient by the number `known`, although the message was sent to `sentTo`. */
  linkNumbers(channelId: string, numbers: { sentTo: string; known: string }): Promise<void>;
  preference?(report: PreferenceReport): Promise<void>;
  /** After this call, a message with the same fingerprint counts as a new message, not as a repetition. */
  acknowledged(carrierMessageIds: readonly string[]): Promise<void>;
  health(channelId: string, status: string): Promise<void>;
  pause(channelId: string, pause: ChannelPause): Promise<void>;
  channels(carrier: string): Promise<CarrierChannel[]>;
  /** Checks whether our database has the template, because some carriers do not store templates. */
  hasTemplate(channelId: string, name: string, language: string): Promise<boolean>;
  /** Checks the 24-hour reply window for the simulator, which does not track the window. */
  isReplyWindowOpen?(channelId: string, address: string): Promise<boolean>;
  /** Returns whether the carrier may have accepted the message, although its response was lost or the sending process died. */
  isMaybeAccepted(messageId: string): Promise<boolean>;
  /**
   * Returns numbers as digits with country code. For an erased person, the number is only the country code, and an erased
   * message has no number.
   */
  findRecipients(carrier: string, carrierMessageId: string): Promise<readonly string[]>;
  media: MediaSource;
}

export interface CarrierState {
  /** False while the carrier is unreachable or throttles us. */
  up: boolean;
  until?: Date;
  /** For operators. Contains no secrets. */
  reason?: string;
}

export interface CarrierConnection {
  /** E.g. `transceiver 1`. */
  name: string;
  isUp: boolean;
  sends: boolean;
  since: Date;
  /** Contains no secrets. */
  lastError: string | null;
  lastErrorAt: Date | null;
}

/** To add a carrier type, add a folder next to this file and a line in types.ts. */
export interface Carrier {
  readonly name: string;
  /** Carrier type, e.g. `smpp`. */
  readonly type: string;
  /** Null: no limit. */
  readonly ratePerSecond: number | null;
  /** True if Heliograph's message IDs cannot be derived from the carrier's message IDs. */
  readonly needsReferences: boolean;
  /** `state` must return immediately, because it is called for every message of a route. */
  state(): CarrierState;
  connections?(): CarrierConnection[];
  window?(): { size: number; inUse: number };
  /**
   * The carrier itself observes its window and rate limit. After its last wait, the carrier calls the methods of
   * `message.departure` and rethrows their errors.
   *
   * The message must not be sent after `signal` has fired or its deadline has passed (see `isPastDeadline`). If it is too late,
   * `submit` rejects with a retryable error without `answerLost`. If the carrier is down, `submit` rejects immediately with
   * `notTried`.
   * @throws {CarrierError}
   */
  submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission>;
  /** Starts the carrier, and resolves without waiting for its connection. */
  start(sinks: CarrierSinks): Promise<void>;
  /** Requests the receipts of these messages again, for carriers that lose pending receipts when a process ends. */
  requestReceipts?(messages: readonly { carrierMessageId: string; to: string; kind: 'sms' | 'whatsapp' }[]): void;
  /** @throws {CarrierError} if refused */
  createTemplate?(channel: TemplateChannel, template: TemplateDraft): Promise<{ status: TemplateStatus }>;
  /** @throws {CarrierError} if refused */
  editTemplate?(channel: TemplateChannel, template: TemplateEdit): Promise<void>;
  /**
   * Deleting a template succeeds even if the template does not exist.
   * @throws {CarrierError}
   */
  deleteTemplate?(channel: TemplateChannel, key: { name: string; language: string }): Promise<void>;
  /**
   * Uploads the file that `read` opens, and returns the `header_handle` of the example.
   * @throws {CarrierError}
   */
  uploadExample?(channel: TemplateChannel, read: () => Promise<TemplateExample>): Promise<string>;
  /**
   * A carrier that stores no templates returns `stored`, which contains the templates in our database.
   * @throws {CarrierError}
   */
  listTemplates?(channel: TemplateChannel, stored: readonly CarrierTemplate[]): Promise<CarrierTemplate[]>;
  /** @throws {CarrierError} if the carrier refuses */
  markRead?(channel: TemplateChannel, carrierMessageId: string, options: { typing: boolean }): Promise<void>;
  /** @throws {CarrierError} */
  readProfile?(channel: TemplateChannel): Promise<BusinessProfile>;
  /** @throws {CarrierError} if refused */
  changeProfile?(channel: TemplateChannel, change: ProfileChange): Promise<void>;
  /**
   * The signal also aborts reading the file's content. The CarrierError is retryable unless the carrier has deleted the file.
   * @throws {CarrierError}
   */
  fetchMedia?(channel: TemplateChannel, carrierMediaId: string, signal: AbortSignal): Promise<FetchedMedia>;
  /** Closes the carrier after pending submissions have finished or the signal has fired. */
  close(signal: AbortSignal): Promise<void>;
}
