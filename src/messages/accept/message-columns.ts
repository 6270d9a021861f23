import type { MessageContent } from '../../carriers/content.js';
import { readNotes } from '../compose/notes.js';
import type { SendRequest } from '../compose/send-request.js';
import type { PendingRequest } from './pending-request.js';

export type ColumnValue = string | number | bigint | boolean | Date | object | null;

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
  /** Copied to the fallback SMS of a WhatsApp message. */
  carried?: true;
  erased?: string;
}

type PerRequest = (pending: PendingRequest) => ColumnValue;
type PerMessage = (pending: PendingRequest, index: number) => ColumnValue;

/**
 * The value comes from the request (`common`) or from the message (`each`); with both, a null from `each` falls back to
 * `common`.
 *
 * `plain` defines how the statement for plain sends writes the column. `each`: one value per message. `same`: one value
 * per batch, so different values need the general statement. `never`: not at all, so any value needs the general one.
 */
export type Column = ColumnRule &
  (
    | { common: PerRequest; each?: undefined; plain: 'each' | 'same' | 'never' }
    | { common?: undefined; each: PerMessage; plain: 'each' | 'never' }
    | { common: PerRequest; each: PerMessage; plain: 'same' | 'never' }
  );

/**
 * This table generates the accepting statements, the fields copied to a fallback, those read back for a repeated
 * request, and those that erasure blanks.
 */
export const MESSAGE_COLUMNS = {
  id: { type: 'uuid', each: ({ ids }, index) => ids[index] as string, plain: 'each' },
  account_id: { type: 'uuid', common: ({ request }) => request.account.id, plain: 'same' },
  channel_id: { type: 'uuid', common: ({ request }) => request.channelId, plain: 'never' },
  created_at: { type: 'timestamptz', common: ({ acceptedAt }) => acceptedAt, plain: 'each' },
  valid_until: { type: 'timestamptz', common: ({ validUntil }) => validUntil, plain: 'each' },
  price_micros: { type: 'bigint', each: ({ prices }, index) => prices[index] as bigint, plain: 'each' },
  surface: { type: 'surface', common: ({ request }) => request.surface, plain: 'same' },
  kind: { type: 'channel_kind', common: ({ request }) => request.kind, plain: 'same' },
  priority: { type: 'smallint', common: ({ request }) => request.priority, plain: 'each', carried: true },
  parts: { type: 'smallint', common: ({ parts }) => parts, plain: 'each' },
  recipient_plus: {
    type: 'boolean',
    each: (pending, index) => recipientAt(pending, index).plus,
    plain: 'each',
    carried: true,
  },
  carrier: {
    type: 'text',
    common: ({ request }) => request.carrier,
    each: ({ carriers }, index) => carriers?.[index] ?? null,
    plain: 'same',
  },
  sender: { type: 'text', common: ({ request }) => request.sender, plain: 'each' },
  recipient: {
    type: 'text',
    each: (pending, index) => recipientAt(pending, index).digits,
    plain: 'each',
    carried: true,
    erased: '$2',
  },
  body: { type: 'text', common: ({ request }) => request.body, plain: 'each', carried: true, erased: "''" },
  content: {
    type: 'jsonb',
    common: ({ request }): MessageContent | null => request.content,
    plain: 'never',
    erased: 'NULL',
  },
  contact_id: {
    type: 'uuid',
    each: (pending, index) => recipientAt(pending, index).contactId ?? null,
    plain: 'never',
    erased: 'NULL',
  },
  conversation_id: {
    type: 'uuid',
    each: (pending, index) => recipientAt(pending, index).conversationId ?? null,
    plain: 'never',
    erased: 'NULL',
  },
  campaign_id: { type: 'uuid', common: ({ request }) => request.campaignId ?? null, plain: 'never' },
  scheduled_at: { type: 'timestamptz', common: ({ request }) => request.scheduledAt ?? null, plain: 'never' },
  reference: {
    type: 'text',
    common: ({ request }) => request.notes?.reference ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  metadata: {
    type: 'jsonb',
    common: ({ request }) => request.notes?.metadata ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  callback_url: {
    type: 'text',
    common: ({ request }) => request.notes?.callback?.url ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  callback_id: {
    type: 'uuid',
    common: ({ request }) => request.notes?.callback?.id ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  request_id: {
    type: 'text',
    common: ({ request }) => request.origin?.requestId ?? null,
    plain: 'each',
    carried: true,
  },
  traceparent: {
    type: 'text',
    common: ({ request }) => request.origin?.traceparent ?? null,
    plain: 'each',
    carried: true,
  },
  verification_id: {
    type: 'uuid',
    common: ({ request }) => request.verificationId ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  key_id: { type: 'uuid', common: ({ request }) => request.account.key?.id ?? null, plain: 'each', carried: true },
} satisfies Readonly<Record<string, Column>>;

type Columns = typeof MESSAGE_COLUMNS;
export type ColumnName = keyof Columns;
type ValueOf<C> = C extends
  | { common: (pending: never) => infer V }
  | { each: (pending: never, index: number) => infer V }
  ? V
  : never;
type CarriedName = { [K in ColumnName]: Columns[K] extends { carried: true } ? K : never }[ColumnName];

export type SharedColumnName = { [K in ColumnName]: Columns[K] extends { plain: 'same' } ? K : never }[ColumnName];

export type CarriedRow = { [K in CarriedName]: ValueOf<Columns[K]> };

export const COLUMN_ENTRIES = Object.entries(MESSAGE_COLUMNS) as [ColumnName, Column][];

/** SELECT list for CarriedRow, from a row source `m`. */
export const CARRIED_COLUMNS = COLUMN_ENTRIES.filter(([, { carried }]) => carried)
  .map(([name]) => `m.${name}`)
  .join(', ');

export function readCarried(
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

/** SET list that erases a message; `$2` is the calling code. */
export const ERASED_COLUMNS = COLUMN_ENTRIES.filter(([, { erased }]) => erased)
  .map(([name, { erased }]) => `${name} = ${erased}`)
  .join(', ');

function recipientAt({ request }: PendingRequest, index: number) {
  return request.recipients[index] as SendRequest['recipients'][number];
}
