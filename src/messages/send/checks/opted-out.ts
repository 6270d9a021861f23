/** Error code of a message to a number that has opted out. */
export const OPTED_OUT = 'OPTED_OUT';
export const OPTED_OUT_MESSAGE = 'The recipient wants no more messages from this sender.';

/** Who sends: a channel. */
export interface OptOutSender {
  id: string;
  kind: 'sms' | 'whatsapp';
  /** Digits with country code. */
  phoneNumber: string;
}

/** A channel as `opt_outs.sender` names it: an SMS sender is known by its number, which any request may name. */
export function senderOf(channel: OptOutSender): string {
  return channel.kind === 'sms' ? smsSenderOf(channel.phoneNumber) : channel.id;
}

/** An SMS sender ID as `opt_outs.sender` names it; opt_out_sender() of the first migration with opt-outs is its twin. */
export function smsSenderOf(senderId: string): string {
  return senderId.replaceAll(/[+\-() ]/g, '');
}
