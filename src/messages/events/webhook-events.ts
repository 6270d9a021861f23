import type { InboundChannel, InboundReport } from '../../carriers/inbound-message.js';

interface EventPerson {
  phone: string | null;
  userId: string | null;
  username: string | null;
}

interface ContactSnapshot {
  id: string;
}

export type ContactChange =
  | { change: 'created' | 'updated' }
  | { change: 'added_to_group' | 'removed_from_group'; groupId: string };

export interface CompletedRun extends EventPerson {
  runId: string;
  automationId: string;
  channelId: string;
  contactId: string;
  status: 'completed' | 'failed' | 'canceled';
  errorMessage: string | null;
  startedAt: Date;
  completedAt: Date;
}

interface ReceivedMessage {
  messageId: string;
  channel: InboundChannel;
  contactId: string;
  conversationId: string;
  sender: EventPerson;
  report: InboundReport;
}

interface RevokedMessage {
  messageId: string;
  channel: InboundChannel;
  contactId: string | null;
  conversationId: string | null;
  /** Whether the channel's own number sent the message, for example from the app on the phone. */
  isOutbound: boolean;
  contact: EventPerson;
  carrierMessageId: string;
}

interface EditedMessage extends RevokedMessage {
  edited: { type: string; text: string; payload: object };
}

export const OPT_OUT_SOURCES = ['keyword', 'whatsapp', 'api', 'operator'] as const;

interface OptOutDecision {
  /** Null for a person who is not a contact of the channel. */
  contactId: string | null;
  kind: InboundChannel['kind'];
  /** Null for an SMS sender ID that is not the number of a channel. */
  channelId: string | null;
  /** The number of the channel, or the SMS sender ID. */
  sender: string;
  person: EventPerson;
  /** The keyword that the person wrote; null unless `source` is keyword. */
  keyword: string | null;
  source: (typeof OPT_OUT_SOURCES)[number];
  /** What an opt-out blocks. An opt-in always allows all messages. */
  scope: 'all' | 'marketing';
}

export const CONSENT_SOURCES = ['keyword', 'whatsapp', 'import', 'api', 'form', 'double_opt_in', 'operator'] as const;
export type ConsentSource = (typeof CONSENT_SOURCES)[number];

interface RecordedConsent extends Pick<OptOutDecision, 'contactId' | 'kind' | 'channelId' | 'sender' | 'person'> {
  consentId: string;
  purpose: 'marketing' | 'transactional';
  decision: 'granted' | 'withdrawn';
  source: ConsentSource;
  decidedAt: Date;
}

interface ClickedLink {
  messageId: string;
  kind: InboundChannel['kind'];
  channelId: string | null;
  campaignId: string | null;
  /** Null after the contact was deleted. */
  contactId: string | null;
  person: EventPerson;
  /** The URL that the short link leads to. */
  url: string;
  /** Clicks by people since the previous event of the link. */
  clicks: number;
  /** All clicks by people so far. */
  totalClicks: number;
}

interface HeldSending {
  holdId: string;
  accountId: string;
  prefix: string;
  reason: string;
  messages: number;
  until: Date;
}

interface WebhookEventRule {
  forChannel: boolean;
  forAccount: boolean;
  /** Description that the console shows next to the event's checkbox. */
  description: string;
  /** Fields of `data`, besides `phone` and `userId`, that `heliograph erase` uses to find events about a person. */
  addressFields: readonly string[];
  contactIdFields: readonly string[];
  /** Builds the event's body, or null if an SQL statement builds the body (bodies-sql.ts). */
  body: ((facts: never) => object) | null;
}

/** Events in the order in which the API and the console list them. */
export const WEBHOOK_EVENTS = {
  'message.received': {
    forChannel: true,
    forAccount: true,
    description: 'A contact sent a message.',
    addressFields: ['from'],
    contactIdFields: [],
    body: ({ messageId, channel, contactId, conversationId, sender, report }: ReceivedMessage) => ({
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
  },
  'message.status': {
    forChannel: true,
    forAccount: true,
    description: 'A message was sent, delivered, read or failed.',
    addressFields: ['to'],
    contactIdFields: [],
    body: null,
  },
  'message.edited': {
    forChannel: true,
    forAccount: true,
    description: 'The author of a message changed it.',
    addressFields: ['from', 'to'],
    contactIdFields: [],
    body: ({ edited, ...message }: EditedMessage) => ({ ...describeChangedMessage(message), ...edited }),
  },
  'message.revoked': {
    forChannel: true,
    forAccount: true,
    description: 'The author of a message deleted it.',
    addressFields: ['from', 'to'],
    contactIdFields: [],
    body: (message: RevokedMessage) => describeChangedMessage(message),
  },
  'contact.updated': {
    forChannel: true,
    forAccount: false,
    description: 'A contact was created or changed.',
    addressFields: [],
    contactIdFields: ['id'],
    body: ({
      contact,
      channelId,
      changed,
    }: {
      contact: ContactSnapshot;
      channelId: string;
      changed: ContactChange;
    }) => ({
      ...contact,
      channelId,
      ...changed,
    }),
  },
  'contact.deleted': {
    forChannel: true,
    forAccount: false,
    description: 'A contact was deleted.',
    addressFields: [],
    // Erasing a person sends this event with only the contact ID, so erasure must not delete the event by that ID.
    contactIdFields: [],
    body: ({ contact, channelId }: { contact: ContactSnapshot; channelId: string }) => ({ ...contact, channelId }),
  },
  'contact.merged': {
    forChannel: true,
    forAccount: false,
    description: 'Two contacts turned out to be the same person.',
    addressFields: [],
    contactIdFields: ['id'],
    body: (facts: { contact: ContactSnapshot; channelId: string; mergedContactId: string }) => {
      const { contact, channelId, mergedContactId } = facts;
      return { ...contact, channelId, mergedContactId };
    },
  },
  'contact.opted_out': {
    forChannel: true,
    forAccount: true,
    description: 'A person opted out of messages from a sender.',
    addressFields: [],
    contactIdFields: ['contactId'],
    body: (decision: OptOutDecision) => describeDecision(decision),
  },
  'contact.opted_in': {
    forChannel: true,
    forAccount: true,
    description: 'A person who had opted out allowed messages again.',
    addressFields: [],
    contactIdFields: ['contactId'],
    body: (decision: OptOutDecision) => describeDecision(decision),
  },
  'consent.changed': {
    forChannel: true,
    forAccount: true,
    description: 'A person granted or withdrew consent to messages from a sender.',
    addressFields: [],
    contactIdFields: ['contactId'],
    body: ({ kind, person, ...consent }: RecordedConsent) => {
      const { consentId, contactId, channelId, sender, purpose, decision, source, decidedAt } = consent;
      const { phone, userId, username } = person;
      const place = { consentId, contactId, channel: kind, channelId, sender, phone, userId, username };
      return { ...place, purpose, decision, source, decidedAt: decidedAt.toISOString() };
    },
  },
  'link.clicked': {
    forChannel: true,
    forAccount: true,
    description: 'A person clicked a short link in a message.',
    addressFields: [],
    contactIdFields: ['contactId'],
    body: ({ kind, person, ...link }: ClickedLink) => {
      const { messageId, channelId, campaignId, contactId, url, clicks, totalClicks } = link;
      const { phone, userId, username } = person;
      return {
        messageId,
        channel: kind,
        channelId,
        campaignId,
        contactId,
        phone,
        userId,
        username,
        url,
        clicks,
        totalClicks,
      };
    },
  },
  'automation.completed': {
    forChannel: true,
    forAccount: false,
    description: 'A run of an automation finished.',
    addressFields: [],
    contactIdFields: [],
    body: (run: CompletedRun) => ({
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
  },
  'account.balance_low': {
    forChannel: false,
    forAccount: true,
    description: 'The balance fell below the threshold of the account.',
    addressFields: [],
    contactIdFields: [],
    body: null,
  },
  'account.sending_held': {
    forChannel: false,
    forAccount: true,
    description: 'Sending to some numbers is on hold because it looks like traffic pumping.',
    addressFields: [],
    contactIdFields: [],
    body: ({ holdId, accountId, prefix, reason, messages, until }: HeldSending) => ({
      holdId,
      accountId,
      prefix: `+${prefix}`,
      reason,
      messages,
      until,
    }),
  },
  // A test event is sent on request, regardless of the webhook's subscriptions.
  'webhook.test': {
    forChannel: false,
    forAccount: false,
    description: 'A test was requested.',
    addressFields: [],
    contactIdFields: [],
    body: ({ webhookId, channelId }: { webhookId: string; channelId: string | null }) => ({ webhookId, channelId }),
  },
} as const satisfies Readonly<Record<string, WebhookEventRule>>;

type Events = typeof WEBHOOK_EVENTS;
type EventType = keyof Events;

export const TEST_EVENT = 'webhook.test' satisfies EventType;

export type ChannelEventType = { [T in EventType]: Events[T]['forChannel'] extends true ? T : never }[EventType];
export type AccountEventType = { [T in EventType]: Events[T]['forAccount'] extends true ? T : never }[EventType];
export type WebhookEventType = ChannelEventType | AccountEventType;

export type EmittedEvent = { [T in EventType]: Events[T]['body'] extends null ? never : T }[EventType];
export type EventFacts<T extends EmittedEvent> = Parameters<NonNullable<Events[T]['body']>>[0];

export const EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as readonly EventType[];
export const CHANNEL_EVENT_TYPES = EVENT_TYPES.filter((type) => WEBHOOK_EVENTS[type].forChannel) as ChannelEventType[];
export const ACCOUNT_EVENT_TYPES = EVENT_TYPES.filter((type) => WEBHOOK_EVENTS[type].forAccount) as AccountEventType[];

/** Returns JSON with times in ISO 8601. */
export function buildEventBody<T extends EmittedEvent>(type: T, facts: EventFacts<T>): string {
  const { body } = WEBHOOK_EVENTS[type] as { body(facts: EventFacts<T>): object };
  return JSON.stringify(body(facts));
}

function describeDecision({ contactId, kind, channelId, sender, person, keyword, source, scope }: OptOutDecision) {
  const { phone, userId, username } = person;
  return { contactId, channel: kind, channelId, sender, phone, userId, username, keyword, source, scope };
}

function describeChangedMessage(message: RevokedMessage) {
  const { messageId, channel, contactId, conversationId, isOutbound, contact, carrierMessageId } = message;
  const [from, to] = isOutbound ? [channel.phoneNumber, contact.phone] : [contact.phone, channel.phoneNumber];
  return {
    messageId,
    direction: isOutbound ? 'outbound' : 'inbound',
    ...{ channel: channel.kind, channelId: channel.id, contactId, conversationId },
    ...{ from, to, userId: contact.userId, username: contact.username, carrierMessageId },
  };
}
