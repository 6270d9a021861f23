import { Type } from '@sinclair/typebox';
import { FIXED_PHONE_RULE, FIXED_USER_ID_RULE } from '../../../../features/contacts/change.js';
import { FIELDS_FILTER_RULE } from '../../../../features/contacts/custom/filter.js';
import { ContactIds } from '../../../http/ids.js';
import { WrittenPhone } from '../../../http/schemas/phones.js';
import { Id } from '../../../http/schemas/values.js';
import { ONE_OF_FIELDS, RULE } from '../../../http/validation.js';
import { TagList } from '../../../resources/people/contact-fields.js';
import { contactSchema, WRITTEN_CONTACT_FIELDS, WRITTEN_MARKS } from '../../../resources/people/contacts.js';
import { UserId } from '../../../resources/people/people.js';
import { pageQuery } from '../../answers.js';
import { FoundBody } from './groups-schemas.js';

const OptedOut = Type.Boolean({
  description: 'Whether the contact has opted out of messages from the channel. Unchanged if absent.',
  [RULE]: 'must be true or false',
});

export const ContactEntry = contactSchema('The contact has opted out and gets no messages from the channel.');

export const ContactData = Type.Intersect([
  ContactEntry,
  Type.Object({
    groups: Type.Array(Type.Object({ id: Id, name: Type.String() })),
    conversationId: Type.Union([Id, Type.Null()], { description: 'Null before the first message.' }),
    sameNumber: Type.Array(Type.Object({ contactId: Id, channelId: Id, name: Type.String() }), {
      description: "The account's contacts on other channels with the same phone number, oldest first; at most 20.",
    }),
  }),
]);

export const ContactTotals = {
  total: Type.Integer({ description: 'Contacts on all pages.' }),
  totalIsEstimate: Type.Boolean({ description: '`total` was estimated from a sample; it may be off by 10 %.' }),
};

export const ContactListQuery = pageQuery({
  search: Type.Optional(
    Type.String({ description: 'Part of the name, the number or the e-mail address, in upper or lower case.' }),
  ),
  groupId: Type.Optional(Type.String({ description: 'Only members of this group.' })),
  audienceId: Type.Optional(Type.String({ description: 'Only contacts in this audience.' })),
  tags: Type.Optional(
    Type.String({ description: 'Only contacts with all of these tags, separated by commas.', examples: ['vip'] }),
  ),
  fields: Type.Optional(
    Type.String({
      description: 'Only contacts with all of these field values, as a JSON object.',
      [RULE]: FIELDS_FILTER_RULE,
    }),
  ),
});

export const CreateContactBody = Type.Object(
  {
    phone: Type.Optional(WrittenPhone('The number of the contact. Required unless `userId` is sent.')),
    userId: Type.Optional({
      ...UserId,
      description: "WhatsApp's ID for the person, with or instead of `phone`; not on SMS channels.",
    }),
    ...WRITTEN_CONTACT_FIELDS,
    ...WRITTEN_MARKS,
    optedOut: Type.Optional(OptedOut),
  },
  { [ONE_OF_FIELDS]: ['phone', 'userId'], examples: [{ phone: '15005550111', name: 'Ada Lovelace' }] },
);

export const UpdateContactBody = Type.Object(
  {
    ...WRITTEN_CONTACT_FIELDS,
    ...WRITTEN_MARKS,
    optedOut: Type.Optional(OptedOut),
    phone: Type.Optional({ ...WrittenPhone('Cannot be changed.'), [RULE]: FIXED_PHONE_RULE }),
    userId: Type.Optional(
      Type.String({ description: 'Assigned by WhatsApp and cannot be changed.', [RULE]: FIXED_USER_ID_RULE }),
    ),
  },
  { description: 'The fields to change; an empty string clears a field.', examples: [{ name: 'Ada King' }] },
);

export const TagContactsBody = Type.Object(
  {
    contactIds: Type.Optional({ ...ContactIds, description: 'Send either `contactIds` or `found`.' }),
    found: Type.Optional(FoundBody),
    add: Type.Optional(TagList('Tags to add. New tags are created.')),
    remove: Type.Optional(TagList('Tags to remove.')),
  },
  { examples: [{ found: { search: 'berlin' }, add: ['berlin'] }] },
);

export const DeletedContacts = Type.Object({
  deleted: Type.Integer({ description: 'Deleted contacts; IDs of the same merged contact count once.' }),
  notFound: Type.Array(Id, { description: 'IDs that are not contacts of the channel.' }),
});
