import { attemptId } from '../../attempt-id.js';
import type { OutboundMessage } from '../../carrier.js';
import { encodeParts } from '../../sms/segments.js';

/** What a request to a vendor may hold of a message; null: there is none of it. */
export interface Variables {
  /** Our id. */
  id: string;
  /** Our ID of this attempt. */
  attempt_id: string;
  /** Recipient: digits with country code. */
  to: string;
  to_plus: string;
  /** Sender ID as it is written, a number without its plus sign. */
  from: string;
  /** The same, a number with its plus sign. */
  from_plus: string;
  text: string;
  segments: number;
  /** The plan's word for GSM 7-bit or UCS-2. */
  encoding: string;
  /** Where receipts are asked to be sent. */
  receipt_url: string | null;
  /** The text in its encoding, as hexadecimal digits: septets of GSM 7-bit an octet each, or UTF-16BE. */
  hex: string;
  /** Until the message is no longer wanted, at least 1. */
  validity_seconds: number;
  validity_minutes: number;
  /** The same as a moment, ISO 8601. */
  valid_until: string;
  /** When its validity ends, whatever the vendor takes: the same for every attempt. ISO 8601. */
  expires_at: string;
  /** The vendor's id, where it is asked what became of a message. */
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
  /** Words for the encodings. */
  encodings: { gsm7: string; ucs2: string };
  /** What validity the vendor takes, in seconds. */
  shortestValidity: number;
  longestValidity: number;
  receiptUrl: string | null;
}

/** The variables of a message that is to be sent. */
export function variablesOf(
  { id, attempt, to, from, body, segmentation, validUntil }: OutboundMessage,
  { now, encodings, shortestValidity, longestValidity, receiptUrl }: VariablesOptions,
): Variables {
  const sender = /^\+\d+$/.test(from) ? from.slice(1) : from;
  const left = Math.floor((validUntil.getTime() - now.getTime()) / 1000);
  const seconds = Math.min(longestValidity, Math.max(shortestValidity, left));
  return {
    id,
    attempt_id: attemptId({ id, attempt }),
    to,
    to_plus: `+${to}`,
    from: sender,
    // A short code has fewer digits, and is no number with a country code.
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
