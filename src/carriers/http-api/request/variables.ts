import { toAttemptId } from '../../attempt-id.js';
import type { OutboundMessage } from '../../carrier.js';
import { encodeParts } from '../../sms/segments.js';

/** Null: unset. */
export interface Variables {
  /** Our message ID. */
  id: string;
  attempt_id: string;
  /** Digits with country code. */
  to: string;
  to_plus: string;
  /** If the sender is a phone number, `from` has no plus sign. */
  from: string;
  /** If the sender is a phone number, `from_plus` has a plus sign. */
  from_plus: string;
  text: string;
  segments: number;
  /** The vendor's name for GSM 7-bit or UCS-2, from the plan. */
  encoding: string;
  receipt_url: string | null;
  /** Text in hex: one octet per GSM 7-bit septet, or UTF-16BE. */
  hex: string;
  /** Remaining validity, limited to the range that the vendor accepts. */
  validity_seconds: number;
  validity_minutes: number;
  /** ISO 8601 expiry time, limited to the range that the vendor accepts. */
  valid_until: string;
  /** ISO 8601 expiry time without the vendor's limits, so that every attempt has the same value. */
  expires_at: string;
  /** The vendor's message ID, used for polling. */
  carrier_id: string | null;
}

export const VARIABLE_NAMES = [
  'id',
  'attempt_id',
  'to',
  'to_plus',
  'from',
  'from_plus',
  'text',
  'segments',
  'encoding',
  'receipt_url',
  'hex',
  'validity_seconds',
  'validity_minutes',
  'valid_until',
  'expires_at',
  'carrier_id',
] as const satisfies readonly (keyof Variables)[];

export interface VariablesOptions {
  now: Date;
  encodings: { gsm7: string; ucs2: string };
  /** In seconds. */
  shortestValidity: number;
  longestValidity: number;
  receiptUrl: string | null;
}

export function buildMessageVariables(
  { id, attempt, to, from, body, segmentation, validUntil }: OutboundMessage,
  { now, encodings, shortestValidity, longestValidity, receiptUrl }: VariablesOptions,
): Variables {
  const sender = /^\+\d+$/.test(from) ? from.slice(1) : from;
  const remainingSeconds = Math.floor((validUntil.getTime() - now.getTime()) / 1000);
  const seconds = Math.min(longestValidity, Math.max(shortestValidity, remainingSeconds));
  return {
    id,
    attempt_id: toAttemptId({ id, attempt }),
    to,
    to_plus: `+${to}`,
    from: sender,
    from_plus: /^\d{7,15}$/.test(sender) ? `+${sender}` : sender,
    text: body,
    segments: segmentation?.parts.length ?? 1,
    encoding: encodings[segmentation?.encoding ?? 'gsm7'],
    receipt_url: receiptUrl,
    get hex() {
      if (!segmentation) return Buffer.from(body, 'utf16le').swap16().toString('hex');
      return Buffer.concat(encodeParts(segmentation, 0).map(({ userData }) => userData)).toString('hex');
    },
    validity_seconds: seconds,
    validity_minutes: Math.ceil(seconds / 60),
    valid_until: new Date(now.getTime() + seconds * 1000).toISOString(),
    expires_at: validUntil.toISOString(),
    carrier_id: null,
  };
}
