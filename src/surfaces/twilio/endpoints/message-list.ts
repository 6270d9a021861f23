import { type Static, Type } from '@sinclair/typebox';
import { isUserId } from '../../../carriers/numbers/user-ids.js';
import { extractDigits } from '../../../carriers/numbers/written-numbers.js';
import type { InboundFilter } from '../../../features/inbound/list-store.js';
import { MAX_SCHEDULE_DAYS, MAX_VALIDITY_SECONDS } from '../../../messages/compose/schedule.js';
import { filterForAccount } from '../../../messages/search/list-store.js';
import { idOfSid, sidOf } from '../../../platform/text/sids.js';
import { LAST_MOMENT, readTimestamp } from '../../../platform/timestamps.js';
import { RULE } from '../../http/validation.js';
import { badParameter } from '../errors.js';
import type { AnyMessage, BothFilters, listBoth } from './both-directions.js';

const DEFAULT_SIZE = 50;
const MAX_SIZE = 1000;
/** Pages of the store that one page is made of at the most, where few of them were sent at the time that is asked for. */
const MOST_READS = 8;
const DAY_MS = 24 * 60 * 60 * 1000;
/** How long before it was sent a message may have been accepted. */
const LONGEST_WAIT_MS = MAX_SCHEDULE_DAYS * DAY_MS + MAX_VALIDITY_SECONDS * 1000;

const text = (description: string, example: string) => Type.Optional(Type.String({ description, examples: [example] }));

/** What a list is limited to, and which page of it is asked for. An empty text counts as absent. */
export const ListQuery = Type.Object({
  To: text('The recipient.', '+15005550111'),
  From: text('The sender.', '+15005550100'),
  DateSent: text('The day (UTC) on which it was sent, or a time on that day.', '2026-11-24'),
  'DateSent<': text('Sent at this time or before; of a date, at its beginning.', '2026-11-24'),
  'DateSent>': text('Sent at this time or later.', '2026-11-24T08:00:00Z'),
  PageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `Most entries of a page; more than ${MAX_SIZE} are ${MAX_SIZE}.`,
      default: DEFAULT_SIZE,
      [RULE]: 'must be an integer from 1 on',
    }),
  ),
  Page: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: 0,
      description: 'Its number, which counts only.',
      [RULE]: 'must be an integer',
    }),
  ),
  PageToken: text('Where the page begins, as `next_page_uri` has it.', 'PASM0192f0c17d3a7c2e9b1a2f6d1c0a4e55'),
});
/** What limits a list, which the address of its next page repeats. */
export const LIST_FILTERS = ['To', 'From', 'DateSent', 'DateSent<', 'DateSent>'] as const;
type Query = Static<typeof ListQuery>;

/** A page of messages, and from where the next one goes on; null: there is none. */
export interface Page {
  messages: AnyMessage[];
  size: number;
  next: string | null;
}

/** When the messages that are asked for were sent; null: whenever. */
interface Sent {
  from: number | null;
  /** At this time still. */
  to: number | null;
}

/**
 * The page that a query asks for. Messages are read by the time of their acceptance, the newest first.
 * @param read a page of the store: `listBoth`
 * @throws {TwilioError} for a parameter that cannot be read
 */
export async function pageOf(
  read: (filters: BothFilters, page: { before: string | null; limit: number }) => ReturnType<typeof listBoth>,
  accountId: string,
  query: Query,
): Promise<Page> {
  const size = Math.min(query.PageSize ?? DEFAULT_SIZE, MAX_SIZE);
  const sent = sentOf(query);
  const filter = filterOf(accountId, query, sent);
  let next: string | null = tokenOf(query.PageToken);
  const messages: AnyMessage[] = [];
  for (let reads = 0; reads < MOST_READS; reads += 1) {
    const page = await read(filter, { before: next, limit: size - messages.length });
    messages.push(
      ...page.messages.filter((each) => wasSent(each.received?.receivedAt ?? each.sent?.sentAt ?? null, sent)),
    );
    next = page.next;
    if (next === null || messages.length >= size) break;
  }
  return { messages, size, next };
}

/** The token of a page, of the id that it goes on below. */
export function pageToken(next: string): string {
  return `PA${sidOf('SM', next)}`;
}

function tokenOf(token: string | undefined): string | null {
  if (!token) return null;
  const id = token.startsWith('PA') ? idOfSid(token.slice(2), 'SM') : null;
  if (id === null) throw badParameter(20422, 'PageToken', 'must be that of next_page_uri');
  return id;
}

function wasSent(sentAt: Date | null, { from, to }: Sent): boolean {
  if (from === null && to === null) return true;
  if (sentAt === null) return false;
  // To the second, as the answer tells it.
  const time = Math.floor(sentAt.getTime() / 1000) * 1000;
  return (from === null || time >= from) && (to === null || time <= to);
}

function sentOf(query: Query): Sent {
  const day = momentOf('DateSent', query.DateSent);
  const from = momentOf('DateSent>', query['DateSent>']);
  const to = momentOf('DateSent<', query['DateSent<']);
  if (day === null) return { from, to };
  const begin = Math.floor(day / DAY_MS) * DAY_MS;
  const end = begin + DAY_MS - 1;
  return { from: Math.max(begin, from ?? begin), to: Math.min(end, to ?? end) };
}

function momentOf(field: string, value: string | undefined): number | null {
  if (!value) return null;
  const moment = readTimestamp(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value);
  if (!moment)
    throw badParameter(20422, field, 'must be a date such as 2026-11-24, or a time such as 2026-11-24T08:00:00Z');
  return moment.getTime();
}

function filterOf(accountId: string, { To: to, From: from }: Query, sent: Sent): BothFilters {
  const [recipient, sender] = [addressOf(to), addressOf(from)];
  const number = recipient && (isUserId(recipient.address) ? recipient.address : extractDigits(recipient.address));
  if (recipient && number === null) throw badParameter(20422, 'To', 'must be a phone number in E.164');
  if (recipient && sender && recipient.kind !== sender.kind) {
    throw badParameter(20422, 'From', 'must be of WhatsApp where To is, and of SMS where To is');
  }
  const kind = recipient?.kind ?? sender?.kind ?? null;
  return {
    sent: {
      ...filterForAccount(accountId),
      surface: 'a',
      recipient: number,
      // Numbers are kept in digits.
      sender: sender?.address.replace(/^\+(?=\d+$)/, '') ?? null,
      kind,
      createdFrom: sent.from === null ? null : new Date(Math.max(0, sent.from - LONGEST_WAIT_MS)),
      createdTo: afterSecondOf(sent.to),
    },
    received: receivedFilter(accountId, { recipient: number, sender, kind }, sent),
  };
}

/** The end of a second, as far as the store knows years. */
function afterSecondOf(time: number | null): Date | null {
  return time === null ? null : new Date(Math.min(time + 1000, LAST_MOMENT));
}

/** Null where nobody can have written so: a contact has a number or a user id, and writes to the number of a channel. */
function receivedFilter(
  accountId: string,
  { recipient, sender, kind }: { recipient: string | null; sender: Address | null; kind: InboundFilter['kind'] },
  sent: Sent,
): InboundFilter | null {
  const who = sender && writerOf(sender.address);
  if ((sender && !who) || (recipient !== null && isUserId(recipient))) return null;
  return {
    accountId,
    from: who,
    to: recipient,
    kind,
    receivedFrom: sent.from === null ? null : new Date(sent.from),
    receivedTo: afterSecondOf(sent.to),
  };
}

function writerOf(address: string): InboundFilter['from'] {
  if (isUserId(address)) return { userId: address };
  const phone = /^\+?[\d\s().-]+$/.test(address) ? extractDigits(address) : null;
  return phone === null ? null : { phone };
}

interface Address {
  address: string;
  kind: 'sms' | 'whatsapp';
}

function addressOf(value: string | undefined): Address | null {
  if (!value) return null;
  const address = value.trim().replace(/^whatsapp:/i, '');
  return { address, kind: address === value.trim() ? 'sms' : 'whatsapp' };
}
