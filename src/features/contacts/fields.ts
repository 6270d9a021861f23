import { isPhoneNumber, type PhoneValidation, phoneRule } from '../../carriers/numbers/phone-numbers.js';
import { isOwnUserId, OWN_USER_ID_RULE, USER_ID_ON_SMS_RULE } from '../../carriers/numbers/user-ids.js';
import { validationOf } from '../../carriers/numbers/whatsapp-numbers.js';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import { invalidFields, isLongerThan } from '../../platform/errors/field-problems.js';
import type { ChannelKind } from '../../platform/generated/prisma/client.js';

/** Most characters of a contact's name. */
export const NAME_LIMIT = 200;
/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
export const EMAIL_LIMIT = 254;

export const NAME_RULE = `must be a text of at most ${NAME_LIMIT} characters without control characters`;
export const EMAIL_RULE = 'must be an e-mail address';

/** Control characters: the search keeps name, number and e-mail address apart by one of them. */
const CONTROL = /\p{Cc}/u;

/** As browsers check `<input type="email">` (HTML §4.10.5.1.5), and with letters of any alphabet (RFC 6531). */
const EMAIL =
  /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?(?:\.[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?)*$/u;

/** Whether a text may be a contact's name; the empty one unsets it. */
export function isContactName(text: string): boolean {
  return !CONTROL.test(text) && !isLongerThan(text, NAME_LIMIT);
}

/** Whether a text may be a contact's e-mail address; the empty one unsets it. */
export function isContactEmail(text: string): boolean {
  return text === '' || (text.length <= EMAIL_LIMIT && EMAIL.test(text));
}

/** A name from elsewhere, e.g. of a WhatsApp profile, as a contact may have it. */
export function toContactName(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim();
  return isLongerThan(line, NAME_LIMIT) ? [...line].slice(0, NAME_LIMIT).join('') : line;
}

/** What is said of a contact by hand. */
export interface ContactFields {
  phone?: string;
  /** Of WhatsApp alone. */
  userId?: string;
  name?: string;
  email?: string;
}

/**
 * What the schemas of a request cannot say of a new contact, which is known by a number, by a user id, or by both.
 * @throws {AppError} INVALID_REQUEST with every field that breaks its rule
 */
export function checkNewContact(
  { phone, userId, ...others }: ContactFields,
  { kind, validation }: { kind: ChannelKind; validation: PhoneValidation },
): void {
  const problems: FieldProblem[] = [];
  if (phone === undefined && (userId === undefined || kind === 'sms')) {
    problems.push({ field: 'phone', rule: kind === 'sms' ? 'is required' : 'is required unless userId is sent' });
  }
  if (phone !== undefined && !isPhoneNumber(phone, validationOf(kind, validation))) {
    problems.push({ field: 'phone', rule: phoneRule(phone) });
  }
  if (userId !== undefined && kind === 'sms') problems.push({ field: 'userId', rule: USER_ID_ON_SMS_RULE });
  else if (userId !== undefined && !isOwnUserId(userId)) problems.push({ field: 'userId', rule: OWN_USER_ID_RULE });
  throwIfAny([...problems, ...problemsOf(others)]);
}

/**
 * What the schemas of a request cannot say of what is changed of a contact; a field that is not given is not checked.
 * @throws {AppError} INVALID_REQUEST with every field that breaks its rule
 */
export function checkContactFields(fields: Pick<ContactFields, 'name' | 'email'>): void {
  throwIfAny(problemsOf(fields));
}

function problemsOf({ name, email }: Pick<ContactFields, 'name' | 'email'>): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (name !== undefined && !isContactName(name)) problems.push({ field: 'name', rule: NAME_RULE });
  if (email !== undefined && !isContactEmail(email)) problems.push({ field: 'email', rule: EMAIL_RULE });
  return problems;
}

function throwIfAny(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidFields(problems);
}
