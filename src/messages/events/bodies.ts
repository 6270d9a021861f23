import type { InboundChannel, InboundReport } from '../../carriers/inbound-message.js';
import type { TEST_EVENT, WebhookEventType } from './event-types.js';

/** A contact as the interface and its events show it. */
export interface ToldContact {
  id: string;
  /** Digits with country code; null of one who is known by an id alone. */
  phone: string | null;
  /** Meta's id of the person to the business, and what the person calls itself on WhatsApp. */
  userId: string | null;
  username: string | null;
  name: string;
  email: string;
  /** It wants no messages from its channel. */
  optedOut: boolean;
  /** ISO 8601, as is `updatedAt`. */
  createdAt: string;
  updatedAt: string;
}

/** What happened to a contact that is still there. */
export type ContactChanged =
  | { change: 'created' | 'updated' }
  | { change: 'added_to_group' | 'removed_from_group'; groupId: string };

/** A run of an automation that has ended. */
export interface EndedRun {
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

/** An inbound message that was stored. */
export interface StoredInbound {
  messageId: string;
  channel: InboundChannel;
  contactId: string;
  conversationId: string;
  /** Who wrote, as far as it is known. */
  sender: { phone: string | null; userId: string | null; username: string | null };
  report: InboundReport;
}

/** A message that somebody took back. */
export interface RevokedMessage {
  messageId: string;
  channel: InboundChannel;
  /** Null where the contact was deleted. */
  contactId: string | null;
  conversationId: string | null;
  /** It is one of ours, which was sent elsewhere; else the contact wrote it. */
  isOwn: boolean;
  /** As far as it is known. */
  contact: { phone: string | null; userId: string | null; username: string | null };
  carrierMessageId: string;
}

/** A message that says something else by now. */
export interface EditedMessage extends RevokedMessage {
  now: { type: string; text: string; payload: object };
}

/** Numbers that an account does not write to for a while. */
export interface HeldSending {
  holdId: string;
  accountId: string;
  /** With which they begin. */
  prefix: string;
  reason: string;
  /** How many messages there were for it. */
  messages: number;
  until: Date;
}

/** The facts that the body of an event is made of, where it is made by us and not by a statement. */
interface EventFacts {
  'message.received': StoredInbound;
  'message.edited': EditedMessage;
  'message.revoked': RevokedMessage;
  'contact.updated': { contact: ToldContact; channelId: string; changed: ContactChanged };
  'contact.deleted': { contact: ToldContact; channelId: string };
  'contact.merged': { contact: ToldContact; channelId: string; mergedContactId: string };
  'automation.completed': EndedRun;
  'account.sending_held': HeldSending;
  [TEST_EVENT]: { webhookId: string; channelId: string | null };
}

/** Events whose bodies are made of facts. */
export type EmittedEvent = keyof EventFacts;
export type FactsOf<T extends EmittedEvent> = EventFacts[T];

/** `data` of the body of each event, as docs/webhooks.md tells it; JSON, without internals. */
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
  'message.edited': ({ now, ...message }) => ({ ...correctedOf(message), ...now }),
  'message.revoked': correctedOf,
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

function correctedOf(message: RevokedMessage) {
  const { messageId, channel, contactId, conversationId, isOwn, contact, carrierMessageId } = message;
  const [from, to] = isOwn ? [channel.phoneNumber, contact.phone] : [contact.phone, channel.phoneNumber];
  return {
    messageId,
    direction: isOwn ? 'outbound' : 'inbound',
    ...{ channel: channel.kind, channelId: channel.id, contactId, conversationId },
    ...{ from, to, userId: contact.userId, username: contact.username, carrierMessageId },
  };
}

/** The body of an event that is made of facts, as JSON, in which times are ISO 8601. */
export function bodyOf<T extends EmittedEvent>(type: T, facts: EventFacts[T]): string {
  return JSON.stringify(BODIES[type](facts));
}

/** The recipient is a user id of WhatsApp, which begins with a letter. As SQL, of `messages m`. */
const IS_ID = `m.recipient ~ '^[A-Z]'`;

/** Events whose bodies are made by the statement that makes the event: fields and where they come from, as SQL. */
const SQL_BODIES = {
  // Of `messages m` and the status that it `reached`.
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
  // Of `accounts a`.
  'account.balance_low': {
    accountId: 'a.id',
    balance: 'trim_scale(a.balance_micros / 1000000.0)',
    threshold: 'trim_scale(a.low_balance_micros / 1000000.0)',
    currency: 'a.currency',
  },
} satisfies Record<Exclude<WebhookEventType, EmittedEvent>, Record<string, string>>;

/** The body of an event that a statement makes, as SQL. */
export function bodySql(type: keyof typeof SQL_BODIES): string {
  return `jsonb_build_object(${Object.entries(SQL_BODIES[type])
    .map(([field, source]) => `'${field}', ${source}`)
    .join(', ')})`;
}

type StatusField = keyof (typeof SQL_BODIES)['message.status'];
/** Of every message, and of those of WhatsApp, whose ids hold the number. */
const ERASED: readonly StatusField[] = ['errorMessage', 'reference', 'metadata', 'userId', 'username'];
const ERASED_OF_WHATSAPP: StatusField = 'carrierMessageId';

/**
 * What erasing a person leaves of the body `data` of a `message.status`, as SQL: whose endpoint waits for it is told which
 * message came to what.
 * @param callingCode SQL
 */
export function blankStatusSql(callingCode: string): string {
  const blank = ERASED.map((field) => `'${field}', NULL`).join(', ');
  return `data || jsonb_build_object('to', ${callingCode}, ${blank})
   || CASE WHEN data ->> 'channel' = 'whatsapp' THEN '{"${ERASED_OF_WHATSAPP}": null}'::jsonb ELSE '{}'::jsonb END`;
}
