import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from '@sinclair/typebox';
import { isUserId } from '../../../carriers/numbers/user-ids.js';
import { listInbound } from '../../../features/inbound/list.js';
import type { InboundEntry, InboundFilter } from '../../../features/inbound/list-store.js';
import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { invalidFields, parseChoice } from '../../../platform/errors/field-problems.js';
import { isUuid } from '../../../platform/ids.js';
import { parseFilterTime } from '../../../platform/timestamps.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { NullablePhone, WHATSAPP_PERSON } from '../../resources/people/people.js';
import { answerPage, cursorPage, pageAnswer, pageQuery } from '../cursor-page.js';
import { CHANNELS, filterText, readNumber } from './message-filters.js';
import { errorsV2, READ_ERRORS } from './v1-schemas.js';

const FILTERS = {
  from: filterText('The sender: a phone number (only its digits count) or the WhatsApp user ID.', '15005550111'),
  contactId: filterText(
    'The contact who sent it. The ID of a merged contact finds the messages of the contact it was merged into. Cannot be combined with `from`.',
    '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55',
  ),
  to: filterText('The number of the receiving channel; only its digits count.', '15005550100'),
  channel: filterText('`sms` or `whatsapp`.', 'sms'),
  received_from: filterText('Received at or after this time: ISO 8601 with a time zone.', '2026-11-21T00:00:00Z'),
  received_to: filterText('Received before this time.', '2026-11-22T00:00:00Z'),
};
const Filters = Type.Object(FILTERS);

export const InboundView = Type.Object({
  message_id: Id,
  channel: Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: [...CHANNELS] }),
  channel_id: Id,
  contactId: Id,
  from: NullablePhone,
  ...WHATSAPP_PERSON,
  to: Type.String({ description: 'The number of the channel.', examples: ['15005550100'] }),
  type: Type.String({ description: '`text`, or WhatsApp’s type: image, location …', examples: ['text'] }),
  message: Type.String({ description: 'Text, caption or button text; may be empty.' }),
  payload: Type.Object(
    {},
    { additionalProperties: true, description: "The carrier's object for this type, for example `image`." },
  ),
  timestamp: Type.String({ format: 'date-time', description: 'When the message was sent, according to the carrier.' }),
  received_at: Timestamp,
});

export type InboundOptions = UseCaseOptions<typeof listInbound>;

export const endpointsInbound: FastifyPluginAsyncTypebox<InboundOptions> = async (app, options) => {
  app.get(
    '/inbound',
    {
      schema: {
        operationId: 'listInbound',
        tags: ['Messages'],
        summary: 'List inbound messages of the account, newest first',
        description:
          'Extension of the contract. SMS and WhatsApp messages to all channels of the account. Each request does a limited ' +
          'amount of work: a page may have fewer than `limit` entries, even none, while `next_cursor` is not null.',
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

function inboundFilter(query: Static<typeof Filters>, accountId: string): InboundFilter {
  const problems: FieldProblem[] = [];
  const filter = {
    accountId,
    from: readSender(query, problems),
    to: readNumber('to', query.to, problems),
    kind: parseChoice('channel', query.channel?.toLowerCase(), CHANNELS, problems),
    receivedFrom: parseFilterTime('received_from', query.received_from, problems),
    receivedTo: parseFilterTime('received_to', query.received_to, problems),
  };
  if (problems.length > 0) throw invalidFields(problems);
  return filter;
}

function readSender({ from, contactId }: Static<typeof Filters>, problems: FieldProblem[]): InboundFilter['from'] {
  if (contactId) {
    if (from) problems.push({ field: 'contactId', rule: 'must not be sent together with from' });
    if (!isUuid(contactId)) problems.push({ field: 'contactId', rule: 'must be a UUID' });
    return { contactId };
  }
  if (from && isUserId(from)) return { userId: from };
  const phone = readNumber('from', from, problems);
  return phone === null ? null : { phone };
}

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
