import type { InboundChannel, InboundReport } from '../../carriers/inbound-message.js';
import type { TEST_EVENT, WebhookEventType } from './event-types.js';

/** A contact as the API shows it. Its fields are those of `ContactRecord` in features/contacts. */
export interface ContactView {
  id: string;
}

export type ContactChange =
  | { change: 'created' | 'updated' }
  | { change: 'added_to_group' | 'removed_from_group'; groupId: string };

export interface CompletedRun {
  runId: string;
  automationId: string;
  channelId: string;
  contactId: string;
  phone: string | null;
  userId: string | null;
  username: string | null;
  status: 'completed' | 'failed' | 'canceled';
  errorMessage: string | null;
  startedAt: Date;
  completedAt: Date;
}

/** Facts about an inbound message. */
export interface InboundMessageFacts {
  messageId: string;
  channel: InboundChannel;
  contactId: string;
  conversationId: string;
  /** Known identifiers of the contact. */
  sender: { phone: string | null; userId: string | null; username: string | null };
  report: InboundReport;
}

/** A message that its author deleted. */
export interface RevokedMessage {
  messageId: string;
  channel: InboundChannel;
  /** Null if the contact was deleted. */
  contactId: string | null;
  conversationId: string | null;
  /** Sent from the channel's number outside Heliograph, such as in the WhatsApp app. Otherwise the contact sent it. */
  isOwn: boolean;
  /** Known identifiers of the contact. */
  contact: { phone: string | null; userId: string | null; username: string | null };
  carrierMessageId: string;
}

/** A message whose text was edited. */
export interface EditedMessage extends RevokedMessage {
  now: { type: string; text: string; payload: object };
}

/** A hold: numbers that the account may not message for now. */
export interface SendingHoldFacts {
  holdId: string;
  accountId: string;
  /** First digits of the held numbers. */
  prefix: string;
  reason: string;
  /** Number of messages that led to the hold. */
  messages: number;
  until: Date;
}

/** Facts from which `buildEventBody` builds the bodies of events. Bodies of other events are built in SQL. */
interface EventFacts {
  'message.received': InboundMessageFacts;
  'message.edited': EditedMessage;
  'message.revoked': RevokedMessage;
  'contact.updated': { contact: ContactView; channelId: string; changed: ContactChange };
  'contact.deleted': { contact: ContactView; channelId: string };
  'contact.merged': { contact: ContactView; channelId: string; mergedContactId: string };
  'automation.completed': CompletedRun;
  'account.sending_held': SendingHoldFacts;
  [TEST_EVENT]: { webhookId: string; channelId: string | null };
}

/** Events whose bodies are built from facts. */
export type EmittedEvent = keyof EventFacts;
export type FactsFor<T extends EmittedEvent> = EventFacts[T];

/** Builds `data` of each event, as documented in docs/webhooks.md. */
const BODIES: { [T in EmittedEvent]: (facts: EventFacts[T]) => object } = {
  'message.received': ({ messageId, channel, contactId, conversationId, sender, report }) => ({
    messageId,
    channel: channel.kind,
    channelId: channel.id,
    contactId,
    conversationId,
    from: sender.phone,
    userId: sender.userId,
    username: sender.username,
    to: channel.phoneNumber,
    type: report.type,
    text: report.body,
    payload: report.payload,
    carrierMessageId: report.carrierMessageId,
  }),
  'message.edited': ({ now, ...message }) => ({ ...buildCorrectionBody(message), ...now }),
  'message.revoked': buildCorrectionBody,
  'contact.updated': ({ contact, channelId, changed }) => ({ ...contact, channelId, ...changed }),
  'contact.deleted': ({ contact, channelId }) => ({ ...contact, channelId }),
  'contact.merged': ({ contact, channelId, mergedContactId }) => ({ ...contact, channelId, mergedContactId }),
  'automation.completed': (run) => ({
    runId: run.runId,
    automationId: run.automationId,
    channelId: run.channelId,
    contactId: run.contactId,
    phone: run.phone,
    userId: run.userId,
    username: run.username,
    status: run.status,
    errorMessage: run.errorMessage,
    startedAt: run.startedAt,
    completedAt: run.completedAt,
  }),
  'account.sending_held': ({ holdId, accountId, prefix, reason, messages, until }) => ({
    holdId,
    accountId,
    prefix: `+${prefix}`,
    reason,
    messages,
    until,
  }),
  'webhook.test': ({ webhookId, channelId }) => ({ webhookId, channelId }),
};

function buildCorrectionBody(message: RevokedMessage) {
  const { messageId, channel, contactId, conversationId, isOwn, contact, carrierMessageId } = message;
  const [from, to] = isOwn ? [channel.phoneNumber, contact.phone] : [contact.phone, channel.phoneNumber];
  return {
    messageId,
    direction: isOwn ? 'outbound' : 'inbound',
    ...{ channel: channel.kind, channelId: channel.id, contactId, conversationId },
    ...{ from, to, userId: contact.userId, username: contact.username, carrierMessageId },
  };
}

/** The `data` of an event as JSON; times are ISO 8601. */
export function buildEventBody<T extends EmittedEvent>(type: T, facts: EventFacts[T]): string {
  return JSON.stringify(BODIES[type](facts));
}

/** SQL: the recipient of `messages m` is a WhatsApp user ID, which starts with a letter. */
const IS_ID = `m.recipient ~ '^[A-Z]'`;

/** Bodies built by the statement that creates the event: SQL by field. */
const SQL_BODIES = {
  // Over `messages m` and the status it `reached`.
  'message.status': {
    messageId: 'm.id',
    channel: 'm.kind',
    channelId: 'm.channel_id',
    contactId: 'm.contact_id',
    conversationId: 'm.conversation_id',
    from: 'm.sender',
    to: `CASE WHEN ${IS_ID} THEN NULL ELSE m.recipient END`,
    userId: `CASE WHEN m.contact_id IS NULL THEN CASE WHEN ${IS_ID} THEN m.recipient END
      ELSE coalesce((SELECT c.user_id FROM contacts c WHERE c.id = m.contact_id), CASE WHEN ${IS_ID} THEN m.recipient END) END`,
    username: '(SELECT c.username FROM contacts c WHERE c.id = m.contact_id)',
    status: 'reached.status',
    carrierMessageId: 'm.carrier_message_id',
    errorCode: 'CASE WHEN reached.status = m.status::text THEN m.error_code END',
    errorMessage: 'CASE WHEN reached.status = m.status::text THEN m.error_message END',
    reference: 'm.reference',
    metadata: 'm.metadata',
  },
  // Over `accounts a`.
  'account.balance_low': {
    accountId: 'a.id',
    balance: 'trim_scale(a.balance_micros / 1000000.0)',
    threshold: 'trim_scale(a.low_balance_micros / 1000000.0)',
    currency: 'a.currency',
  },
} satisfies Record<Exclude<WebhookEventType, EmittedEvent>, Record<string, string>>;

/** SQL for the `data` of an event. */
export function eventBodySql(type: keyof typeof SQL_BODIES): string {
  return `jsonb_build_object(${Object.entries(SQL_BODIES[type])
    .map(([field, source]) => `'${field}', ${source}`)
    .join(', ')})`;
}

type StatusField = keyof (typeof SQL_BODIES)['message.status'];
/** Fields erased from every message, and from WhatsApp messages, whose carrier IDs contain the number. */
const ERASED: readonly StatusField[] = ['errorMessage', 'reference', 'metadata', 'userId', 'username'];
const ERASED_OF_WHATSAPP: StatusField = 'carrierMessageId';

/**
 * SQL for an erased `data` of a `message.status`. The pending webhook is still delivered, with the message ID and its
 * status.
 * @param callingCode SQL
 */
export function blankStatusSql(callingCode: string): string {
  const blank = ERASED.map((field) => `'${field}', NULL`).join(', ');
  return `data || jsonb_build_object('to', ${callingCode}, ${blank})
   || CASE WHEN data ->> 'channel' = 'whatsapp' THEN '{"${ERASED_OF_WHATSAPP}": null}'::jsonb ELSE '{}'::jsonb END`;
}
