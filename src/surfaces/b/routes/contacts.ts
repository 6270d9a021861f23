import { Type } from '@sinclair/typebox';
import { createContact, readContact, updateContact } from '../../../features/contacts/change.js';
import { deleteContact } from '../../../features/contacts/delete.js';
import {
  EMAIL_LIMIT,
  EMAIL_RULE,
  isContactEmail,
  isContactName,
  NAME_LIMIT,
  NAME_RULE,
} from '../../../features/contacts/fields.js';
import { contactRecord } from '../../../features/contacts/record.js';
import { listContacts } from '../../../features/contacts/search/list.js';
import type { FieldProblem } from '../../../platform/errors.js';
import { invalidFields } from '../../../platform/field-problems.js';
import { isUuid } from '../../../platform/ids.js';
import { isPhoneNumber, PHONE_RULE, type PhoneValidation } from '../../../platform/text/phone-numbers.js';
import { RULE } from '../../http/validation.js';
import {
  answer,
  errorsB,
  Id,
  listQuery,
  notFound,
  ok,
  PathId,
  pageOf,
  pathId,
  type SurfaceBRoutes,
  Timestamp,
} from '../shared.js';

const Name = Type.String({ maxLength: NAME_LIMIT, examples: ['Ada Lovelace'], [RULE]: NAME_RULE });
const Email = Type.String({ maxLength: EMAIL_LIMIT, examples: ['ada@example.com'], [RULE]: EMAIL_RULE });

const ContactData = Type.Object({
  id: Id,
  phone: Type.String({ description: 'Digits with country code.', examples: ['15005550111'] }),
  name: Type.String({ description: 'Empty while unset, as is the e-mail address.' }),
  email: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

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
    phone: Type.String({
      description: 'A phone number with country code, digits only. It never changes.',
      examples: ['15005550111'],
      [RULE]: PHONE_RULE,
    }),
    name: Type.Optional(Name),
    email: Type.Optional(Email),
  },
  { examples: [{ phone: '15005550111', name: 'Ada Lovelace', email: 'ada@example.com' }] },
);

const UpdateBody = Type.Object(
  { name: Type.Optional(Name), email: Type.Optional(Email) },
  { description: 'Fields to change; an empty text unsets one.', examples: [{ name: 'Ada King' }] },
);

const ListQuery = listQuery({
  search: Type.Optional(
    Type.String({ description: 'A part of the name, the number or the e-mail address, in any case.' }),
  ),
  groupId: Type.Optional(Type.String({ description: 'Members of this group only.' })),
});

const TAGS = ['Contacts'];
const ContactPath = Type.Object({ id: PathId });

interface ContactFields {
  phone?: string;
  name?: string;
  email?: string;
}

/** What schemas cannot say. */
function checkFields({ phone, name, email }: ContactFields, validation: PhoneValidation): void {
  const problems: FieldProblem[] = [];
  if (phone !== undefined && !isPhoneNumber(phone, validation)) problems.push({ field: 'phone', rule: PHONE_RULE });
  if (name !== undefined && !isContactName(name)) problems.push({ field: 'name', rule: NAME_RULE });
  if (email !== undefined && !isContactEmail(email)) problems.push({ field: 'email', rule: EMAIL_RULE });
  if (problems.length > 0) throw invalidFields(problems);
}

export const contactRoutes: SurfaceBRoutes = async (app, { deps }) => {
  const { pool, clock, config } = deps;
  const validation = config.phoneValidation as PhoneValidation;

  app.get(
    '/contacts',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listContacts',
        tags: TAGS,
        summary: 'List contacts, newest first',
        querystring: ListQuery,
        response: { 200: answer(ContactListData) },
      },
    },
    async ({ query, caller }) => {
      const { search = '', groupId } = query;
      // What no contact can hold matches none.
      const impossible = (groupId !== undefined && !isUuid(groupId)) || /\p{Cc}/u.test(search) || search.length > 1000;
      if (impossible) return ok({ contacts: [], total: 0 });
      const filter = { channelId: caller.channel.id, groupId: groupId?.toLowerCase(), term: search || undefined };
      const { contacts, total, estimated } = await listContacts(pool, filter, pageOf(query));
      return ok({
        contacts: contacts.map(contactRecord),
        total,
        ...(estimated && { totalIsEstimate: true as const }),
      });
    },
  );

  app.post(
    '/contacts',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'createContact',
        tags: TAGS,
        summary: 'Make a contact',
        body: CreateBody,
        response: { 200: answer(ContactData), ...errorsB([409]) },
      },
    },
    async ({ body, caller }) => {
      checkFields(body, validation);
      const { phone, name = '', email = '' } = body;
      const scope = { accountId: caller.account.id, channelId: caller.channel.id };
      return ok(contactRecord(await createContact(pool, { ...scope, phone, name, email, at: clock.now() })));
    },
  );

  app.get(
    '/contacts/:id',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getContact',
        tags: TAGS,
        summary: 'Read a contact',
        params: ContactPath,
        response: { 200: answer(ContactData) },
      },
    },
    async ({ params, caller }) => {
      const key = { accountId: caller.account.id, channelId: caller.channel.id, id: pathId(params.id, 'contact') };
      const contact = await readContact(pool, key);
      if (!contact) throw notFound('contact');
      return ok(contactRecord(contact));
    },
  );

  app.put(
    '/contacts/:id',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'updateContact',
        tags: TAGS,
        summary: 'Change the name or the e-mail address of a contact',
        params: ContactPath,
        body: UpdateBody,
        response: { 200: answer(ContactData) },
      },
    },
    async ({ params, body, caller }) => {
      const { name, email } = body;
      checkFields({ name, email }, validation);
      const key = { accountId: caller.account.id, channelId: caller.channel.id, id: pathId(params.id, 'contact') };
      const contact = await updateContact(pool, key, { name, email, at: clock.now() });
      if (!contact) throw notFound('contact');
      return ok(contactRecord(contact));
    },
  );

  app.delete(
    '/contacts/:id',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'deleteContact',
        tags: TAGS,
        summary: 'Delete a contact for good',
        description: 'Its memberships and its conversation go with it. Messages to it stay, without the contact.',
        params: ContactPath,
        response: { 200: answer(Type.Object({ message: Type.String() })) },
      },
    },
    async ({ params, caller }) => {
      const key = { accountId: caller.account.id, channelId: caller.channel.id, id: pathId(params.id, 'contact') };
      if (!(await deleteContact(pool, key))) throw notFound('contact');
      return ok({ message: 'The contact was deleted.' });
    },
  );
};
