import type { AccountRef } from '../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import type { MessageContent } from '../../carriers/content.js';
import type { PhoneNumber } from '../../carriers/numbers/phone-numbers.js';
import type { SendNotes } from './notes.js';

/** If the number is unknown, `digits` is the person's WhatsApp user ID. */
export interface Recipient extends PhoneNumber {
  contactId?: string;
  conversationId?: string;
}

export interface SendRequest {
  account: AccountRef;
  surface: 'a' | 'b';
  kind: 'sms' | 'whatsapp';
  /** Sender ID of an SMS, or the number (digits) of a WhatsApp channel. */
  sender: string;
  recipients: readonly Recipient[];
  body: string;
  content: MessageContent | null;
  /** From 0 (lowest) to 3 (highest). */
  priority: number;
  /** The WhatsApp channel, or the SMS channel of a reply. Null for other SMS. */
  channelId: string | null;
  carrier: string;
  campaignId?: string;
  /** Omitted: send at once. */
  scheduledAt?: Date;
  /** Counts from `scheduledAt`. Default: the setting MESSAGE_VALIDITY_SECONDS. */
  validitySeconds?: number;
  validUntil?: Date | undefined;
  notes?: SendNotes;
  /** Omitted for campaigns and other automatic sends. */
  origin?: SendOrigin;
  /** Body and content contain a mask, which the sender replaces with the sign-in code. */
  verificationId?: string;
  idempotencyKey: IdempotencyKey | null;
}

/** For logs and traces. */
export interface SendOrigin {
  /** `X-Request-Id` of the response: letters, digits, `.`, `_` and `-`. */
  requestId: string;
  /** W3C trace context; null if not traced. */
  traceparent: string | null;
}

export interface AcceptedMessage {
  id: string;
  recipient: Recipient;
  /** 1 for WhatsApp. */
  parts: number;
}

/** A repeated request with the same idempotency key gets the result of the first. */
export interface Acceptance {
  acceptedAt: Date;
  body: string;
  messages: readonly AcceptedMessage[];
  notes?: SendNotes;
  /** Repeats an earlier answer: `Idempotent-Replayed: true`. */
  replayed: boolean;
}
