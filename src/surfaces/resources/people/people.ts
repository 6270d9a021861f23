import { Type } from '@sinclair/typebox';
import { isUserId, USER_ID_LIMIT, USER_ID_RULE } from '../../../carriers/numbers/user-ids.js';
import type { SendTarget } from '../../../features/conversations/parties.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { BodyId, bodyId } from '../../http/ids.js';
import { RULE, requiredUnless } from '../../http/validation.js';

/** The number of a person in an answer. */
export const NullablePhone = Type.Union([Type.String({ examples: ['15005550111'] }), Type.Null()], {
  description: 'Digits with country code; null of who writes on WhatsApp without showing a number.',
});

/** How a person is known on WhatsApp beside the number. */
export const WHATSAPP_PERSON = {
  userId: Type.Union([Type.String({ examples: ['US.13491208655302741918'] }), Type.Null()], {
    description: "WhatsApp's id of the person to this business; null where it is not known.",
  }),
  username: Type.Union([Type.String({ examples: ['ada.lovelace'] }), Type.Null()], {
    description: 'What the person calls itself on WhatsApp, without `@`. It may change.',
  }),
};

/** Who a person is, in an answer. */
export const PERSON = { phone: NullablePhone, ...WHATSAPP_PERSON };

/** The fields that say to whom a body sends; with the keyword ONE_OF_FIELDS. */
export const TARGET_FIELDS = ['to', 'userId', 'contactId'] as const;

/** A user id of WhatsApp in a body. */
export const UserId = Type.String({
  maxLength: USER_ID_LIMIT,
  examples: ['US.13491208655302741918'],
  [RULE]: USER_ID_RULE,
});

/** Whom a message goes to, where no number is named: fields of a body that stand in the place of `to`. */
export const TARGETS = {
  userId: Type.Optional({
    ...UserId,
    description:
      "Instead of `to`: WhatsApp's id of the person to this business. Where the number is known, it goes there.",
  }),
  contactId: Type.Optional({ ...BodyId, description: 'Instead of `to`: a contact.' }),
};

/**
 * To whom a body sends.
 * @throws {AppError} INVALID_REQUEST unless exactly one of `to`, `userId` and `contactId` says it
 */
export function targetOf({ to, userId, contactId }: SendTarget): SendTarget {
  return oneOf({ to, userId, contactId });
}

/**
 * Whom a body is about.
 * @param place what stands before the names of the fields in an error
 * @throws {AppError} INVALID_REQUEST unless exactly one of `phone`, `userId` and `contactId` says it
 */
export function personOf(
  { phone, userId, contactId }: { phone?: string; userId?: string; contactId?: string },
  place = '',
) {
  return oneOf({ phone, userId, contactId }, place);
}

/** The one field that is given, the first of which is a number; ids are checked, and a contact's is in lower case. */
function oneOf<F extends { userId?: string; contactId?: string }>(fields: F, place = ''): F {
  const { userId, contactId } = fields;
  const [first = '', ...others] = Object.keys(fields);
  const [name, other] = [first, ...others].filter((each) => fields[each as keyof F] !== undefined);
  if (name === undefined) throw invalidField(place + first, requiredUnless(others));
  if (other !== undefined) throw invalidField(place + other, `must not be sent together with ${name}`);
  if (userId !== undefined && !isUserId(userId)) throw invalidField(`${place}userId`, USER_ID_RULE);
  const value = contactId === undefined ? fields[name as keyof F] : bodyId(contactId, `${place}contactId`);
  return { [name]: value } as unknown as F;
}
