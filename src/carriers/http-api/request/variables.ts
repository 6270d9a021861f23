import { toAttemptId } from '../../attempt-id.js';
import type { OutboundMessage } from '../../carrier.js';
import { encodeParts } from '../../sms/segments.js';

/** Variables for requests to a vendor. Null: unset. */
export interface Variables {
  /** Our message ID. */
  id: string;
  /** Our ID of this attempt. */
  attempt_id: string;
  /** Recipient, digits with country code. */
  to: string;
  to_plus: string;
  /** Sender ID; a number without its plus sign. */
  from: string;
  /** Sender ID; a number with its plus sign. */
  from_plus: string;
  text: string;
  segments: number;
  /** The plan's name for GSM 7-bit or UCS-2. */
  encoding: string;
  /** Our callback URL for receipts. */
  receipt_url: string | null;
  /** The encoded text in hex: one octet per GSM 7-bit septet, or UTF-16BE. */
  hex: string;
  /** Remaining validity, within the vendor's limits. */
  validity_seconds: number;
  validity_minutes: number;
  /** End of that validity, ISO 8601. */
  valid_until: string;
  /** End of the message's own validity, without the vendor's limits, so it is the same for every attempt. ISO 8601. */
  expires_at: string;
  /** The vendor's message ID, for polling a receipt. */
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
  /** The vendor's names of the encodings. */
  encodings: { gsm7: string; ucs2: string };
  /** The vendor's limits on validity, in seconds. */
  shortestValidity: number;
  longestValidity: number;
  receiptUrl: string | null;
}

/** Variables for sending a message. */
export function messageVariables(
  { id, attempt, to, from, body, segmentation, validUntil }: OutboundMessage,
  { now, encodings, shortestValidity, longestValidity, receiptUrl }: VariablesOptions,
): Variables {
  const sender = /^\+\d+$/.test(from) ? from.slice(1) : from;
  const remaining = Math.floor((validUntil.getTime() - now.getTime()) / 1000);
  const seconds = Math.min(longestValidity, Math.max(shortestValidity, remaining));
  return {
    id,
    attempt_id: toAttemptId({ id, attempt }),
    to,
    to_plus: `+${to}`,
    from: sender,
    // Short codes have fewer digits and get no plus sign.
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
