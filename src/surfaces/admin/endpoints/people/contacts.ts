import { Readable } from 'node:stream';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { bindToTransaction, type InTransaction } from '../../../../accounts/audit/change.js';
import { diffForAudit } from '../../../../accounts/audit/diff.js';
import type { PhoneValidation } from '../../../../carriers/numbers/phone-numbers.js';
import { filterByAudience } from '../../../../features/audiences/contact-filter.js';
import { createContact, readContact, updateContact } from '../../../../features/contacts/change.js';
import { checkContactFields, checkNewContact } from '../../../../features/contacts/check-contact.js';
import { mapFields, pickFields, toSetText } from '../../../../features/contacts/contact-fields.js';
import { lockContact } from '../../../../features/contacts/contact-store.js';
import { readMarksFilter } from '../../../../features/contacts/custom/filter.js';
import { exportContacts } from '../../../../features/contacts/export.js';
import { listGroupsOfContact, readGroup } from '../../../../features/contacts/groups/groups.js';
import { type ContactRow, loadContactRecords } from '../../../../features/contacts/record.js';
import { listContactPage } from '../../../../features/contacts/search/list.js';
import { findSameNumber } from '../../../../features/contacts/search/same-number.js';
import { isSearchable } from '../../../../features/contacts/search/term.js';
import { findConversationId } from '../../../../features/conversations/find-conversation-id.js';
import { deleteContact, deleteContacts } from '../../../../features/erasure/delete-contact.js';
import type { Clock } from '../../../../platform/clock.js';
import { isUuid } from '../../../../platform/ids.js';
import type { Reads } from '../../../../platform/reads/reads.js';
import { sendCsv } from '../../../http/files/csv-answer.js';
import { pathId, requireFound, uniqueIds } from '../../../http/ids.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { cursorPage, done, ok } from '../../answers.js';
import { ChannelPath } from '../../contract/paths.js';
import { CONTACTS } from '../../contract/people/contacts.js';
import type { ContactEntry } from '../../contract/people/contacts-schemas.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestChannel, requestScope } from '../../session-auth.js';
import { csvDownload } from './csv-answer.js';

export type ContactEndpointOptions = UseCaseOptions<
  | typeof listContactPage
  | typeof readMarksFilter
  | typeof createContact
  | typeof readContact
  | typeof updateContact
  | typeof deleteContact
  | typeof listGroupsOfContact
> & {
  prisma: Parameters<typeof findConversationId>[0];
  reads: Reads;
  clock: Clock;
  phoneValidation: PhoneValidation;
};

const BASE = '/accounts/:accountId/channels/:channelId/contacts';

type Stores = Pick<ContactEndpointOptions, 'pool' | 'prisma'> | InTransaction<ContactEndpointOptions>;

export const contactEndpoints: Endpoints<ContactEndpointOptions> = async (app, options) => {
  const route = registerRoutes(app, CONTACTS);
  const { pool, clock, phoneValidation } = options;
  const readContactKey = (request: FastifyRequest) => {
    const { id } = request.params as { id: string };
    return { ...requestScope(request), id: pathId(id, 'contact') };
  };
  const answerContact = async (request: FastifyRequest, contact: ContactRow, store: Stores = options) => {
    const scope = requestScope(request);
    const [record] = await loadContactRecords(store.pool, scope.channelId, [contact]);
    const groups = (await listGroupsOfContact(store, scope, contact.id)).map(({ id, name }) => ({ id, name }));
    const conversationId = await findConversationId(store.prisma, contact.id);
    const sameNumber = await findSameNumber(store.pool, scope, contact.phone);
    return ok({ ...(record as Static<typeof ContactEntry>), groups, conversationId, sameNumber });
  };

  route('GET /accounts/:accountId/channels/:channelId/contacts', async (request) => {
    const { search = '', groupId = '', audienceId } = request.query;
    const { accountId, channelId } = requestScope(request);
    const marks = await readMarksFilter(options, accountId, request.query);
    if ((groupId !== '' && !isUuid(groupId)) || !isSearchable(search)) return EMPTY_PAGE;
    const filter = await filterByAudience(pool, requestScope(request), {
      filter: { channelId, groupId: groupId.toLowerCase() || undefined, term: search || undefined, ...marks },
      id: audienceId || undefined,
      now: clock.now(),
    });
    if (filter === null) return EMPTY_PAGE;
    const { contacts, next, total, estimated } = await listContactPage(options, filter, cursorPage(request.query));
    return { data: await loadContactRecords(pool, channelId, contacts), next, total, totalIsEstimate: estimated };
  });

  app.get(
    `${BASE}/export`,
    csvDownload({
      operationId: 'consoleExportContacts',
      summary: 'Export the contacts of a channel, a group or an audience as CSV, in a form that an import accepts',
      params: ChannelPath,
      query: Type.Object({ groupId: Type.Optional(Type.String()), audienceId: Type.Optional(Type.String()) }),
    }),
    async (request, reply) => {
      const scope = requestScope(request);
      const { groupId = '', audienceId = '' } = request.query as { groupId?: string; audienceId?: string };
      const group =
        groupId === '' ? null : requireFound(await readGroup(options, scope, pathId(groupId, 'group')), 'group');
      const filter = await filterByAudience(pool, scope, {
        filter: { channelId: scope.channelId },
        id: audienceId || undefined,
        now: clock.now(),
      });
      const { condition } = requireFound(filter, 'audience');
      const parts = exportContacts(options.reads, {
        channelId: scope.channelId,
        groupId: group?.id ?? null,
        condition,
      });
      return sendCsv(reply, 'contacts.csv', Readable.from(parts));
    },
  );

  route('POST /accounts/:accountId/channels/:channelId/contacts', async (request) => {
    const { phone, userId, tags, fields, optedOut } = request.body;
    const texts = { phone, userId, ...mapFields((name) => request.body[name] ?? '') };
    checkNewContact(texts, { kind: requestChannel(request).kind, validation: phoneValidation });
    const at = clock.now();
    return request.change(async (change) => {
      const contact = {
        ...requestScope(request),
        ...texts,
        phone: phone ?? null,
        ...{ tags, fields, optedOut },
        source: 'operator',
        at,
      } as const;
      const created = await createContact({ pool: change.client }, contact);
      const result = await answerContact(request, created, bindToTransaction(options, change));
      return {
        result,
        audit: { action: 'contact.create', subject: created.id, after: { ...texts, tags, fields, optedOut } },
      };
    });
  });

  route(
    'GET /accounts/:accountId/channels/:channelId/contacts/:id',
    async (request) =>
      await answerContact(request, requireFound(await readContact(options, readContactKey(request)), 'contact')),
  );

  route('PUT /accounts/:accountId/channels/:channelId/contacts/:id', async (request) => {
    const { phone, userId, tags, fields, optedOut } = request.body;
    const texts = pickFields(request.body);
    checkContactFields(texts);
    const key = readContactKey(request);
    return request.change(async (change) => {
      const inTransaction = bindToTransaction(options, change);
      const before = await answerContact(
        request,
        requireFound(await lockContact(change.client, key), 'contact'),
        inTransaction,
      );
      const input = { ...texts, phone, userId, tags, fields, optedOut, source: 'operator', at: clock.now() } as const;
      const contact = requireFound(await updateContact(inTransaction, key, input), 'contact');
      const after = await answerContact(request, contact, inTransaction);
      return {
        result: after,
        audit: diffForAudit('contact.update', contact.id, auditedFields(before.data), auditedFields(after.data)),
      };
    });
  });

  route('DELETE /accounts/:accountId/channels/:channelId/contacts/:id', async (request) => {
    const key = readContactKey(request);
    return request.change(async (change) => {
      const subject = requireFound(await deleteContact(bindToTransaction(options, change), key), 'contact');
      return { result: done(), audit: { action: 'contact.delete', subject } };
    });
  });

  route('POST /accounts/:accountId/channels/:channelId/contacts/bulk-delete', async (request) => {
    const ids = uniqueIds(request.body.contactIds);
    return request.change(async (change) => {
      const { deleted, unknown } = await deleteContacts(bindToTransaction(options, change), requestScope(request), ids);
      const subject = `${deleted.length} contacts`;
      const auditEntry = { action: 'contact.delete', subject, before: { contactIds: deleted } };
      const result = ok({ deleted: deleted.length, notFound: unknown });
      return { result, audit: deleted.length === 0 ? null : auditEntry };
    });
  });
};

function auditedFields(contact: Static<typeof ContactEntry>) {
  const { tags, fields, optedOut } = contact;
  const locale = { language: toSetText(contact.language), timeZone: toSetText(contact.timeZone) };
  return { ...pickFields(contact), ...locale, tags, fields, optedOut };
}

const EMPTY_PAGE = { data: [], next: null, total: 0, totalIsEstimate: false };
