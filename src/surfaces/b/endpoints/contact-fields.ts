import { type Static, Type } from '@sinclair/typebox';
import { filterByAudience } from '../../../features/audiences/contact-filter.js';
import { deleteUnusedField } from '../../../features/audiences/delete-used.js';
import { checkTagEdit, editTags } from '../../../features/contacts/bulk/bulk-tags.js';
import { createField, listFields, MAX_FIELDS, updateField } from '../../../features/contacts/custom/fields.js';
import { readMarksFilter } from '../../../features/contacts/custom/filter.js';
import { deleteTag, listTags, MAX_TAGS } from '../../../features/contacts/custom/tags.js';
import { findMatchingIds, MAX_MATCHES } from '../../../features/contacts/groups/add-found.js';
import { isSearchable } from '../../../features/contacts/search/term.js';
import type { Clock } from '../../../platform/clock.js';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import { BodyId, ContactIds, requireFound, uniqueIds } from '../../http/ids.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { RULE } from '../../http/validation.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import {
  ContactFieldData,
  CreateFieldBody,
  TaggedData,
  TagList,
  toFieldRecord,
  UpdateFieldBody,
} from '../../resources/people/contact-fields.js';
import { DoneData, done, ok } from '../answers.js';
import { CONTACTS, type Endpoints } from '../endpoint.js';
import { FieldsFilter, Search, TagsFilter } from '../lists.js';

const FieldPath = Type.Object({ key: Type.String({ description: 'Key of the field; an unknown key is 404.' }) });
const TagPath = Type.Object({ tag: Type.String({ description: 'The tag; an unknown tag is 404.' }) });

const Found = Type.Object(
  {
    search: Type.Optional(Search),
    groupId: Type.Optional(BodyId),
    audienceId: Type.Optional(BodyId),
    tags: Type.Optional(TagsFilter),
    fields: Type.Optional(FieldsFilter),
  },
  {
    description: 'Selects contacts as the query of `GET /contacts` does. An empty object selects all contacts.',
    [RULE]:
      'must be an object with the texts search, groupId, audienceId, tags and fields, each of which may be absent',
  },
);

const TagContactsBody = Type.Object(
  {
    contactIds: Type.Optional({
      ...ContactIds,
      description: 'The contacts to change. Send either `contactIds` or `found`.',
    }),
    found: Type.Optional(Found),
    add: Type.Optional(TagList('Tags to add. New tags are created.')),
    remove: Type.Optional(TagList('Tags to remove.')),
  },
  { examples: [{ found: { search: 'berlin' }, add: ['berlin'] }] },
);

export type ContactFieldOptions = UseCaseOptions<
  typeof listFields | typeof createField | typeof listTags | typeof deleteTag | typeof findMatchingIds
> & { clock: Clock };

export const contactFieldEndpoints: Endpoints<ContactFieldOptions> = async (app, options) => {
  const { clock } = options;

  app.get(
    '/contacts/fields',
    CONTACTS.read({
      operationId: 'listContactFields',
      summary: "List the account's contact fields, oldest first",
      data: Type.Array(ContactFieldData),
    }),
    async ({ caller }) => ok((await listFields(options, channelScope(caller).accountId)).map(toFieldRecord)),
  );

  app.post(
    '/contacts/fields',
    CONTACTS.write({
      operationId: 'createContactField',
      summary: 'Define a contact field',
      description: `The contacts of all channels of the account get the field. An account can have at most ${MAX_FIELDS} fields; one more gets 409.`,
      body: CreateFieldBody,
      data: ContactFieldData,
      errors: [409],
    }),
    async ({ body: { key, label, type, choices }, caller }) => {
      const field = { key, label, type, choices };
      return ok(toFieldRecord(await createField(options, channelScope(caller).accountId, field, clock.now())));
    },
  );

  app.put(
    '/contacts/fields/:key',
    CONTACTS.write({
      operationId: 'updateContactField',
      summary: 'Change the label or the choices of a contact field',
      description: 'Contacts keep values that are no longer among the choices.',
      params: FieldPath,
      body: UpdateFieldBody,
      data: ContactFieldData,
    }),
    async ({ params, body: { label, choices }, caller }) => {
      const change = { label, choices, at: clock.now() };
      const field = await updateField(options, channelScope(caller).accountId, params.key, change);
      return ok(toFieldRecord(requireFound(field, 'field')));
    },
  );

  app.delete(
    '/contacts/fields/:key',
    CONTACTS.write({
      operationId: 'deleteContactField',
      summary: 'Delete a contact field',
      description:
        'The values of all contacts are deleted in the background within a few minutes. Until then the key cannot be used again. ' +
        '409 if an audience uses the field.',
      params: FieldPath,
      data: DoneData,
      errors: [409],
    }),
    async ({ params, caller }) => {
      if (!(await deleteUnusedField(options, channelScope(caller).accountId, params.key, clock.now())))
        throw notFound('field');
      return done('The field was deleted.');
    },
  );

  app.get(
    '/contacts/tags',
    CONTACTS.read({
      operationId: 'listContactTags',
      summary: "List the account's tags in alphabetical order",
      data: Type.Array(Type.Object({ name: Type.String() })),
    }),
    async ({ caller }) => ok((await listTags(options, channelScope(caller).accountId)).map((name) => ({ name }))),
  );

  app.delete(
    '/contacts/tags/:tag',
    CONTACTS.write({
      operationId: 'deleteContactTag',
      summary: 'Delete a tag that no contact has',
      description:
        'A tag that a contact of any channel has gets 409. `POST /contacts/bulk-tag` removes it from contacts.',
      params: TagPath,
      data: DoneData,
      errors: [409],
    }),
    async ({ params, caller }) => {
      if (!(await deleteTag(options, channelScope(caller).accountId, params.tag))) throw notFound('tag');
      return done('The tag was deleted.');
    },
  );

  app.post(
    '/contacts/bulk-tag',
    CONTACTS.write({
      operationId: 'tagContacts',
      summary: 'Add and remove tags of several contacts',
      description:
        `Changes the listed contacts, or all contacts that a filter finds, at most ${MAX_MATCHES.toLocaleString('en')}. Unknown IDs are ignored. ` +
        `An account can have at most ${MAX_TAGS.toLocaleString('en')} different tags. Contacts are changed in steps of 1,000, so repeat the request if it fails.`,
      body: TagContactsBody,
      data: TaggedData,
    }),
    async ({ body: { contactIds, found, add, remove }, caller }) => {
      const scope = channelScope(caller);
      const edit = checkTagEdit({ add, remove });
      if ((contactIds === undefined) === (found === undefined))
        throw invalidField('contactIds', 'must be sent, or found instead');
      const ids = contactIds ? uniqueIds(contactIds) : await findIds(caller.channel.id, scope.accountId, found ?? {});
      const changed = await editTags(options, scope, ids, edit, clock.now());
      return ok({ changed, unchanged: ids.length - changed });
    },
  );

  const findIds = async (
    channelId: string,
    accountId: string,
    { search = '', groupId, audienceId, tags, fields }: Static<typeof Found>,
  ) => {
    const marks = await readMarksFilter(options, accountId, { tags, fields });
    if (!isSearchable(search)) return [];
    const filter = await filterByAudience(
      options.pool,
      { accountId, channelId },
      {
        filter: { channelId, groupId: groupId?.toLowerCase(), term: search || undefined, ...marks },
        id: audienceId,
        now: clock.now(),
      },
    );
    return filter === null ? [] : await findMatchingIds(options, filter);
  };
};
