import type { TemplateStatus } from '../generated/prisma/client.js';
import type { MessageContent } from '../messages/content.js';
import type { SmsSegmentation } from '../messages/segments.js';
import type { CarrierTemplate, TemplateChannel, TemplateDraft } from './templates.js';

/** One message as a carrier is given it. */
export interface OutboundMessage {
  /** Our id (UUIDv7). */
  id: string;
  kind: 'sms' | 'whatsapp';
  /** Sender ID of an SMS, or the phone number (digits) of the WhatsApp channel. */
  from: string;
  /** Digits with country code. */
  to: string;
  /** 1 for the first try; counts every claim. */
  attempt: number;
  /** Text, caption or rendered template. */
  body: string;
  /** Null for plain text without options. */
  content: MessageContent | null;
  /** Encoding and parts of an SMS; null for WhatsApp. */
  segmentation: SmsSegmentation | null;
  /** Past this moment the carrier should no longer try. */
  validUntil: Date;
}

/** What a carrier answers once it took a message. */
export interface Submission {
  /** The carrier's own id, e.g. an SMPP message_id or a `wamid.`. */
  carrierMessageId: string;
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
  status: ReceiptStatus;
  occurredAt: Date;
  errorCode?: string;
  errorMessage?: string;
}

/** Where a carrier hands its receipts. Resolves once they are applied or stored: only then may they be acknowledged. */
export type ReceiptSink = (receipts: readonly Receipt[]) => Promise<void>;

/**
 * A way out for messages. A new carrier is one folder beside this file and one line in registry.ts.
 */
export interface Carrier {
  readonly name: string;
  /** Messages per second that it takes; null when it sets no limit. */
  readonly ratePerSecond: number | null;
  /** True when its ids cannot be turned back into ours, so that a reference row per message is needed. */
  readonly needsReferences: boolean;
  /**
   * Hands one message over. The carrier keeps its own window and rate; once the signal fires, a message that has not
   * left yet must not leave any more (a retryable error without a lost answer).
   * @throws {CarrierError} for every refusal, throttling or lost answer
   */
  submit(message: OutboundMessage, signal: AbortSignal): Promise<Submission>;
  /** Begins to deliver receipts; called once, by processes that work. */
  start(sink: ReceiptSink): Promise<void>;
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
   * All templates that the carrier has of a channel.
   * @param held those that this server holds, for a carrier that keeps none itself
   * @throws {CarrierError} when the carrier does not tell
   */
  listTemplates?(channel: TemplateChannel, held: readonly CarrierTemplate[]): Promise<CarrierTemplate[]>;
  /** Stops taking messages, waits for open submissions until the signal fires, and ends. */
  close(signal: AbortSignal): Promise<void>;
}

/** Why a carrier did not take a message, and whether another try may help. Only the sender turns it into a status. */
export class CarrierError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  /** The message may have gone out all the same: it is then never refunded. */
  readonly answerLost: boolean;

  constructor(code: string, message: string, options: { retryable: boolean; answerLost?: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'CarrierError';
    this.code = code;
    this.retryable = options.retryable;
    this.answerLost = options.answerLost ?? false;
  }
}
