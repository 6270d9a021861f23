import type { PhoneValidation } from './phone-numbers.js';

/*
 * WhatsApp knows some people by digits that are not their phone number: in Mexico with a 1, and in Argentina with a 9, behind the
 * country code (WhatsApp, "About international phone number format"); in Brazil without the 9 that mobile numbers got in
 * 2012–2016. So the length tables of numbering plans never apply to an address of WhatsApp, and two forms can be one person.
 */

/** Both forms of a person's number on WhatsApp: the shorter one, and the digit that the longer one has in its place. */
const TWO_FORMS: readonly { shorter: RegExp; longer: RegExp; head: string; digit: string }[] = [
  { shorter: /^52[2-9]\d{9}$/, longer: /^521[2-9]\d{9}$/, head: '52', digit: '1' },
  { shorter: /^54[1-9]\d{9}$/, longer: /^549[1-9]\d{9}$/, head: '54', digit: '9' },
  // A Brazilian landline begins with 2 to 5 behind the two digits of its area.
  { shorter: /^55[1-9]{2}[6-9]\d{7}$/, longer: /^55[1-9]{2}9[6-9]\d{7}$/, head: '55dd', digit: '9' },
];

/**
 * The other form by which WhatsApp may know whoever has a number.
 * @param digits with country code
 * @returns null for a number with one form only
 */
export function otherWhatsappForm(digits: string): string | null {
  for (const { shorter, longer, head, digit } of TWO_FORMS) {
    const at = head.length;
    if (shorter.test(digits)) return digits.slice(0, at) + digit + digits.slice(at);
    if (longer.test(digits)) return digits.slice(0, at) + digits.slice(at + digit.length);
  }
  return null;
}

/** The phone number of whoever has an address of WhatsApp, by which an SMS reaches the same person. */
export function smsNumberOf(digits: string): string {
  const isMexican = /^521[2-9]\d{9}$/.test(digits);
  const isOldBrazilian = /^55[1-9]{2}[6-9]\d{7}$/.test(digits);
  return isMexican || isOldBrazilian ? (otherWhatsappForm(digits) ?? digits) : digits;
}

/** How numbers of a kind of channel are checked: PHONE_VALIDATION is about phone numbers, and not about addresses of WhatsApp. */
export function validationOf(kind: 'sms' | 'whatsapp', validation: PhoneValidation): PhoneValidation {
  return kind === 'whatsapp' ? 'calling-code' : validation;
}
