import { type Static, Type } from '@sinclair/typebox';
import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';
import { PHONE_RULE, type PhoneValidation } from '../../../carriers/numbers/phone-numbers.js';
import {
  createContact,
  FIXED_PHONE_RULE,
  FIXED_USER_ID_RULE,
  readContact,
  updateContact,
} from '../../../features/contacts/change.js';
import { checkContactFields, checkNewContact } from '../../../features/contacts/check-contact.js';
import { pickFields } from '../../../features/contacts/contact-fields.js';
import { type ContactRow, contactRecords } from '../../../features/contacts/record.js';
import { listContacts } from '../../../features/contacts/search/list.js';
import { canBeHeld } from '../../../features/contacts/search/term.js';
import { deleteContact, deleteContacts } from '../../../features/erasure/delete-contact.js';
import type { Clock } from '../../../platform/clock.js';
import { isUuid } from '../../../platform/ids.js';
import { ContactIds, found, notFound, OnePath, pathId, uniqueIds } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { Id } from '../../http/schemas/values.js';
import { ONE_OF_FIELDS, RULE } from '../../http/validation.js';
import { scopeOf } from '../../resources/callers/channel-caller.js';
import { contactSchema, WRITTEN_CONTACT_FIELDS } from '../../resources/people/contacts.js';
import { UserId } from '../../resources/people/people.js';
import { DoneData, done, ok } from '../answers.js';
import { CONTACTS, type Endpoints } from '../endpoint.js';
import { listQuery, pageOf, Search } from '../lists.js';

const OptedOut = Type.Boolean({
  description:
    'Whether it wants no messages from this channel: as if it had written STOP or START at this moment. Left out: as it is.',
  [RULE]: 'must be true or false',
});

const ContactData = contactSchema('It wants no messages from this channel, and is sent none.');

const ContactListData = Type.Object({
  contacts: Type.Array(ContactData),
  total: Type.Integer({
    description:
      'Contacts on all pages. Exact, but for a search that tens of thousands of contacts match in a channel of more ' +
      'than 200,000: see `totalIsEstimate`.',
  }),
  totalIsEstimate: Type.Optional(
    Type.Literal(true, {
      description: 'There when `total` was estimated from a sample, and may be a tenth beside the truth.',
    }),
  ),
});

const CreateBody = Type.Object(
  {
    phone: Type.Optional(
      Type.String({
        description:
          'A phone number with country code, digits only. It never changes by hand. Required unless `userId` is sent.',
        examples: ['15005550111'],
        [RULE]: PHONE_RULE,
      }),
    ),
    userId: Type.Optional({
      ...UserId,
      description:
        "WhatsApp's id of the person to this business, beside `phone` or in its place; not on a channel that sends SMS.",
    }),
    ...WRITTEN_CONTACT_FIELDS,
    optedOut: Type.Optional(OptedOut),
  },
  {
    [ONE_OF_FIELDS]: ['phone', 'userId'],
    examples: [
      { phone: '15005550111', name: 'Ada Lovelace', email: 'ada@example.com' },
      { userId: 'US.13491208655302741918', name: 'Ada Lovelace' },
    ],
  },
);

const UpdateBody = Type.Object(
  {
    ...WRITTEN_CONTACT_FIELDS,
    optedOut: Type.Optional(OptedOut),
    phone: Type.Optional(
      Type.String({
        description:
          'It never changes: another one than the contact has is 400. A plus sign, blanks, hyphens, dots, slashes and parentheses make no other.',
        examples: ['15005550111'],
        [RULE]: FIXED_PHONE_RULE,
      }),
    ),
    userId: Type.Optional(
      Type.String({
        description: 'It is what WhatsApp says: another one than the contact has is 400.',
        examples: ['US.13491208655302741918'],
        [RULE]: FIXED_USER_ID_RULE,
      }),
    ),
  },
  { description: 'Fields to change; an empty text unsets one.', examples: [{ name: 'Ada King' }] },
);

const ListQuery = listQuery({
  search: Type.Optional(Search),
  groupId: Type.Optional(Type.String({ description: 'Members of this group only.' })),
});

export type ContactOptions = OptionsOf<
  typeof listContacts | typeof createContact | typeof readContact | typeof updateContact | typeof deleteContact
> & { clock: Clock; phoneValidation: PhoneValidation };

export const contactEndpoints: Endpoints<ContactOptions> = async (app, options) => {
  const { clock, phoneValidation } = options;
  const recordsOf = (caller: ChannelCaller, contacts: readonly ContactRow[]) =>
    contactRecords(options.pool, caller.channel.id, contacts);
  const answerOf = async (caller: ChannelCaller, contact: ContactRow) => {
    const [record] = await recordsOf(caller, [contact]);
    return ok(record as Static<typeof ContactData>);
  };
  const keyOf = (caller: ChannelCaller, { id }: { id: string }) => ({ ...scopeOf(caller), id: pathId(id, 'contact') });

  app.get(
    '/contacts',
    CONTACTS.read({
      operationId: 'listContacts',
      summary: 'List contacts, newest first',
      querystring: ListQuery,
      data: ContactListData,
    }),
    async ({ query, caller }) => {
      const { search = '', groupId } = query;
      // What no contact can hold matches none.
      if ((groupId !== undefined && !isUuid(groupId)) || !canBeHeld(search)) return ok({ contacts: [], total: 0 });
      const filter = { channelId: caller.channel.id, groupId: groupId?.toLowerCase(), term: search || undefined };
      const { contacts, total, estimated } = await listContacts(options, filter, pageOf(query));
      return ok({
        contacts: await recordsOf(caller, contacts),
        total,
        ...(estimated && { totalIsEstimate: true as const }),
      });
    },
  );

  app.post(
    '/contacts',
    CONTACTS.write({
      operationId: 'createContact',
      summary: 'Make a contact',
      body: CreateBody,
      data: ContactData,
      errors: [409],
    }),
    async ({ body, caller }) => {
      checkNewContact(body, { kind: caller.channel.kind, validation: phoneValidation });
      const { phone = null, userId, optedOut } = body;
      const made = { ...scopeOf(caller), phone, userId, ...pickFields(body), optedOut, at: clock.now() };
      return await answerOf(caller, await createContact(options, made));
    },
  );

  app.get(
    '/contacts/:id',
    CONTACTS.read({ operationId: 'getContact', summary: 'Read a contact', params: OnePath, data: ContactData }),
    async ({ params, caller }) =>
      await answerOf(caller, found(await readContact(options, keyOf(caller, params)), 'contact')),
  );

  app.put(
    '/contacts/:id',
    CONTACTS.write({
      operationId: 'updateContact',
      summary: 'Change the fields of a contact, or whether it wants messages',
      params: OnePath,
      body: UpdateBody,
      data: ContactData,
    }),
    async ({ params, body, caller }) => {
      const fields = pickFields(body);
      checkContactFields(fields);
      const { phone, userId, optedOut } = body;
      const change = { ...fields, phone, userId, optedOut, at: clock.now() };
      return await answerOf(caller, found(await updateContact(options, keyOf(caller, params), change), 'contact'));
    },
  );

  app.post(
    '/contacts/bulk-delete',
    CONTACTS.write({
      operationId: 'deleteContacts',
      summary: 'Delete several contacts for good',
      description: 'Each as by `DELETE /contacts/{id}`. One that is not there is told, and hinders no other.',
      body: Type.Object(
        { contactIds: ContactIds },
        { examples: [{ contactIds: ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'] }] },
      ),
      data: Type.Object({
        deleted: Type.Integer({ description: 'Contacts that are gone: one, where several ids meant the same.' }),
        notFound: Type.Array(Id, { description: 'Ids that are no contact of the channel.' }),
      }),
    }),
    async ({ body, caller }) => {
      const { deleted, unknown } = await deleteContacts(options, scopeOf(caller), uniqueIds(body.contactIds));
      return ok({ deleted: deleted.length, notFound: unknown });
    },
  );

  app.delete(
    '/contacts/:id',
    CONTACTS.write({
      operationId: 'deleteContact',
      summary: 'Delete a contact for good',
      description: 'Its memberships and its conversation go with it. Messages to it stay, without the contact.',
      params: OnePath,
      data: DoneData,
    }),
    async ({ params, caller }) => {
      if (!(await deleteContact(options, keyOf(caller, params)))) throw notFound('contact');
      return done('The contact was deleted.');
    },
  );
};
