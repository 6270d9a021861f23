import type { FailureCode } from '../../../carriers/failure-codes.js';

export const OPTED_OUT = 'OPTED_OUT' satisfies FailureCode;
export const OPTED_OUT_MESSAGE = 'The recipient wants no more messages from this sender.';

export interface OptOutSender {
  id: string;
  kind: 'sms' | 'whatsapp';
  /** Digits with country code. */
  phoneNumber: string;
}

/** The opt-outs of an SMS channel are stored by number, because requests may name any sender ID. */
export function toOptOutSender(channel: OptOutSender): string {
  return channel.kind === 'sms' ? toSmsOptOutSender(channel.phoneNumber) : channel.id;
}

/** Returns the value for `opt_outs.sender`, and must match the SQL function opt_out_sender(). */
export function toSmsOptOutSender(senderId: string): string {
  return senderId.replaceAll(/[+\-() ]/g, '');
}
