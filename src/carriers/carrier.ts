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
  /** On WhatsApp, the channel's phone number, digits only. */
  from: string;
  /** Digits with country code, or a WhatsApp user ID. */
  to: string;
  /** Counts claims, from 1. */
  attempt: number;
  /** Text, caption or rendered template. */
  body: string;
  content: MessageContent | null;
  /** SMS only. */
  segmentation: SmsSegmentation | null;
  /** Parts that must not be sent again. */
  acceptedParts: readonly AcceptedPart[];
  validUntil: Date;
  /** Absent for `carrier try`: nothing can stop its message. */
  departure?: Departure;
}

export interface Submission {
  /** For a multipart message, the first part's ID. */
  carrierMessageId: string;
  /** Set if each part has its own ID; a receipt is then expected for each. Includes parts of earlier attempts. */
  parts?: readonly AcceptedPart[];
}

export type ReceiptStatus = 'delivered' | 'read' | 'undelivered' | 'failed' | 'rejected' | 'expired';

export interface Receipt {
  carrier: string;
  carrierMessageId: string;
  /** Set if our ID can be derived from the carrier's. */
  messageId?: string;
  /** From 1. */
  attempt?: number;
  /** Set if all parts share one ID. `key` distinguishes the parts. */
  part?: { key: string; total: number | null };
  status: ReceiptStatus;
  /** Meta reports each device of a recipient separately: one may fail while another shows the message. */
  overridesFailure?: boolean;
  occurredAt: Date;
  errorCode?: string;
  errorMessage?: string;
}

/** Receipts may be acknowledged to the carrier only after this resolves. */
export type ReceiptSink = (receipts: readonly Receipt[]) => Promise<void>;

export const HEALTHY = 'healthy';

export interface ChannelPause {
  /** Shown to clients as `healthStatus`. */
  health: string;
  code: string;
  reason: string;
  /** A pause is ignored if the channel was resumed after this time. */
  at: Date;
}

export interface CarrierChannel extends InboundChannel {
  carrierSettings: ChannelSettings | null;
  healthStatus: string;
}

/**
 * Data may be acknowledged to the carrier only after the method resolves. Calling a method twice with the same data has
 * no effect.
 */
export interface CarrierSinks {
  receipts: ReceiptSink;
  inbound(messages: readonly InboundMessage[]): Promise<void>;
  /** IDs of people that were reported without a message. */
  people(reports: readonly PersonReport[]): Promise<void>;
  /** WhatsApp knows the recipient by the number `known`, although the message was sent to `sentTo`. */
  linkNumbers(channelId: string, numbers: { sentTo: string; known: string }): Promise<void>;
  preference?(report: PreferenceReport): Promise<void>;
  /** From now on, a message with the same fingerprint is a new message, not a repetition. */
  acknowledged(carrierMessageIds: readonly string[]): Promise<void>;
  health(channelId: string, status: string): Promise<void>;
  /** No effect on a channel that is already paused. */
  pause(channelId: string, pause: ChannelPause): Promise<void>;
  channels(carrier: string): Promise<CarrierChannel[]>;
  /** For carriers that do not store templates. */
  hasTemplate(channelId: string, name: string, language: string): Promise<boolean>;
  /** For the simulator, which does not track the window. */
  isReplyWindowOpen?(channelId: string, address: string): Promise<boolean>;
  /** Whether a response was lost or the waiting process died. */
  isMaybeAccepted(messageId: string): Promise<boolean>;
  /** Digits with country code; only the country code of an erased person, and nothing for an erased message. */
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
  /** True if our IDs cannot be derived from the carrier's. */
  readonly needsReferences: boolean;
  /** Must not wait, because it is called for every message of a route. */
  state(): CarrierState;
  connections?(): CarrierConnection[];
  window?(): { size: number; inUse: number };
  /**
   * The carrier enforces its own window and rate. After the last wait, it calls the methods of `message.departure` and
   * rethrows their errors.
   *
   * Once `signal` fires or its deadline passes (see `isPastDeadline`), the message must not be sent any more. The error
   * is then retryable, without `answerLost`. A carrier that is down fails at once with `notTried`.
   * @throws {CarrierError} if the message is refused or throttled, or the response is lost
   */
  submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission>;
  /** Does not wait until the carrier is connected. */
  start(sinks: CarrierSinks): Promise<void>;
  /** For carriers that lose pending receipts when a process ends. */
  requestReceipts?(messages: readonly { carrierMessageId: string; to: string; kind: 'sms' | 'whatsapp' }[]): void;
  /** @throws {CarrierError} if the carrier refuses the template */
  createTemplate?(channel: TemplateChannel, template: TemplateDraft): Promise<{ status: TemplateStatus }>;
  /** @throws {CarrierError} if the carrier refuses the change */
  editTemplate?(channel: TemplateChannel, template: TemplateEdit): Promise<void>;
  /**
   * Succeeds if the template does not exist.
   * @throws {CarrierError} if refused
   */
  deleteTemplate?(channel: TemplateChannel, key: { name: string; language: string }): Promise<void>;
  /**
   * @param read opens the file; its errors are rethrown
   * @returns the example's `header_handle`
   * @throws {CarrierError} if the carrier refuses the file
   */
  uploadExample?(channel: TemplateChannel, read: () => Promise<TemplateExample>): Promise<string>;
  /**
   * @param stored our copies, for carriers that store no templates
   * @throws {CarrierError} if the list cannot be read
   */
  listTemplates?(channel: TemplateChannel, stored: readonly CarrierTemplate[]): Promise<CarrierTemplate[]>;
  /** @throws {CarrierError} if the carrier refuses */
  markRead?(channel: TemplateChannel, carrierMessageId: string, options: { typing: boolean }): Promise<void>;
  /** @throws {CarrierError} */
  readProfile?(channel: TemplateChannel): Promise<BusinessProfile>;
  /** @throws {CarrierError} if the carrier refuses the change */
  changeProfile?(channel: TemplateChannel, change: ProfileChange): Promise<void>;
  /**
   * @param signal aborts the download, including reading the body
   * @throws {CarrierError} retryable unless the file is gone for good
   */
  fetchMedia?(channel: TemplateChannel, carrierMediaId: string, signal: AbortSignal): Promise<FetchedMedia>;
  /** Waits for pending submissions until the signal fires. */
  close(signal: AbortSignal): Promise<void>;
}
