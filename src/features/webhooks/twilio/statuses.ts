import type { MessageStatus } from '../../../messages/message-status.js';

/** Used in paths and resources. */
export const API_VERSION = '2010-04-01';

export const TWILIO_STATUSES = [
  'queued',
  'scheduled',
  'sending',
  'sent',
  'delivered',
  'read',
  'undelivered',
  'failed',
  'canceled',
] as const;

export type TwilioStatus = (typeof TWILIO_STATUSES)[number];

/** Twilio has neither `rejected` nor `expired`. */
export function toTwilioStatus(status: MessageStatus): Exclude<TwilioStatus, 'scheduled'> {
  return status === 'rejected' || status === 'expired' ? 'failed' : status;
}

export function toTwilioAddress(kind: 'sms' | 'whatsapp', address: string): string {
  const formatted = /^\d{7,15}$/.test(address) ? `+${address}` : address;
  return kind === 'whatsapp' ? `whatsapp:${formatted}` : formatted;
}
