import {
  findNonGsmCharacter,
  type NonGsmCharacter,
  type SmsSegmentation,
  segment,
} from '../../carriers/sms/segments.js';
import type { SendRequest } from '../compose/send-request.js';
import type { PendingRequest } from './pending-request.js';

export interface Estimate {
  kind: 'sms' | 'whatsapp';
  body: string;
  /** Null for WhatsApp. */
  segmentation: SmsSegmentation | null;
  forcing: NonGsmCharacter | null;
  /** Always 1 for WhatsApp. */
  parts: number;
  /** Price per recipient, in millionths of the currency unit. */
  prices: readonly { digits: string; micros: bigint }[];
  totalMicros: bigint;
  currency: string;
}

export interface Pricer {
  prepare(request: SendRequest): Promise<PendingRequest>;
}

/** Estimates the cost of a send without checking the account's balance. */
export async function estimateSend(pricer: Pricer, request: SendRequest): Promise<Estimate> {
  const { parts, prices, charge } = await pricer.prepare(request);
  const { kind, body, recipients, account } = request;
  return {
    kind,
    body,
    segmentation: kind === 'sms' ? segment(body) : null,
    forcing: kind === 'sms' ? findNonGsmCharacter(body) : null,
    parts,
    prices: recipients.map(({ digits }, index) => ({ digits, micros: prices[index] as bigint })),
    totalMicros: charge,
    currency: account.currency,
  };
}
