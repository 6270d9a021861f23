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

/**
 * The part of a statement that tells whether the recipient of a message has opted out. Where nobody has ever
 * written STOP or START, which is asked once, it costs nothing. A plain sub-select per message: for an EXISTS, PostgreSQL may choose to read the whole
 * table instead of one entry of its key.
 * @param message alias of a row of `messages`
 */
export function isOptedOut(message: string): string {
  return `CASE WHEN EXISTS (SELECT FROM opt_outs) THEN coalesce((
    SELECT true FROM opt_outs o
    WHERE o.account_id = ${message}.account_id AND o.kind = ${message}.kind AND o.phone = ${message}.recipient
      AND o.is_active
      AND o.sender = CASE ${message}.kind WHEN 'sms' THEN opt_out_sender(${message}.sender) ELSE ${message}.channel_id::text END
  ), false) ELSE false END`;
}
