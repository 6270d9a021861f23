import type { MessageContent } from '../../carriers/content.js';
import { readNotes } from '../compose/notes.js';
import { toStoredPurpose } from '../compose/purpose.js';
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
  | 'channel_kind'
  | 'message_purpose';

interface ColumnRule {
  type: ColumnType;
  /** Whether the column is copied to the fallback SMS of a WhatsApp message. */
  carried?: true;
  erased?: string;
}

type PerRequest = (pending: PendingRequest) => ColumnValue;
type PerMessage = (pending: PendingRequest, index: number) => ColumnValue;

/**
 * `perRequest` reads the value from the request and `perMessage` from the message. If both are set, a null from `perMessage`
 * falls back to `perRequest`.
 *
 * `plain` defines how many values of the column the statement for plain sends writes: one per message, one per batch, or none.
 * Batches that need more values use the general statement.
 */
export type Column = ColumnRule &
  (
    | { perRequest: PerRequest; perMessage?: undefined; plain: 'per-message' | 'per-batch' | 'never' }
    | { perRequest?: undefined; perMessage: PerMessage; plain: 'per-message' | 'never' }
    | { perRequest: PerRequest; perMessage: PerMessage; plain: 'per-batch' | 'never' }
  );

/**
 * The statements that accept, read back and erase messages are generated from this table, and so is the list of fields copied
 * to a fallback.
 */
export const MESSAGE_COLUMNS = {
  id: { type: 'uuid', perMessage: ({ ids }, index) => ids[index] as string, plain: 'per-message' },
  account_id: { type: 'uuid', perRequest: ({ request }) => request.account.id, plain: 'per-batch' },
  channel_id: { type: 'uuid', perRequest: ({ request }) => request.channelId, plain: 'never' },
  created_at: { type: 'timestamptz', perRequest: ({ acceptedAt }) => acceptedAt, plain: 'per-message' },
  valid_until: { type: 'timestamptz', perRequest: ({ validUntil }) => validUntil, plain: 'per-message' },
  price_micros: { type: 'bigint', perMessage: ({ prices }, index) => prices[index] as bigint, plain: 'per-message' },
  surface: { type: 'surface', perRequest: ({ request }) => request.surface, plain: 'per-batch' },
  kind: { type: 'channel_kind', perRequest: ({ request }) => request.kind, plain: 'per-batch' },
  priority: { type: 'smallint', perRequest: ({ request }) => request.priority, plain: 'per-message', carried: true },
  parts: { type: 'smallint', perRequest: ({ parts }) => parts, plain: 'per-message' },
  recipient_plus: {
    type: 'boolean',
    perMessage: (pending, index) => getRecipient(pending, index).plus,
    plain: 'per-message',
    carried: true,
  },
  carrier: {
    type: 'text',
    perRequest: ({ request }) => request.carrier,
    perMessage: ({ carriers }, index) => carriers?.[index] ?? null,
    plain: 'per-batch',
  },
  sender: { type: 'text', perRequest: ({ request }) => request.sender, plain: 'per-message' },
  recipient: {
    type: 'text',
    perMessage: (pending, index) => getRecipient(pending, index).digits,
    plain: 'per-message',
    carried: true,
    erased: '$2',
  },
  body: { type: 'text', perRequest: ({ request }) => request.body, plain: 'per-message', carried: true, erased: "''" },
  content: {
    type: 'jsonb',
    perRequest: ({ request }): MessageContent | null => request.content,
    plain: 'never',
    erased: 'NULL',
  },
  contact_id: {
    type: 'uuid',
    perMessage: (pending, index) => getRecipient(pending, index).contactId ?? null,
    plain: 'never',
    erased: 'NULL',
  },
  conversation_id: {
    type: 'uuid',
    perMessage: (pending, index) => getRecipient(pending, index).conversationId ?? null,
    plain: 'never',
    erased: 'NULL',
  },
  campaign_id: { type: 'uuid', perRequest: ({ request }) => request.campaignId ?? null, plain: 'never' },
  campaign_variant: {
    type: 'smallint',
    perRequest: ({ request }) => request.campaignVariant ?? null,
    plain: 'never',
  },
  scheduled_at: { type: 'timestamptz', perRequest: ({ request }) => request.scheduledAt ?? null, plain: 'never' },
  reference: {
    type: 'text',
    perRequest: ({ request }) => request.notes?.reference ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  metadata: {
    type: 'jsonb',
    perRequest: ({ request }) => request.notes?.metadata ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  callback_url: {
    type: 'text',
    perRequest: ({ request }) => request.notes?.callback?.url ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  callback_id: {
    type: 'uuid',
    perRequest: ({ request }) => request.notes?.callback?.id ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  request_id: {
    type: 'text',
    perRequest: ({ request }) => request.origin?.requestId ?? null,
    plain: 'per-message',
    carried: true,
  },
  traceparent: {
    type: 'text',
    perRequest: ({ request }) => request.origin?.traceparent ?? null,
    plain: 'per-message',
    carried: true,
  },
  verification_id: {
    type: 'uuid',
    perRequest: ({ request }) => request.verificationId ?? null,
    plain: 'never',
    carried: true,
    erased: 'NULL',
  },
  key_id: {
    type: 'uuid',
    perRequest: ({ request }) => request.account.key?.id ?? null,
    plain: 'per-message',
    carried: true,
  },
  purpose: {
    type: 'message_purpose',
    perRequest: ({ request }) => toStoredPurpose(request),
    plain: 'never',
    carried: true,
  },
  is_capped: { type: 'boolean', perRequest: ({ frequencyCap }) => (frequencyCap ? true : null), plain: 'never' },
  ignores_opt_out: { type: 'boolean', perRequest: ({ request }) => request.ignoresOptOut ?? null, plain: 'never' },
} satisfies Readonly<Record<string, Column>>;

type Columns = typeof MESSAGE_COLUMNS;
export type ColumnName = keyof Columns;
type ValueOf<C> = C extends
  | { perRequest: (pending: never) => infer V }
  | { perMessage: (pending: never, index: number) => infer V }
  ? V
  : never;
type CarriedName = { [K in ColumnName]: Columns[K] extends { carried: true } ? K : never }[ColumnName];

export type SharedColumnName = { [K in ColumnName]: Columns[K] extends { plain: 'per-batch' } ? K : never }[ColumnName];

export type CarriedRow = { [K in CarriedName]: ValueOf<Columns[K]> };

export const COLUMN_ENTRIES = Object.entries(MESSAGE_COLUMNS) as [ColumnName, Column][];

/** SELECT list for a CarriedRow, from a row source `m`. */
export const CARRIED_COLUMNS = COLUMN_ENTRIES.filter(([, { carried }]) => carried)
  .map(([name]) => `m.${name}`)
  .join(', ');

export function readCarried(
  row: CarriedRow,
): Pick<SendRequest, 'recipients' | 'body' | 'priority' | 'notes' | 'origin' | 'verificationId' | 'purpose'> {
  const { recipient, recipient_plus, body, priority, callback_id, callback_url, request_id, traceparent } = row;
  const { verification_id, purpose } = row;
  const callback = callback_id === null || callback_url === null ? null : { id: callback_id, url: callback_url };
  return {
    recipients: [{ digits: recipient, plus: recipient_plus }],
    body,
    priority,
    notes: readNotes(row, callback),
    origin: request_id === null ? undefined : { requestId: request_id, traceparent },
    ...(verification_id !== null && { verificationId: verification_id }),
    ...(purpose !== null && { purpose }),
  };
}

/** SET list that erases a message, with the calling code as `$2`. */
export const ERASED_COLUMNS = COLUMN_ENTRIES.filter(([, { erased }]) => erased)
  .map(([name, { erased }]) => `${name} = ${erased}`)
  .join(', ');

function getRecipient({ request }: PendingRequest, index: number) {
  return request.recipients[index] as SendRequest['recipients'][number];
}
