import type { AccountRef } from '../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import type { MessageContent } from '../../carriers/content.js';
import type { PhoneNumber } from '../../carriers/numbers/phone-numbers.js';
import type { SendNotes } from './notes.js';

/** To whom a message goes; one without a number by a user id of WhatsApp, which stands in the place of the digits. */
export interface Recipient extends PhoneNumber {
  /** Of a contact: whose message it is, and in which conversation. */
  contactId?: string;
  conversationId?: string;
}

/** A send whose fields obey every rule; what is left is its price, the balance, and the commit. */
export interface SendRequest {
  account: AccountRef;
  surface: 'a' | 'b';
  kind: 'sms' | 'whatsapp';
  /** Sender ID of an SMS as the caller wrote it; the phone number (digits) of a WhatsApp channel. */
  sender: string;
  /** In the order of the request; at least one. */
  recipients: readonly Recipient[];
  /** Text, caption or rendered template; may be "" for media and unknown templates. */
  body: string;
  content: MessageContent | null;
  /** 0 (lowest) to 3 (highest). */
  priority: number;
  /** The WhatsApp channel, or the SMS channel of a reply; null for every other SMS. */
  channelId: string | null;
  carrier: string;
  /** The campaign that sends it. */
  campaignId?: string;
  /** Business time before which it must not be sent; without it, at once. */
  scheduledAt?: Date;
  /** Seconds from then in which it may be tried; without it, those of the setting MESSAGE_VALIDITY_SECONDS. */
  validitySeconds?: number;
  /** Business time after which the message is not sent any more. Overrides `validitySeconds`. */
  validUntil?: Date | undefined;
  /** What the sender notes on it; without it, nothing. */
  notes?: SendNotes;
  /** The request that it came with; left out where none did, as for campaigns. */
  origin?: SendOrigin;
  /** The sign-in code that it carries; body and content hold `maskOf` it, and the sender puts it in. */
  verificationId?: string;
  idempotencyKey: IdempotencyKey | null;
}

/** Where a send comes from, by which its messages are found again. */
export interface SendOrigin {
  /** What the answer calls it in `X-Request-Id`: letters, digits, `.`, `_` and `-`. */
  requestId: string;
  /** The step that sends it, as in W3C Trace Context; null where that is not traced. */
  traceparent: string | null;
}

export interface AcceptedMessage {
  id: string;
  recipient: Recipient;
  /** SMS parts; 1 for WhatsApp. */
  parts: number;
}

/** What was committed: for a repetition of an idempotent request, what was committed then. */
export interface Acceptance {
  acceptedAt: Date;
  body: string;
  messages: readonly AcceptedMessage[];
  /** Left out where the send has none. */
  notes?: SendNotes;
  /** The answer repeats an earlier one: `Idempotent-Replayed: true`. */
  replayed: boolean;
}
