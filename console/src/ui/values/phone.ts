/** Short codes have at most this many digits, and longer numbers have a country code. */
const SHORT_CODE_DIGITS = 8;

export const phoneText = (digits: string): string => `+${digits}`;

/** Person with a phone number or, if the number is hidden, WhatsApp's other identifiers. */
export interface ShownPerson {
  phone: string | null;
  userId?: string | null;
  username?: string | null;
}

export function personText({ phone, userId, username }: ShownPerson): string {
  if (phone !== null) return phoneText(phone);
  return username ? `@${username}` : (userId ?? '–');
}

export function recipientText(recipient: string): string {
  return /^\d/.test(recipient) ? phoneText(recipient) : recipient;
}

export function sentToText({ to, username }: { to: string; username: string | null }): string {
  return personText({ phone: /^\d/.test(to) ? to : null, userId: to, username });
}

export function senderText(sender: string): string {
  return /^\d+$/.test(sender) && sender.length > SHORT_CODE_DIGITS ? phoneText(sender) : sender;
}

export const isUserId = (text: string): boolean => /^[A-Z]{2}\.[A-Za-z0-9.]+$/.test(text.trim());
