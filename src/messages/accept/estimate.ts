import {
  type ForcingCharacter,
  firstForcingCharacter,
  type SmsSegmentation,
  segment,
} from '../../carriers/sms/segments.js';
import type { SendRequest } from '../compose/send-request.js';
import type { PendingRequest } from './pending-request.js';

/** What a send would be and cost. */
export interface Estimate {
  kind: 'sms' | 'whatsapp';
  /** Text, caption or rendered template. */
  body: string;
  /** Null for WhatsApp, which is not divided. */
  segmentation: SmsSegmentation | null;
  /** The first character that forces UCS-2; null where none does, and for WhatsApp. */
  forcing: ForcingCharacter | null;
  /** SMS parts of each message, as they are charged; 1 for WhatsApp. */
  parts: number;
  /** In the order of the request; millionths of the currency unit. */
  prices: readonly { digits: string; micros: bigint }[];
  totalMicros: bigint;
  currency: string;
}

/** What knows prices: the acceptor of src/messages/accept/acceptor.ts. */
export interface Pricer {
  prepare(request: SendRequest): Promise<PendingRequest>;
}

/**
 * What a send would be and cost by the prices of this moment. Nothing is stored, and the balance is not looked at.
 * @throws {AppError} INVALID_REQUEST for more text than a message or a commit can hold
 */
export async function estimateSend(pricer: Pricer, request: SendRequest): Promise<Estimate> {
  const { parts, prices, charge } = await pricer.prepare(request);
  const { kind, body, recipients, account } = request;
  return {
    kind,
    body,
    segmentation: kind === 'sms' ? segment(body) : null,
    forcing: kind === 'sms' ? firstForcingCharacter(body) : null,
    parts,
    prices: recipients.map(({ digits }, index) => ({ digits, micros: prices[index] as bigint })),
    totalMicros: charge,
    currency: account.currency,
  };
}
