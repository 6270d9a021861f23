import type { PhoneValidation } from './phone-numbers.js';

/*
 * WhatsApp knows some people by digits that are not their phone number: in Mexico with a 1, and in Argentina with a 9, behind the
 * country code (WhatsApp, "About international phone number format"); in Brazil without the 9 that mobile numbers got in
 * 2012–2016. So the length tables of numbering plans never apply to an address of WhatsApp, and two forms can be one person.
 */

/** The two forms of a country's numbers on WhatsApp. The longer one has `digit` at the index `at`. */
interface TwoForms {
  shorter: RegExp;
  longer: RegExp;
  at: number;
  digit: string;
  /** The form to which no SMS can be sent, if there is one. */
  unreachable: 'shorter' | 'longer' | null;
}

const TWO_FORMS: readonly TwoForms[] = [
  { shorter: /^52[2-9]\d{9}$/, longer: /^521[2-9]\d{9}$/, at: 2, digit: '1', unreachable: 'longer' },
  { shorter: /^54[1-9]\d{9}$/, longer: /^549[1-9]\d{9}$/, at: 2, digit: '9', unreachable: null },
  // A Brazilian landline starts with 2 to 5 after the two digits of its area.
  { shorter: /^55[1-9]{2}[6-9]\d{7}$/, longer: /^55[1-9]{2}9[6-9]\d{7}$/, at: 4, digit: '9', unreachable: 'shorter' },
];

/**
 * The other form under which WhatsApp may know a person.
 * @param digits with country code
 * @returns null for a number with one form only
 */
export function otherWhatsappForm(digits: string): string | null {
  for (const { shorter, longer, at, digit } of TWO_FORMS) {
    if (shorter.test(digits)) return digits.slice(0, at) + digit + digits.slice(at);
    if (longer.test(digits)) return digits.slice(0, at) + digits.slice(at + digit.length);
  }
  return null;
}

/** The phone number at which an SMS reaches a person on WhatsApp. */
export function smsNumberOf(digits: string): string {
  const isUnreachable = TWO_FORMS.some((forms) => forms.unreachable !== null && forms[forms.unreachable].test(digits));
  return isUnreachable ? (otherWhatsappForm(digits) ?? digits) : digits;
}

/** How numbers of a kind of channel are checked: PHONE_VALIDATION applies to phone numbers, not to WhatsApp addresses. */
export function validationOf(kind: 'sms' | 'whatsapp', validation: PhoneValidation): PhoneValidation {
  return kind === 'whatsapp' ? 'calling-code' : validation;
}
