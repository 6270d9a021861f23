import { type Static, Type } from '@sinclair/typebox';
import { isUserId } from '../../../carriers/numbers/user-ids.js';
import { extractDigits } from '../../../carriers/numbers/written-numbers.js';
import type { InboundFilter } from '../../../features/inbound/list-store.js';
import { MAX_SCHEDULE_DAYS, MAX_VALIDITY_SECONDS } from '../../../messages/compose/schedule.js';
import { createAccountFilter } from '../../../messages/search/list-store.js';
import { parseSid, toSid } from '../../../platform/text/sids.js';
import { LAST_MOMENT, readTimestamp } from '../../../platform/timestamps.js';
import { RULE } from '../../http/validation.js';
import { badParameter } from '../errors.js';
import type { AnyMessage, DirectionFilters, listBothDirections } from './both-directions.js';

const DEFAULT_SIZE = 50;
const MAX_SIZE = 1000;
/** Maximum number of queries to fill a page, which may need several because few entries may match the time filter. */
const MAX_READS = 8;
const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_WAIT_MS = MAX_SCHEDULE_DAYS * DAY_MS + MAX_VALIDITY_SECONDS * 1000;

const textSchema = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example] }));

/** An empty filter counts as absent. */
export const ListQuery = Type.Object({
  To: textSchema('The recipient.', '+15005550111'),
  From: textSchema('The sender.', '+15005550100'),
  DateSent: textSchema('The UTC day on which the message was sent, or a time on that day.', '2026-11-24'),
  'DateSent<': textSchema('Sent at or before this time; a date means the start of that day.', '2026-11-24'),
  'DateSent>': textSchema('Sent at or after this time.', '2026-11-24T08:00:00Z'),
  PageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `Maximum number of entries per page; values above ${MAX_SIZE} count as ${MAX_SIZE}.`,
      default: DEFAULT_SIZE,
      [RULE]: 'must be an integer of at least 1',
    }),
  ),
  Page: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: 0,
      description: 'Page number, only for the URIs of pages. PageToken selects the page.',
      [RULE]: 'must be an integer',
    }),
  ),
  PageToken: textSchema(
    'Where the page starts: the PageToken in `next_page_uri`.',
    'PASM0192f0c17d3a7c2e9b1a2f6d1c0a4e55',
  ),
});
/** Filters that are repeated in the URL of the next page. */
export const LIST_FILTERS = ['To', 'From', 'DateSent', 'DateSent<', 'DateSent>'] as const;
type Query = Static<typeof ListQuery>;

/** Page of messages, where `next` is the ID before which the next page starts. */
export interface Page {
  messages: AnyMessage[];
  size: number;
  next: string | null;
}

/** Range of send times in milliseconds, where null means no limit on that side. */
interface SentRange {
  from: number | null;
  /** Inclusive. */
  to: number | null;
}

/**
 * Returns messages in the order of acceptance, newest first.
 * @throws {TwilioError} for an invalid parameter
 */
export async function readPage(
  readDirections: (
    filters: DirectionFilters,
    page: { before: string | null; limit: number },
  ) => ReturnType<typeof listBothDirections>,
  accountId: string,
  query: Query,
): Promise<Page> {
  const size = Math.min(query.PageSize ?? DEFAULT_SIZE, MAX_SIZE);
  const sentRange = readSentRange(query);
  const filter = readFilters(accountId, query, sentRange);
  let next: string | null = readToken(query.PageToken);
  const messages: AnyMessage[] = [];
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const page = await readDirections(filter, { before: next, limit: size - messages.length });
    messages.push(
      ...page.messages.filter((message) =>
        wasSent(message.received?.receivedAt ?? message.sent?.sentAt ?? null, sentRange),
      ),
    );
    next = page.next;
    if (next === null || messages.length >= size) break;
  }
  return { messages, size, next };
}

export function toPageToken(next: string): string {
  return `PA${toSid('SM', next)}`;
}

function readToken(token: string | undefined): string | null {
  if (!token) return null;
  const id = token.startsWith('PA') ? parseSid(token.slice(2), 'SM') : null;
  if (id === null) throw badParameter(20422, 'PageToken', 'must be the PageToken in next_page_uri');
  return id;
}

function wasSent(sentAt: Date | null, { from, to }: SentRange): boolean {
  if (from === null && to === null) return true;
  if (sentAt === null) return false;
  // Times are rounded to seconds, like the times in responses.
  const time = Math.floor(sentAt.getTime() / 1000) * 1000;
  return (from === null || time >= from) && (to === null || time <= to);
}

function readSentRange(query: Query): SentRange {
  const day = readMoment('DateSent', query.DateSent);
  const from = readMoment('DateSent>', query['DateSent>']);
  const to = readMoment('DateSent<', query['DateSent<']);
  if (day === null) return { from, to };
  const startOfDay = Math.floor(day / DAY_MS) * DAY_MS;
  const endOfDay = startOfDay + DAY_MS - 1;
  return { from: Math.max(startOfDay, from ?? startOfDay), to: Math.min(endOfDay, to ?? endOfDay) };
}

function readMoment(field: string, value: string | undefined): number | null {
  if (!value) return null;
  const moment = readTimestamp(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value);
  if (!moment)
    throw badParameter(20422, field, 'must be a date such as 2026-11-24, or a time such as 2026-11-24T08:00:00Z');
  return moment.getTime();
}

function readFilters(accountId: string, { To: to, From: from }: Query, sentRange: SentRange): DirectionFilters {
  const [recipient, sender] = [parseAddress(to), parseAddress(from)];
  const number = recipient && (isUserId(recipient.address) ? recipient.address : extractDigits(recipient.address));
  if (recipient && number === null) throw badParameter(20422, 'To', 'must be a phone number in E.164');
  if (recipient && sender && recipient.kind !== sender.kind) {
    throw badParameter(20422, 'From', 'must be of the same kind as To: both WhatsApp or both SMS');
  }
  const kind = recipient?.kind ?? sender?.kind ?? null;
  return {
    sent: {
      ...createAccountFilter(accountId),
      surface: 'a',
      recipient: number,
      // The plus sign is removed, because numbers are stored as digits.
      sender: sender?.address.replace(/^\+(?=\d+$)/, '') ?? null,
      kind,
      createdFrom: sentRange.from === null ? null : new Date(Math.max(0, sentRange.from - MAX_WAIT_MS)),
      createdTo: endOfSecond(sentRange.to),
    },
    received: buildInboundFilter(accountId, { recipient: number, sender, kind }, sentRange),
  };
}

/** Returns the end of the second that starts at `time`, limited to the range of dates that the store supports. */
function endOfSecond(time: number | null): Date | null {
  return time === null ? null : new Date(Math.min(time + 1000, LAST_MOMENT));
}

/** Returns null if no inbound message can match, because senders are numbers or user IDs and recipients are channels. */
function buildInboundFilter(
  accountId: string,
  { recipient, sender, kind }: { recipient: string | null; sender: Address | null; kind: InboundFilter['kind'] },
  sentRange: SentRange,
): InboundFilter | null {
  const contact = sender && parseContact(sender.address);
  if ((sender && !contact) || (recipient !== null && isUserId(recipient))) return null;
  return {
    accountId,
    from: contact,
    to: recipient,
    kind,
    receivedFrom: sentRange.from === null ? null : new Date(sentRange.from),
    receivedTo: endOfSecond(sentRange.to),
  };
}

function parseContact(address: string): InboundFilter['from'] {
  if (isUserId(address)) return { userId: address };
  const phone = /^\+?[\d\s().-]+$/.test(address) ? extractDigits(address) : null;
  return phone === null ? null : { phone };
}

interface Address {
  address: string;
  kind: 'sms' | 'whatsapp';
}

function parseAddress(value: string | undefined): Address | null {
  if (!value) return null;
  const address = value.trim().replace(/^whatsapp:/i, '');
  return { address, kind: address === value.trim() ? 'sms' : 'whatsapp' };
}
