import { Readable } from 'node:stream';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { type Inside, inside } from '../../../../accounts/audit/change.js';
import { changeOf } from '../../../../accounts/audit/change-of.js';
import type { PhoneValidation } from '../../../../carriers/numbers/phone-numbers.js';
import { createContact, readContact, updateContact } from '../../../../features/contacts/change.js';
import { checkContactFields, checkNewContact } from '../../../../features/contacts/check-contact.js';
import { mapFields, pickFields } from '../../../../features/contacts/contact-fields.js';
import { lockContact } from '../../../../features/contacts/contact-store.js';
import { exportContacts } from '../../../../features/contacts/export.js';
import { groupsOf, readGroup } from '../../../../features/contacts/groups/groups.js';
import { type ContactRow, contactRecords } from '../../../../features/contacts/record.js';
import { pageContacts } from '../../../../features/contacts/search/list.js';
import { canBeHeld } from '../../../../features/contacts/search/term.js';
import { findConversationId } from '../../../../features/conversations/find-conversation-id.js';
import { deleteContact, deleteContacts } from '../../../../features/erasure/delete-contact.js';
import type { Clock } from '../../../../platform/clock.js';
import { isUuid } from '../../../../platform/ids.js';
import type { Reads } from '../../../../platform/reads/reads.js';
import { found, pathId, uniqueIds } from '../../../http/ids.js';
import type { OptionsOf } from '../../../http/options-of.js';
import { cursorPage, done, ok } from '../../answers.js';
import { CONTACTS } from '../../contract/people/contacts.js';
import { type Endpoints, routesOf } from '../../endpoint.js';
import { ChannelPath } from '../../contract/paths.js';
import { channelOf, scopeOf } from '../../session-auth.js';
import type { ContactEntry } from '../../contract/people/contacts-schemas.js';
import { csvDownload, sendCsv } from './csv-answer.js';

export type ContactEndpointOptions = OptionsOf<
  | typeof pageContacts
  | typeof createContact
  | typeof readContact
  | typeof updateContact
  | typeof deleteContact
  | typeof groupsOf
> & {
  prisma: Parameters<typeof findConversationId>[0];
  reads: Reads;
  clock: Clock;
  phoneValidation: PhoneValidation;
};

const BASE = '/accounts/:accountId/channels/:channelId/contacts';

type Stores = Pick<ContactEndpointOptions, 'pool' | 'prisma'> | Inside<ContactEndpointOptions>;

/** The contacts of a channel. */
export const contactEndpoints: Endpoints<ContactEndpointOptions> = async (app, options) => {
  const route = routesOf(app, CONTACTS);
  const { pool, clock, phoneValidation } = options;
  const keyOf = (request: FastifyRequest) => {
    const { id } = request.params as { id: string };
    return { ...scopeOf(request), id: pathId(id, 'contact') };
  };
  const dataOf = async (request: FastifyRequest, contact: ContactRow, store: Stores = options) => {
    const scope = scopeOf(request);
    const [record] = await contactRecords(store.pool, scope.channelId, [contact]);
    const groups = (await groupsOf(store, scope, contact.id)).map(({ id, name }) => ({ id, name }));
    const conversationId = await findConversationId(store.prisma, contact.id);
    return ok({ ...(record as Static<typeof ContactEntry>), groups, conversationId });
  };

  route('GET /accounts/:accountId/channels/:channelId/contacts', async (request) => {
    const { search = '', groupId = '' } = request.query;
    const { channelId } = scopeOf(request);
    // What no contact can hold matches none.
    if ((groupId !== '' && !isUuid(groupId)) || !canBeHeld(search)) return NONE;
    const filter = { channelId, groupId: groupId.toLowerCase() || undefined, term: search || undefined };
    const { contacts, next, total, estimated } = await pageContacts(options, filter, cursorPage(request.query));
    return { data: await contactRecords(pool, channelId, contacts), next, total, totalIsEstimate: estimated };
  });

  app.get(
    `${BASE}/export`,
    csvDownload({
      operationId: 'consoleExportContacts',
      summary: 'Export the contacts of a channel, or of a group, as CSV that an import reads',
      params: ChannelPath,
      query: Type.Object({ groupId: Type.Optional(Type.String()) }),
    }),
    async (request, reply) => {
      const scope = scopeOf(request);
      const { groupId = '' } = request.query as { groupId?: string };
      const group = groupId === '' ? null : found(await readGroup(options, scope, pathId(groupId, 'group')), 'group');
      const parts = exportContacts(options.reads, { channelId: scope.channelId, groupId: group?.id ?? null });
      return sendCsv(reply, 'contacts.csv', Readable.from(parts));
    },
  );

  route('POST /accounts/:accountId/channels/:channelId/contacts', async (request) => {
    const { phone, userId, optedOut } = request.body;
    const fields = { phone, userId, ...mapFields((name) => request.body[name] ?? '') };
    checkNewContact(fields, { kind: channelOf(request).kind, validation: phoneValidation });
    const at = clock.now();
    return request.change(async (change) => {
      const contact = { ...scopeOf(request), ...fields, phone: phone ?? null, optedOut, at };
      const made = await createContact({ pool: change.client }, contact);
      const result = await dataOf(request, made, inside(options, change));
      return {
        result,
        told: { action: 'contact.create', subject: made.id, after: { ...fields, optedOut } },
      };
    });
  });

  route(
    'GET /accounts/:accountId/channels/:channelId/contacts/:id',
    async (request) => await dataOf(request, found(await readContact(options, keyOf(request)), 'contact')),
  );

  route('PUT /accounts/:accountId/channels/:channelId/contacts/:id', async (request) => {
    const { phone, userId, optedOut } = request.body;
    const fields = pickFields(request.body);
    checkContactFields(fields);
    const key = keyOf(request);
    return request.change(async (change) => {
      const inChange = inside(options, change);
      const before = await dataOf(request, found(await lockContact(change.client, key), 'contact'), inChange);
      const asked = { ...fields, phone, userId, optedOut, at: clock.now() };
      const contact = found(await updateContact(inChange, key, asked), 'contact');
      const after = await dataOf(request, contact, inChange);
      return { result: after, told: changeOf('contact.update', contact.id, kept(before.data), kept(after.data)) };
    });
  });

  route('DELETE /accounts/:accountId/channels/:channelId/contacts/:id', async (request) => {
    const key = keyOf(request);
    return request.change(async (change) => {
      const subject = found(await deleteContact(inside(options, change), key), 'contact');
      return { result: done(), told: { action: 'contact.delete', subject } };
    });
  });

  route('POST /accounts/:accountId/channels/:channelId/contacts/bulk-delete', async (request) => {
    const ids = uniqueIds(request.body.contactIds);
    return request.change(async (change) => {
      const { deleted, unknown } = await deleteContacts(inside(options, change), scopeOf(request), ids);
      const subject = `${deleted.length} contacts`;
      const told = { action: 'contact.delete', subject, before: { contactIds: deleted } };
      const result = ok({ deleted: deleted.length, notFound: unknown });
      return { result, told: deleted.length === 0 ? null : told };
    });
  });
};

/** What is changed of a contact. */
function kept(contact: Static<typeof ContactEntry>) {
  return { ...pickFields(contact), optedOut: contact.optedOut };
}

const NONE = { data: [], next: null, total: 0, totalIsEstimate: false };
