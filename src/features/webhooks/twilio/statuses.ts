import type { MessageStatus } from '../../../messages/message-status.js';

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

/** Twilio has no statuses `rejected` and `expired`, so both become `failed`. */
export function toTwilioStatus(status: MessageStatus): Exclude<TwilioStatus, 'scheduled'> {
  return status === 'rejected' || status === 'expired' ? 'failed' : status;
}

export function toTwilioAddress(kind: 'sms' | 'whatsapp', address: string): string {
  const formatted = /^\d{7,15}$/.test(address) ? `+${address}` : address;
  return kind === 'whatsapp' ? `whatsapp:${formatted}` : formatted;
}
