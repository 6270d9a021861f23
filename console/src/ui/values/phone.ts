/** Digits of the longest short codes; longer ones have a country code. */
const SHORT_CODE_DIGITS = 8;

/** A phone number as people write it, with its plus sign. */
export const phoneText = (digits: string): string => `+${digits}`;

/** What a message comes from: a phone number with its plus sign; a name or a short code as it is. */
export function senderText(sender: string): string {
  return /^\d+$/.test(sender) && sender.length > SHORT_CODE_DIGITS ? phoneText(sender) : sender;
}
