/** Short codes have at most this many digits. Longer numbers have a country code. */
const SHORT_CODE_DIGITS = 8;

/** Adds the plus sign. */
export const phoneText = (digits: string): string => `+${digits}`;

/** A contact's phone number, or WhatsApp's identifiers if the number is hidden. */
export interface ShownPerson {
  phone: string | null;
  userId?: string | null;
  username?: string | null;
}

/** Display name of a contact without a name: the number, username or user ID. */
export function personText({ phone, userId, username }: ShownPerson): string {
  if (phone !== null) return phoneText(phone);
  return username ? `@${username}` : (userId ?? '–');
}

/** A message's recipient: a number with its plus sign, or a WhatsApp user ID. */
export function recipientText(recipient: string): string {
  return /^\d/.test(recipient) ? phoneText(recipient) : recipient;
}

/** A message's recipient: a number with its plus sign, or else the username or WhatsApp user ID. */
export function sentToText({ to, username }: { to: string; username: string | null }): string {
  return personText({ phone: /^\d/.test(to) ? to : null, userId: to, username });
}

/** A message's sender. Phone numbers get a plus sign; names and short codes stay unchanged. */
export function senderText(sender: string): string {
  return /^\d+$/.test(sender) && sender.length > SHORT_CODE_DIGITS ? phoneText(sender) : sender;
}

/** Whether the input is a WhatsApp user ID instead of a number. */
export const isUserId = (typed: string): boolean => /^[A-Z]{2}\.[A-Za-z0-9.]+$/.test(typed.trim());
