import type { PhoneValidation } from './phone-numbers.js';

/*
 * Some WhatsApp addresses are not phone numbers: in Mexico they have a 1 after the country code, in Argentina a 9
 * (WhatsApp, "About international phone number format"). In Brazil some lack the 9 added to mobile numbers in
 * 2012–2016.
 */

/** The longer form has `digit` inserted at index `at`. */
interface TwoForms {
  shorter: RegExp;
  longer: RegExp;
  at: number;
  digit: string;
  /** The form that cannot receive SMS, if any. */
  unreachable: 'shorter' | 'longer' | null;
}

const TWO_FORMS: readonly TwoForms[] = [
  { shorter: /^52[2-9]\d{9}$/, longer: /^521[2-9]\d{9}$/, at: 2, digit: '1', unreachable: 'longer' },
  { shorter: /^54[1-9]\d{9}$/, longer: /^549[1-9]\d{9}$/, at: 2, digit: '9', unreachable: null },
  // Brazilian landline numbers start with 2 to 5 after the area code.
  { shorter: /^55[1-9]{2}[6-9]\d{7}$/, longer: /^55[1-9]{2}9[6-9]\d{7}$/, at: 4, digit: '9', unreachable: 'shorter' },
];

/** @returns null if the number has only one form */
export function findOtherWhatsappForm(digits: string): string | null {
  for (const { shorter, longer, at, digit } of TWO_FORMS) {
    if (shorter.test(digits)) return digits.slice(0, at) + digit + digits.slice(at);
    if (longer.test(digits)) return digits.slice(0, at) + digits.slice(at + digit.length);
  }
  return null;
}

export function toSmsNumber(digits: string): string {
  const isUnreachable = TWO_FORMS.some((forms) => forms.unreachable !== null && forms[forms.unreachable].test(digits));
  return isUnreachable ? (findOtherWhatsappForm(digits) ?? digits) : digits;
}

/** PHONE_VALIDATION does not apply to WhatsApp addresses. */
export function getPhoneValidation(kind: 'sms' | 'whatsapp', validation: PhoneValidation): PhoneValidation {
  return kind === 'whatsapp' ? 'calling-code' : validation;
}
