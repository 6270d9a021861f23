import type { MessageStatus } from '../../../messages/message-status.js';

/** The version of the API, which paths begin with and every resource names. */
export const API_VERSION = '2010-04-01';

/** Twilio's words for the statuses of a message. */
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

/** A status in Twilio's words, which know of no refusal and no expiry. */
export function twilioStatus(status: MessageStatus): Exclude<TwilioStatus, 'scheduled'> {
  return status === 'rejected' || status === 'expired' ? 'failed' : status;
}

/** An address as Twilio writes it: a number in E.164, a Sender ID as it is, and before those of WhatsApp its name. */
export function twilioAddress(kind: 'sms' | 'whatsapp', address: string): string {
  const written = /^\d{7,15}$/.test(address) ? `+${address}` : address;
  return kind === 'whatsapp' ? `whatsapp:${written}` : written;
}
