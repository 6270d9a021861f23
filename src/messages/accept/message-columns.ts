import type { MessageContent } from '../../carriers/content.js';
import { readNotes } from '../compose/notes.js';
import type { SendRequest } from '../compose/send-request.js';
import type { PendingRequest } from './pending-request.js';

/** What a column may be told, before it is written as PostgreSQL reads it. */
export type ColumnValue = string | number | bigint | boolean | Date | object | null;

/** The types of the columns; `columns-sql.ts` knows how a value of each is written. */
export type ColumnType =
  | 'uuid'
  | 'text'
  | 'boolean'
  | 'smallint'
  | 'bigint'
  | 'timestamptz'
  | 'jsonb'
  | 'surface'
  | 'channel_kind';

interface ColumnRule {
  type: ColumnType;
  /** The SMS that a message falls back to takes it over: see `carriedOf`. */
  carried?: true;
  /** What erasing its person leaves of it, as SQL; `$2` is the calling code. It stays where nothing is said. */
  erased?: string;
}

/** What all messages of a request have in common. */
type Common = (pending: PendingRequest) => ColumnValue;
/** What each has for itself. */
type Own = (pending: PendingRequest, index: number) => ColumnValue;

/**
 * A column of `messages` that is written when a message is accepted. With `of` and `each`, null of the second stands for the
 * first. `plain` says what the statement of plain sends does with it: `each`, it takes a value for each message; `same`, one
 * for all of the batch, and a batch in which it differs is not plain; `never`, nothing, and a send that has it is not plain.
 */
export type Column = ColumnRule &
  (
    | { of: Common; each?: undefined; plain: 'each' | 'same' | 'never' }
    | { of?: undefined; each: Own; plain: 'each' | 'never' }
    | { of: Common; each: Own; plain: 'same' | 'never' }
  );

/**
 * The columns of `messages` that accepting fills, each with its type and where its value comes from. The statements that
 * accept are made of this table when their modules are loaded (`columns-sql.ts`), and so are what they bind, what a fallback
 * takes over, what a repeated answer reads back, and what erasing blanks. A new field of a message is a line here; the recipe
 * is in CONTRIBUTING.md.
 */
export const MESSAGE_COLUMNS = {
  id: { type: 'uuid', each: ({ ids }, index) => ids[index] as string, plain: 'each' },
  account_id: { type: 'uuid', of: ({ request }) => request.account.id, plain: 'same' },
  channel_id: { type: 'uuid', of: ({ request }) => request.channelId, plain: 'never' },
  created_at: { type: 'timestamptz', of: ({ acceptedAt }) => acceptedAt, plain: 'each' },
  valid_until: { type: 'timestamptz', of: ({ validUntil }) => validUntil, plain: 'each' },
  price_micros: { type: 'bigint', each: ({ prices }, index) => prices[index] as bigint, plain: 'each' },
  surface: { type: 'surface', of: ({ request }) => request.surface, plain: 'same' },
  kind: { type: 'channel_kind', of: ({ request }) => request.kind, plain: 'same' },
  priority: { type: 'smallint', of: ({ request }) => request.priority, plain: 'each', carried: true },
  parts: { type: 'smallint', of: ({ parts }) => parts, plain: 'each' },
  recipient_plus: { type: 'boolean', each: (pending, index) => to(pending, index).plus, plain: 'each', carried: true },
  carrier: {
    type: 'text',
    of: ({ request }) => request.carrier,
    each: ({ carriers }, index) => carriers?.[index] ?? null,
    plain: 'same',
  },
  sender: { type: 'text', of: ({ request }) => request.sender, plain: 'each' },
  recipient: {
    type: 'text',
    each: (pending, index) => to(pending, index).digits,
    plain: 'each',
    carried: true,
    erased: '$2',
  },
  body: { type: 'text', of: ({ request }) => request.body, plain: 'each', carried: true, erased: "''" },
  content: {
    type: 'jsonb',
    of: ({ request }): MessageContent | null => request.content,
    plain: 'never',
    erased: 'NULL',
  },
  contact_id: {
    type: 'uuid',
    each: (pending, index) => to(pending, index).contactId ?? null,
    plain: 'never',
    erased: 'NULL',
  },
  conversation_id: {
    type: 'uuid',
    each: (pending, index) => to(pending, index).conversationId ?? null,
    plain: 'never',
    erased: 'NULL',
  },
  campaign_id: { type: 'uuid', of: ({ request }) => request.campaignId ?? null, plain: 'never' },
  scheduled_at: { type: 'timestamptz', of: ({ request }) => request.scheduledAt ?? null, plain: 'never' },
  reference: {
    type: 'text',
    of: ({ request }) => request.notes?.reference ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  metadata: {
    type: 'jsonb',
    of: ({ request }) => request.notes?.metadata ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  callback_url: {
    type: 'text',
    of: ({ request }) => request.notes?.callback?.url ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  callback_id: {
    type: 'uuid',
    of: ({ request }) => request.notes?.callback?.id ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  request_id: { type: 'text', of: ({ request }) => request.origin?.requestId ?? null, plain: 'each', carried: true },
  traceparent: { type: 'text', of: ({ request }) => request.origin?.traceparent ?? null, plain: 'each', carried: true },
  verification_id: {
    type: 'uuid',
    of: ({ request }) => request.verificationId ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  key_id: { type: 'uuid', of: ({ request }) => request.account.key?.id ?? null, plain: 'each', carried: true },
} satisfies Readonly<Record<string, Column>>;

type Columns = typeof MESSAGE_COLUMNS;
export type ColumnName = keyof Columns;
type Told<C> = C extends { of: (pending: never) => infer V } | { each: (pending: never, index: number) => infer V }
  ? V
  : never;
type CarriedName = { [K in ColumnName]: Columns[K] extends { carried: true } ? K : never }[ColumnName];

/** The columns that are one for all of a plain batch. */
export type SameName = { [K in ColumnName]: Columns[K] extends { plain: 'same' } ? K : never }[ColumnName];

/** What a fallback takes over of a message, as `pg` reads it. */
export type CarriedRow = { [K in CarriedName]: Told<Columns[K]> };

/** In the order in which statements name them. */
export const COLUMN_ENTRIES = Object.entries(MESSAGE_COLUMNS) as [ColumnName, Column][];

/** The columns of CarriedRow, of a row source `m`, for a SELECT. */
export const CARRIED_COLUMNS = COLUMN_ENTRIES.filter(([, { carried }]) => carried)
  .map(([name]) => `m.${name}`)
  .join(', ');

/** What of a send the SMS has that it falls back to. */
export function carriedOf(
  row: CarriedRow,
): Pick<SendRequest, 'recipients' | 'body' | 'priority' | 'notes' | 'origin' | 'verificationId'> {
  const { recipient, recipient_plus, body, priority, callback_id, callback_url, request_id, traceparent } = row;
  const { verification_id } = row;
  const callback = callback_id === null || callback_url === null ? null : { id: callback_id, url: callback_url };
  return {
    recipients: [{ digits: recipient, plus: recipient_plus }],
    body,
    priority,
    notes: readNotes(row, callback),
    origin: request_id === null ? undefined : { requestId: request_id, traceparent },
    ...(verification_id !== null && { verificationId: verification_id }),
  };
}

/** What erasing makes of a message, as the SET of an UPDATE whose `$2` is the calling code. */
export const ERASED_COLUMNS = COLUMN_ENTRIES.filter(([, { erased }]) => erased)
  .map(([name, { erased }]) => `${name} = ${erased}`)
  .join(', ');

function to({ request }: PendingRequest, index: number) {
  return request.recipients[index] as SendRequest['recipients'][number];
}
