import { Type } from '@sinclair/typebox';
import { FIXED_PHONE_RULE, FIXED_USER_ID_RULE } from '../../../../features/contacts/change.js';
import { WrittenPhone } from '../../../http/schemas/phones.js';
import { Id } from '../../../http/schemas/values.js';
import { ONE_OF_FIELDS, RULE } from '../../../http/validation.js';
import { contactSchema, WRITTEN_CONTACT_FIELDS } from '../../../resources/people/contacts.js';
import { UserId } from '../../../resources/people/people.js';
import { pageQuery } from '../../answers.js';

const OptedOut = Type.Boolean({
  description: 'Whether it wants no messages from the channel. Left out: as it is.',
  [RULE]: 'must be true or false',
});

export const ContactEntry = contactSchema('It wants no messages from the channel, and is sent none.');

export const ContactData = Type.Intersect([
  ContactEntry,
  Type.Object({
    groups: Type.Array(Type.Object({ id: Id, name: Type.String() })),
    conversationId: Type.Union([Id, Type.Null()], { description: 'Null while nothing was written either way.' }),
  }),
]);

export const ContactTotals = {
  total: Type.Integer({ description: 'Contacts on all pages.' }),
  totalIsEstimate: Type.Boolean({ description: '`total` comes from a sample, and may be a tenth beside the truth.' }),
};

export const ContactListQuery = pageQuery({
  search: Type.Optional(
    Type.String({ description: 'A part of the name, the number or the e-mail address, in any case.' }),
  ),
  groupId: Type.Optional(Type.String({ description: 'Members of this group only.' })),
});

export const CreateContactBody = Type.Object(
  {
    phone: Type.Optional(WrittenPhone('The number of the contact. Required unless `userId` is sent.')),
    userId: Type.Optional({
      ...UserId,
      description: "WhatsApp's id of the person to this business, beside `phone` or in its place; not of SMS.",
    }),
    ...WRITTEN_CONTACT_FIELDS,
    optedOut: Type.Optional(OptedOut),
  },
  { [ONE_OF_FIELDS]: ['phone', 'userId'], examples: [{ phone: '15005550111', name: 'Ada Lovelace' }] },
);

export const UpdateContactBody = Type.Object(
  {
    ...WRITTEN_CONTACT_FIELDS,
    optedOut: Type.Optional(OptedOut),
    phone: Type.Optional({ ...WrittenPhone('It never changes.'), [RULE]: FIXED_PHONE_RULE }),
    userId: Type.Optional(Type.String({ description: 'It is what WhatsApp says.', [RULE]: FIXED_USER_ID_RULE })),
  },
  { description: 'Fields to change; an empty text unsets one.', examples: [{ name: 'Ada King' }] },
);

export const DeletedContacts = Type.Object({
  deleted: Type.Integer({ description: 'Contacts that are gone: one, where several ids meant the same.' }),
  notFound: Type.Array(Id, { description: 'Ids that are no contact of the channel.' }),
});
