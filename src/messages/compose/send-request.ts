import type { AccountRef } from '../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import type { MessageContent } from '../../carriers/content.js';
import type { PhoneNumber } from '../../carriers/numbers/phone-numbers.js';
import type { SendNotes } from './notes.js';
import type { Purpose } from './purpose.js';

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
  /** Priority from 0 (lowest) to 3 (highest). */
  priority: number;
  /** ID of the WhatsApp channel, or of the SMS channel of a reply; null for other SMS. */
  channelId: string | null;
  carrier: string;
  campaignId?: string;
  /** Index of the campaign's variant. */
  campaignVariant?: number;
  scheduledAt?: Date;
  /** Validity in seconds from `scheduledAt`, by default the setting MESSAGE_VALIDITY_SECONDS. */
  validitySeconds?: number;
  validUntil?: Date | undefined;
  notes?: SendNotes;
  /** The origin is omitted for campaigns and other automatic sends. */
  origin?: SendOrigin;
  /** Set for a sign-in code: the sender replaces the mask in body and content with the code. */
  verificationId?: string;
  /** Default: `transactional`. */
  purpose?: Purpose;
  /** Whether the message also goes to a recipient who has opted out, as the replies to STOP and HELP do. */
  ignoresOptOut?: true;
  idempotencyKey: IdempotencyKey | null;
}

/** For logs and traces. */
export interface SendOrigin {
  /** `X-Request-Id` of the response: letters, digits, `.`, `_` and `-`. */
  requestId: string;
  /** W3C trace context, or null if the request is not traced. */
  traceparent: string | null;
}

export interface AcceptedMessage {
  id: string;
  recipient: Recipient;
  /** Always 1 for WhatsApp. */
  parts: number;
}

/** A repeated request with the same idempotency key gets the result of the first request. */
export interface Acceptance {
  acceptedAt: Date;
  body: string;
  messages: readonly AcceptedMessage[];
  notes?: SendNotes;
  /** Whether the result repeats an earlier one, as the header `Idempotent-Replayed: true` reports. */
  replayed: boolean;
}
