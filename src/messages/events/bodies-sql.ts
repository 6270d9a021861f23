import type { EmittedEvent, WebhookEventType } from './webhook-events.js';

const IS_USER_ID = `m.recipient ~ '^[A-Z]'`;

const SQL_BODIES = {
  'message.status': {
    messageId: 'm.id',
    channel: 'm.kind',
    channelId: 'm.channel_id',
    contactId: 'm.contact_id',
    conversationId: 'm.conversation_id',
    from: 'm.sender',
    to: `CASE WHEN ${IS_USER_ID} THEN NULL ELSE m.recipient END`,
    userId: `CASE WHEN m.contact_id IS NULL THEN CASE WHEN ${IS_USER_ID} THEN m.recipient END
      ELSE coalesce((SELECT c.user_id FROM contacts c WHERE c.id = m.contact_id), CASE WHEN ${IS_USER_ID} THEN m.recipient END) END`,
    username: '(SELECT c.username FROM contacts c WHERE c.id = m.contact_id)',
    status: 'reached.status',
    carrierMessageId: 'm.carrier_message_id',
    errorCode: 'CASE WHEN reached.status = m.status::text THEN m.error_code END',
    errorMessage: 'CASE WHEN reached.status = m.status::text THEN m.error_message END',
    reference: 'm.reference',
    metadata: 'm.metadata',
  },
  'account.balance_low': {
    accountId: 'a.id',
    balance: 'trim_scale(a.balance_micros / 1000000.0)',
    threshold: 'trim_scale(a.low_balance_micros / 1000000.0)',
    currency: 'a.currency',
  },
} satisfies Record<Exclude<WebhookEventType, EmittedEvent>, Record<string, string>>;

export function eventBodySql(type: keyof typeof SQL_BODIES): string {
  return `jsonb_build_object(${Object.entries(SQL_BODIES[type])
    .map(([field, source]) => `'${field}', ${source}`)
    .join(', ')})`;
}

type StatusField = keyof (typeof SQL_BODIES)['message.status'];
const ERASED_FIELDS: readonly StatusField[] = ['errorMessage', 'reference', 'metadata', 'userId', 'username'];
/** This field is erased because the ID of a WhatsApp message contains the recipient's number. */
const ERASED_WHATSAPP_FIELD: StatusField = 'carrierMessageId';

/**
 * Builds SQL that erases personal data from a status event but keeps the status, because the customer's endpoint may be waiting
 * for the event.
 * @param callingCode SQL for the digits that replace the number
 */
export function blankStatusSql(callingCode: string): string {
  const blank = ERASED_FIELDS.map((field) => `'${field}', NULL`).join(', ');
  return `data || jsonb_build_object('to', ${callingCode}, ${blank})
   || CASE WHEN data ->> 'channel' = 'whatsapp' THEN '{"${ERASED_WHATSAPP_FIELD}": null}'::jsonb ELSE '{}'::jsonb END`;
}
