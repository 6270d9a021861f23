import type { PhoneValidation } from './phone-numbers.js';

/*
 * Some WhatsApp addresses are not phone numbers. Mexican addresses have a 1 after the country code, and Argentine
 * addresses a 9 (WhatsApp, "About international phone number format"). Some Brazilian addresses lack the 9 that was
 * added to mobile numbers in 2012–2016.
 */

/** In the longer form of a WhatsApp address, `digit` is inserted at index `at`. */
interface TwoForms {
  shorter: RegExp;
  longer: RegExp;
  at: number;
  digit: string;
  /** Which form of the number cannot receive SMS, or null if both forms can. */
  unreachable: 'shorter' | 'longer' | null;
}

const TWO_FORMS: readonly TwoForms[] = [
  { shorter: /^52[2-9]\d{9}$/, longer: /^521[2-9]\d{9}$/, at: 2, digit: '1', unreachable: 'longer' },
  { shorter: /^54[1-9]\d{9}$/, longer: /^549[1-9]\d{9}$/, at: 2, digit: '9', unreachable: null },
  // The pattern excludes Brazilian landline numbers, which start with 2 to 5 after the area code.
  { shorter: /^55[1-9]{2}[6-9]\d{7}$/, longer: /^55[1-9]{2}9[6-9]\d{7}$/, at: 4, digit: '9', unreachable: 'shorter' },
];

/** Returns the other form of a number, or null if the number has only one form. */
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
