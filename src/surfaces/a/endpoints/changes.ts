import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from '@sinclair/typebox';
import { type ChangeWithMessage, listChanges } from '../../../features/changes/list.js';
import { findWhatsappPeople } from '../../../features/contacts/people.js';
import { CHANGES_DAYS } from '../../../messages/changes/sweep-store.js';
import { getStatusTime } from '../../../messages/status/status.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { RULE } from '../../http/validation.js';
import { InboundView, inboundView } from './inbound.js';
import { Failure, MessageEntry, messageEntry, Nullable, Status, toFailure } from './message-view.js';
import { NULLABLE_NOTES, nullableNotes } from './notes-schemas.js';
import { errorsV2, READ_ERRORS } from './v1-schemas.js';

const LIMIT = { minimum: 1, maximum: 1000, default: 200 } as const;

const Query = Type.Object({
  after: Type.Optional(
    Type.String({
      description:
        '`cursor` of the previous response, or `now` to see only later changes. Without it, the list ' +
        'starts at the oldest change still stored.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      ...LIMIT,
      description: 'Maximum number of changes per response.',
      [RULE]: `must be an integer from ${LIMIT.minimum} to ${LIMIT.maximum}`,
    }),
  ),
});

const typeLiteral = <T extends string>(type: T) => Type.Unsafe<T>({ type: 'string', enum: [type] });

const ChangeView = Type.Union(
  [
    Type.Object(
      { type: typeLiteral('message'), message_id: Id, timestamp: Timestamp, message: MessageEntry },
      { description: 'A message was accepted. The entry shows its current state, which may be a later one.' },
    ),
    Type.Object(
      {
        type: typeLiteral('status'),
        message_id: Id,
        timestamp: Timestamp,
        status: Status,
        error: Nullable(Failure),
        ...NULLABLE_NOTES,
      },
      { description: 'A message reached a status, as in the event `message.status`.' },
    ),
    Type.Object(
      { type: typeLiteral('inbound'), message_id: Id, timestamp: Timestamp, inbound: InboundView },
      { description: 'The account received a message.' },
    ),
  ],
  { description: 'The fields depend on `type`.' },
);

const ChangesAnswer = Type.Object({
  status: Type.Literal('success'),
  message: Type.String({ examples: ['3 changes.'] }),
  code: Type.Integer({ examples: [200] }),
  data: Type.Array(ChangeView),
  cursor: Type.String({
    description: 'Where to continue; present even if there are no changes. Treat it as opaque.',
  }),
  has_more: Type.Boolean({ description: 'Whether more changes are available now.' }),
  kept_since: Type.String({ format: 'date-time', description: 'Changes before this time are no longer kept.' }),
});

export type ChangesOptions = UseCaseOptions<typeof listChanges | typeof findWhatsappPeople>;

export const endpointsChanges: FastifyPluginAsyncTypebox<ChangesOptions> = async (app, options) => {
  app.get(
    '/changes',
    {
      schema: {
        operationId: 'listChanges',
        tags: ['Messages'],
        summary: 'List changes after a cursor, oldest first',
        description:
          "Extension of the contract. The account's messages of both versions, their statuses and its inbound messages, in " +
          'the order in which they were committed: a new change never appears before a cursor that was already returned. A ' +
          'response may contain fewer than `limit` changes while `has_more` is true. Changes are kept for ' +
          `${CHANGES_DAYS} days; for a cursor that is older or from another store, the response is 410.`,
        security: [{ bearer: [] }],
        querystring: Query,
        response: { 200: ChangesAnswer, ...errorsV2([...READ_ERRORS, 410]) },
      },
    },
    async ({ query: { after = null, limit = LIMIT.default }, credential: { account } }) => {
      const page = await listChanges(options, account.id, { after, limit });
      const messages = page.changes.flatMap((change) => (change.type === 'message' ? [change.message] : []));
      const context = { currency: account.currency, people: await findWhatsappPeople(options, messages) };
      const data = page.changes.map((change) => changeView(change, context));
      return {
        status: 'success' as const,
        message: data.length === 1 ? '1 change.' : `${data.length} changes.`,
        code: 200,
        data,
        cursor: page.cursor,
        has_more: page.hasMore,
        kept_since: page.since.toISOString(),
      };
    },
  );
};

function changeView(change: ChangeWithMessage, context: Parameters<typeof messageEntry>[1]): Static<typeof ChangeView> {
  if (change.type === 'inbound') {
    const inbound = inboundView(change.inbound);
    return { type: 'inbound', message_id: inbound.message_id, timestamp: inbound.received_at, inbound };
  }
  const { message } = change;
  if (change.type === 'message') {
    const timestamp = message.createdAt.toISOString();
    return { type: 'message', message_id: message.id, timestamp, message: messageEntry(message, context) };
  }
  const { status } = change;
  return {
    type: 'status',
    message_id: message.id,
    timestamp: getStatusTime({ ...message, status }).toISOString(),
    status,
    error: status === message.status ? toFailure(message) : null,
    ...nullableNotes(message),
  };
}
