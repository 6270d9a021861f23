import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from '@sinclair/typebox';
import { type ChangeWithMessage, listChanges } from '../../../features/changes/list.js';
import { findWhatsappPeople } from '../../../features/contacts/people.js';
import { CHANGES_DAYS } from '../../../messages/changes/sweep-store.js';
import { statusChangedAt } from '../../../messages/status/status.js';
import type { OptionsOf } from '../../http/options-of.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { InboundView, inboundView } from './inbound.js';
import { Failure, failureOf, MessageEntry, messageEntry, Nullable, Status } from './message-view.js';
import { NULLABLE_NOTED, notedOrNull } from './notes-schemas.js';
import { errorsV2, READ_ERRORS } from './v1-schemas.js';

const LIMIT = { minimum: 1, maximum: 1000, default: 200 } as const;

const Query = Type.Object({
  after: Type.Optional(
    Type.String({
      description:
        '`cursor` of the answer before, or `now` for a cursor behind all that has happened; without it, from the ' +
        'beginning of what is kept.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      ...LIMIT,
      description: 'Most changes of an answer.',
      [RULE]: `must be an integer from ${LIMIT.minimum} to ${LIMIT.maximum}`,
    }),
  ),
});

const typed = <T extends string>(type: T) => Type.Unsafe<T>({ type: 'string', enum: [type] });

const ChangeView = Type.Union(
  [
    Type.Object(
      { type: typed('message'), message_id: Id, timestamp: Timestamp, message: MessageEntry },
      { description: 'A message was accepted. It is shown as it is now, which may be further.' },
    ),
    Type.Object(
      {
        type: typed('status'),
        message_id: Id,
        timestamp: Timestamp,
        status: Status,
        error: Nullable(Failure),
        ...NULLABLE_NOTED,
      },
      { description: 'A message came into a status; the same steps as those of the event `message.status`.' },
    ),
    Type.Object(
      { type: typed('inbound'), message_id: Id, timestamp: Timestamp, inbound: InboundView },
      { description: 'A message was written to the account.' },
    ),
  ],
  { description: 'By its type.' },
);

const ChangesAnswer = Type.Object({
  status: Type.Literal('success'),
  message: Type.String({ examples: ['3 changes.'] }),
  code: Type.Integer({ examples: [200] }),
  data: Type.Array(ChangeView),
  cursor: Type.String({
    description: 'Where to go on from; there is one even where nothing happened. Keep it as it is.',
  }),
  has_more: Type.Boolean({ description: 'More has happened already: ask again at once.' }),
  kept_since: Type.String({ format: 'date-time', description: 'What happened before is not told.' }),
});

export type ChangesOptions = OptionsOf<typeof listChanges | typeof findWhatsappPeople>;

/** What happened to the account's messages, in an order that can be continued: `/v2/changes`. */
export const endpointsChanges: FastifyPluginAsyncTypebox<ChangesOptions> = async (app, options) => {
  app.get(
    '/changes',
    {
      schema: {
        operationId: 'listChanges',
        tags: ['Messages'],
        summary: 'List what happened since, the oldest first',
        description:
          "Extension of the contract. The account's messages of both versions, their statuses, and what was written to " +
          'it, in the order in which they were committed: nothing ever appears behind a cursor that was given out. An ' +
          'answer may hold fewer than `limit` changes while `has_more` is true. Changes are kept for ' +
          `${CHANGES_DAYS} days; a cursor that is older, or of another store, is 410.`,
        security: [{ bearer: [] }],
        querystring: Query,
        response: { 200: ChangesAnswer, ...errorsV2([...READ_ERRORS, 410]) },
      },
    },
    async ({ query: { after = null, limit = LIMIT.default }, credential: { account } }) => {
      const page = await listChanges(options, account.id, { after, limit });
      const messages = page.changes.flatMap((change) => (change.type === 'message' ? [change.message] : []));
      const shown = { currency: account.currency, people: await findWhatsappPeople(options, messages) };
      const data = page.changes.map((change) => changeView(change, shown));
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

function changeView(change: ChangeWithMessage, shown: Parameters<typeof messageEntry>[1]): Static<typeof ChangeView> {
  if (change.type === 'inbound') {
    const inbound = inboundView(change.inbound);
    return { type: 'inbound', message_id: inbound.message_id, timestamp: inbound.received_at, inbound };
  }
  const { message } = change;
  if (change.type === 'message') {
    const timestamp = message.createdAt.toISOString();
    return { type: 'message', message_id: message.id, timestamp, message: messageEntry(message, shown) };
  }
  const { status } = change;
  return {
    type: 'status',
    message_id: message.id,
    timestamp: statusChangedAt({ ...message, status }).toISOString(),
    status,
    error: status === message.status ? failureOf(message) : null,
    ...notedOrNull(message),
  };
}
