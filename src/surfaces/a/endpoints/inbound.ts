import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from '@sinclair/typebox';
import { listInbound } from '../../../features/inbound/list.js';
import type { InboundEntry, InboundFilter } from '../../../features/inbound/list-store.js';
import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { invalidFields, oneOf } from '../../../platform/errors/field-problems.js';
import { readTime } from '../../../platform/timestamps.js';
import type { OptionsOf } from '../../http/options-of.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { NullablePhone, WHATSAPP_PERSON } from '../../resources/people.js';
import { answerPage, cursorPage, pageAnswer, pageQuery } from '../cursor-page.js';
import { CHANNELS, filterText, readNumber } from './message-filters.js';
import { errorsV2, READ_ERRORS } from './v1-schemas.js';

const FILTERS = {
  from: filterText('The number that wrote it; of what stands in it digits alone count.', '15005550111'),
  to: filterText('The number of the channel that it was written to; digits alone count.', '15005550100'),
  channel: filterText('`sms` or `whatsapp`.', 'sms'),
  received_from: filterText('Came at this time or later: ISO 8601 with a time zone.', '2026-11-21T00:00:00Z'),
  received_to: filterText('Came before this time.', '2026-11-22T00:00:00Z'),
};
const Filters = Type.Object(FILTERS);

/** An inbound message as the account sees it. */
export const InboundView = Type.Object({
  message_id: Id,
  channel: Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: [...CHANNELS] }),
  channel_id: Id,
  contactId: Id,
  from: NullablePhone,
  ...WHATSAPP_PERSON,
  to: Type.String({ description: 'The number of the channel.', examples: ['15005550100'] }),
  type: Type.String({ description: '`text`, or what WhatsApp calls it: image, location …', examples: ['text'] }),
  message: Type.String({ description: 'Text, caption or text of a button; empty where there is none.' }),
  payload: Type.Object(
    {},
    { additionalProperties: true, description: 'What the carrier sent under the name of the type.' },
  ),
  timestamp: Type.String({ format: 'date-time', description: "The carrier's time of the message." }),
  received_at: Timestamp,
});

export type InboundOptions = OptionsOf<typeof listInbound>;

/** What was written to the account's channels: `/v2/inbound`. */
export const endpointsInbound: FastifyPluginAsyncTypebox<InboundOptions> = async (app, options) => {
  app.get(
    '/inbound',
    {
      schema: {
        operationId: 'listInbound',
        tags: ['Messages'],
        summary: 'List what was written to the account, the newest first',
        description:
          'Extension of the contract. SMS and WhatsApp messages to every channel of the account. A page is read in a ' +
          'bounded time: it may hold fewer than `limit`, even none, while `next_cursor` still leads on.',
        security: [{ bearer: [] }],
        querystring: pageQuery(FILTERS),
        response: { 200: pageAnswer(InboundView), ...errorsV2(READ_ERRORS) },
      },
    },
    async ({ query, credential: { account } }) => {
      const { entries, next } = await listInbound(options, inboundFilter(query, account.id), cursorPage(query));
      return answerPage(entries.map(inboundView), next);
    },
  );
};

/** @throws {AppError} INVALID_REQUEST with every filter that cannot be read */
function inboundFilter(query: Static<typeof Filters>, accountId: string): InboundFilter {
  const problems: FieldProblem[] = [];
  const filter = {
    accountId,
    from: readNumber('from', query.from, problems),
    to: readNumber('to', query.to, problems),
    kind: oneOf('channel', query.channel?.toLowerCase(), CHANNELS, problems),
    receivedFrom: readTime('received_from', query.received_from, problems),
    receivedTo: readTime('received_to', query.received_to, problems),
  };
  if (problems.length > 0) throw invalidFields(problems);
  return filter;
}

/** An entry in the shape of `InboundView`. */
export function inboundView(entry: InboundEntry): Static<typeof InboundView> {
  const { id, kind, channelId, contactId, from, userId, username, to, type, body, payload, sentAt, receivedAt } = entry;
  return {
    message_id: id,
    channel: kind,
    channel_id: channelId,
    contactId,
    from,
    userId,
    username,
    to,
    type,
    message: body,
    payload,
    timestamp: sentAt.toISOString(),
    received_at: receivedAt.toISOString(),
  };
}
