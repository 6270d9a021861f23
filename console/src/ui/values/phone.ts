/** Digits of the longest short codes; longer ones have a country code. */
const SHORT_CODE_DIGITS = 8;

/** A phone number as people write it, with its plus sign. */
export const phoneText = (digits: string): string => `+${digits}`;

/** A person as far as it is known: by its number, or by how WhatsApp names one who shows none. */
export interface ShownPerson {
  phone: string | null;
  userId?: string | null;
  username?: string | null;
}

/** How a person without a name is called: by the number, the username or the id. */
export function personText({ phone, userId, username }: ShownPerson): string {
  if (phone !== null) return phoneText(phone);
  return username ? `@${username}` : (userId ?? '–');
}

/** Where a message went: a number with its plus sign, or the id of one who shows none. */
export function recipientText(recipient: string): string {
  return /^\d/.test(recipient) ? phoneText(recipient) : recipient;
}

/** To whom a message went: the number with its plus sign, or how one who shows none is called. */
export function sentToText({ to, username }: { to: string; username: string | null }): string {
  return personText({ phone: /^\d/.test(to) ? to : null, userId: to, username });
}

/** What a message comes from: a phone number with its plus sign; a name or a short code as it is. */
export function senderText(sender: string): string {
  return /^\d+$/.test(sender) && sender.length > SHORT_CODE_DIGITS ? phoneText(sender) : sender;
}

/** Whether what somebody typed is a user id of WhatsApp rather than a number. */
export const isUserId = (typed: string): boolean => /^[A-Z]{2}\.[A-Za-z0-9.]+$/.test(typed.trim());
