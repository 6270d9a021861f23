import { explainPhoneRule, isPhoneNumber, type PhoneValidation } from '../../carriers/numbers/phone-numbers.js';
import { isOwnUserId, OWN_USER_ID_RULE, USER_ID_ON_SMS_RULE } from '../../carriers/numbers/user-ids.js';
import { getPhoneValidation } from '../../carriers/numbers/whatsapp-numbers.js';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import type { ChannelKind } from '../../platform/generated/prisma/client.js';
import { CONTACT_FIELD_NAMES, CONTACT_FIELDS, type WrittenFields } from './contact-fields.js';

/** Input for a contact that is created by hand. */
export interface WrittenContact extends Partial<WrittenFields> {
  phone?: string;
  /** WhatsApp only. */
  userId?: string;
}

/** @throws {AppError} INVALID_REQUEST naming every invalid field */
export function checkNewContact(
  { phone, userId, ...fields }: WrittenContact,
  { kind, validation }: { kind: ChannelKind; validation: PhoneValidation },
): void {
  const problems: FieldProblem[] = [];
  if (phone === undefined && (userId === undefined || kind === 'sms')) {
    problems.push({ field: 'phone', rule: kind === 'sms' ? 'is required' : 'is required unless userId is sent' });
  }
  if (phone !== undefined && !isPhoneNumber(phone, getPhoneValidation(kind, validation))) {
    problems.push({ field: 'phone', rule: explainPhoneRule(phone) });
  }
  if (userId !== undefined && kind === 'sms') problems.push({ field: 'userId', rule: USER_ID_ON_SMS_RULE });
  else if (userId !== undefined && !isOwnUserId(userId)) problems.push({ field: 'userId', rule: OWN_USER_ID_RULE });
  throwIfAny([...problems, ...findFieldProblems(fields)]);
}

/** @throws {AppError} INVALID_REQUEST as `checkNewContact` */
export function checkContactFields(fields: Partial<WrittenFields>): void {
  throwIfAny(findFieldProblems(fields));
}

function findFieldProblems(fields: Partial<WrittenFields>): FieldProblem[] {
  return CONTACT_FIELD_NAMES.flatMap((field) => {
    const { isValid, rule } = CONTACT_FIELDS[field];
    const text = fields[field];
    return text === undefined || isValid(text) ? [] : [{ field, rule }];
  });
}

function throwIfAny(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidFields(problems);
}
