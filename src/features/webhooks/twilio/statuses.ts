import type { MessageStatus } from '../../../messages/message-status.js';

/** The version of the API, in paths and resources. */
export const API_VERSION = '2010-04-01';

/** Twilio's message statuses. */
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

/** Maps a status to Twilio's, which has neither `rejected` nor `expired`. */
export function twilioStatus(status: MessageStatus): Exclude<TwilioStatus, 'scheduled'> {
  return status === 'rejected' || status === 'expired' ? 'failed' : status;
}

/** Formats an address as Twilio does: numbers in E.164, sender IDs unchanged, and WhatsApp addresses with a prefix. */
export function twilioAddress(kind: 'sms' | 'whatsapp', address: string): string {
  const formatted = /^\d{7,15}$/.test(address) ? `+${address}` : address;
  return kind === 'whatsapp' ? `whatsapp:${formatted}` : formatted;
}
