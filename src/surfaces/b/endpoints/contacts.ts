import { type Static, Type } from '@sinclair/typebox';
import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';
import { PHONE_RULE, type PhoneValidation } from '../../../carriers/numbers/phone-numbers.js';
import { filterByAudience } from '../../../features/audiences/contact-filter.js';
import {
  createContact,
  FIXED_PHONE_RULE,
  FIXED_USER_ID_RULE,
  readContact,
  updateContact,
} from '../../../features/contacts/change.js';
import { checkContactFields, checkNewContact } from '../../../features/contacts/check-contact.js';
import { pickFields } from '../../../features/contacts/contact-fields.js';
import { readMarksFilter } from '../../../features/contacts/custom/filter.js';
import { type ContactRow, loadContactRecords } from '../../../features/contacts/record.js';
import { listContacts } from '../../../features/contacts/search/list.js';
import { isSearchable } from '../../../features/contacts/search/term.js';
import { deleteContact, deleteContacts } from '../../../features/erasure/delete-contact.js';
import type { Clock } from '../../../platform/clock.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { isUuid } from '../../../platform/ids.js';
import { ContactIds, OnePath, pathId, requireFound, uniqueIds } from '../../http/ids.js';
import { Id } from '../../http/schemas/values.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { ONE_OF_FIELDS, RULE } from '../../http/validation.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { contactSchema, WRITTEN_CONTACT_FIELDS, WRITTEN_MARKS } from '../../resources/people/contacts.js';
import { UserId } from '../../resources/people/people.js';
import { DoneData, done, ok } from '../answers.js';
import { CONTACTS, type Endpoints } from '../endpoint.js';
import { AudienceFilter, FieldsFilter, listQuery, readPage, Search, TagsFilter } from '../lists.js';

const OptedOut = Type.Boolean({
  description:
    'Whether the contact has opted out of messages from this channel. Has the same effect as STOP or START from the contact. Unchanged if absent.',
  [RULE]: 'must be true or false',
});

const ContactData = contactSchema('The contact has opted out and gets no messages from this channel.');

const ContactListData = Type.Object({
  contacts: Type.Array(ContactData),
  total: Type.Integer({
    description:
      'Contacts on all pages. Exact, except for a search that matches tens of thousands of contacts in a channel with more ' +
      'than 200,000: see `totalIsEstimate`.',
  }),
  totalIsEstimate: Type.Optional(
    Type.Literal(true, {
      description: 'Present if `total` was estimated from a sample; it may be off by 10 %.',
    }),
  ),
});

const CreateBody = Type.Object(
  {
    phone: Type.Optional(
      Type.String({
        description:
          'A phone number with country code, digits only. It cannot be changed later. Required unless `userId` is sent.',
        examples: ['15005550111'],
        [RULE]: PHONE_RULE,
      }),
    ),
    userId: Type.Optional({
      ...UserId,
      description: "WhatsApp's ID for the person, with or instead of `phone`; not on SMS channels.",
    }),
    ...WRITTEN_CONTACT_FIELDS,
    ...WRITTEN_MARKS,
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
    ...WRITTEN_MARKS,
    optedOut: Type.Optional(OptedOut),
    phone: Type.Optional(
      Type.String({
        description:
          'Cannot be changed: for a different number, the response is 400. Plus signs, spaces, hyphens, dots, slashes and parentheses are ignored.',
        examples: ['15005550111'],
        [RULE]: FIXED_PHONE_RULE,
      }),
    ),
    userId: Type.Optional(
      Type.String({
        description: 'Assigned by WhatsApp and cannot be changed: for a different ID, the response is 400.',
        examples: ['US.13491208655302741918'],
        [RULE]: FIXED_USER_ID_RULE,
      }),
    ),
  },
  { description: 'The fields to change; an empty string clears a field.', examples: [{ name: 'Ada King' }] },
);

const ListQuery = listQuery({
  search: Type.Optional(Search),
  groupId: Type.Optional(Type.String({ description: 'Only members of this group.' })),
  audienceId: Type.Optional(AudienceFilter),
  tags: Type.Optional(TagsFilter),
  fields: Type.Optional(FieldsFilter),
});

export type ContactOptions = UseCaseOptions<
  | typeof listContacts
  | typeof readMarksFilter
  | typeof createContact
  | typeof readContact
  | typeof updateContact
  | typeof deleteContact
> & { clock: Clock; phoneValidation: PhoneValidation };

export const contactEndpoints: Endpoints<ContactOptions> = async (app, options) => {
  const { clock, phoneValidation } = options;
  const toRecords = (caller: ChannelCaller, contacts: readonly ContactRow[]) =>
    loadContactRecords(options.pool, caller.channel.id, contacts);
  const answerContact = async (caller: ChannelCaller, contact: ContactRow) => {
    const [record] = await toRecords(caller, [contact]);
    return ok(record as Static<typeof ContactData>);
  };
  const readContactKey = (caller: ChannelCaller, { id }: { id: string }) => ({
    ...channelScope(caller),
    id: pathId(id, 'contact'),
  });

  app.get(
    '/contacts',
    CONTACTS.read({
      operationId: 'listContacts',
      summary: 'List contacts, newest first',
      querystring: ListQuery,
      data: ContactListData,
    }),
    async ({ query, caller }) => {
      const { search = '', groupId, audienceId } = query;
      const marks = await readMarksFilter(options, channelScope(caller).accountId, query);
      // An invalid group ID, or a search for characters that the store cannot contain, matches no contact.
      if ((groupId !== undefined && !isUuid(groupId)) || !isSearchable(search)) return ok({ contacts: [], total: 0 });
      const filter = await filterByAudience(options.pool, channelScope(caller), {
        filter: {
          channelId: caller.channel.id,
          groupId: groupId?.toLowerCase(),
          term: search || undefined,
          ...marks,
        },
        id: audienceId,
        now: clock.now(),
      });
      if (filter === null) return ok({ contacts: [], total: 0 });
      const { contacts, total, estimated } = await listContacts(options, filter, readPage(query));
      return ok({
        contacts: await toRecords(caller, contacts),
        total,
        ...(estimated && { totalIsEstimate: true as const }),
      });
    },
  );

  app.post(
    '/contacts',
    CONTACTS.write({
      operationId: 'createContact',
      summary: 'Create a contact',
      body: CreateBody,
      data: ContactData,
      errors: [409],
    }),
    async ({ body, caller }) => {
      checkNewContact(body, { kind: caller.channel.kind, validation: phoneValidation });
      const { phone = null, userId, tags, fields, optedOut } = body;
      const written = { phone, userId, ...pickFields(body), tags, fields, optedOut };
      const contact = { ...channelScope(caller), ...written, at: clock.now() };
      return await answerContact(caller, await createContact(options, contact));
    },
  );

  app.get(
    '/contacts/:id',
    CONTACTS.read({ operationId: 'getContact', summary: 'Get a contact', params: OnePath, data: ContactData }),
    async ({ params, caller }) =>
      await answerContact(caller, requireFound(await readContact(options, readContactKey(caller, params)), 'contact')),
  );

  app.put(
    '/contacts/:id',
    CONTACTS.write({
      operationId: 'updateContact',
      summary: 'Change the fields or the opt-out of a contact',
      params: OnePath,
      body: UpdateBody,
      data: ContactData,
    }),
    async ({ params, body, caller }) => {
      const texts = pickFields(body);
      checkContactFields(texts);
      const { phone, userId, tags, fields, optedOut } = body;
      const change = { ...texts, phone, userId, tags, fields, optedOut, at: clock.now() };
      return await answerContact(
        caller,
        requireFound(await updateContact(options, readContactKey(caller, params), change), 'contact'),
      );
    },
  );

  app.post(
    '/contacts/bulk-delete',
    CONTACTS.write({
      operationId: 'deleteContacts',
      summary: 'Delete several contacts permanently',
      description: 'Like `DELETE /contacts/{id}` for each ID. Unknown IDs are reported and do not affect the others.',
      body: Type.Object(
        { contactIds: ContactIds },
        { examples: [{ contactIds: ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'] }] },
      ),
      data: Type.Object({
        deleted: Type.Integer({ description: 'Deleted contacts; IDs of the same merged contact count once.' }),
        notFound: Type.Array(Id, { description: 'IDs that are not contacts of the channel.' }),
      }),
    }),
    async ({ body, caller }) => {
      const { deleted, unknown } = await deleteContacts(options, channelScope(caller), uniqueIds(body.contactIds));
      return ok({ deleted: deleted.length, notFound: unknown });
    },
  );

  app.delete(
    '/contacts/:id',
    CONTACTS.write({
      operationId: 'deleteContact',
      summary: 'Delete a contact permanently',
      description:
        'Also deletes its group memberships and its conversation. Messages to the contact are kept, but no longer refer to it.',
      params: OnePath,
      data: DoneData,
    }),
    async ({ params, caller }) => {
      if (!(await deleteContact(options, readContactKey(caller, params)))) throw notFound('contact');
      return done('The contact was deleted.');
    },
  );
};
