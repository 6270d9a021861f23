import { Type } from '@sinclair/typebox';
import { isUserId, USER_ID_LIMIT, USER_ID_RULE } from '../../../carriers/numbers/user-ids.js';
import type { SendTarget } from '../../../features/conversations/parties.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { BodyId, bodyId } from '../../http/ids.js';
import { RULE, requiredUnless } from '../../http/validation.js';

export const NullablePhone = Type.Union([Type.String({ examples: ['15005550111'] }), Type.Null()], {
  description: 'Digits with country code; null for a WhatsApp user who shows no number.',
});

export const WHATSAPP_PERSON = {
  userId: Type.Union([Type.String({ examples: ['US.13491208655302741918'] }), Type.Null()], {
    description: "WhatsApp's ID for the person, valid for this business only; null if unknown.",
  }),
  username: Type.Union([Type.String({ examples: ['ada.lovelace'] }), Type.Null()], {
    description: 'WhatsApp username without `@`. It may change.',
  }),
};

export const PERSON = { phone: NullablePhone, ...WHATSAPP_PERSON };

/** Exactly one of these fields is required (`ONE_OF_FIELDS`). */
export const TARGET_FIELDS = ['to', 'userId', 'contactId'] as const;

export const UserId = Type.String({
  maxLength: USER_ID_LIMIT,
  examples: ['US.13491208655302741918'],
  [RULE]: USER_ID_RULE,
});

export const ALTERNATIVE_TARGETS = {
  userId: Type.Optional({
    ...UserId,
    description:
      "Instead of `to`: WhatsApp's ID for the person. If their phone number is known, the message goes to the number.",
  }),
  contactId: Type.Optional({ ...BodyId, description: 'Instead of `to`: a contact.' }),
};

export function readTarget({ to, userId, contactId }: SendTarget): SendTarget {
  return readSingleField({ to, userId, contactId });
}

/**
 * @param path prefix of the field names in an error
 * @throws {AppError} INVALID_REQUEST unless exactly one of `phone`, `userId` and `contactId` is present
 */
export function readPerson(
  { phone, userId, contactId }: { phone?: string; userId?: string; contactId?: string },
  path = '',
) {
  return readSingleField({ phone, userId, contactId }, path);
}

/** Converts a contact ID to lower case. */
function readSingleField<F extends { userId?: string; contactId?: string }>(fields: F, path = ''): F {
  const { userId, contactId } = fields;
  const [first = '', ...rest] = Object.keys(fields);
  const [name, second] = [first, ...rest].filter((field) => fields[field as keyof F] !== undefined);
  if (name === undefined) throw invalidField(path + first, requiredUnless(rest));
  if (second !== undefined) throw invalidField(path + second, `must not be sent together with ${name}`);
  if (userId !== undefined && !isUserId(userId)) throw invalidField(`${path}userId`, USER_ID_RULE);
  const value = contactId === undefined ? fields[name as keyof F] : bodyId(contactId, `${path}contactId`);
  return { [name]: value } as unknown as F;
}
