export const OPTED_OUT = 'OPTED_OUT';
export const OPTED_OUT_MESSAGE = 'The recipient wants no more messages from this sender.';

export interface OptOutSender {
  id: string;
  kind: 'sms' | 'whatsapp';
  /** Digits with country code. */
  phoneNumber: string;
}

/** `opt_outs.sender`. For SMS it is the number, because requests may name any sender ID. */
export function toOptOutSender(channel: OptOutSender): string {
  return channel.kind === 'sms' ? toSmsOptOutSender(channel.phoneNumber) : channel.id;
}

/** `opt_outs.sender`. Must match the SQL function opt_out_sender(). */
export function toSmsOptOutSender(senderId: string): string {
  return senderId.replaceAll(/[+\-() ]/g, '');
}
