import { UNSET_FIELDS } from '../../../src/features/contacts/contact-fields.js';
import { resolveLocale } from '../../../src/features/contacts/locale.js';
import type { ContactRecord } from '../../../src/features/contacts/record.js';
import { buildEventBody, type EventFacts, type WEBHOOK_EVENTS } from '../../../src/messages/events/webhook-events.js';

const MESSAGE_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55';
const AT = new Date('2026-11-23T08:30:00.000Z');

export interface SamplePerson {
  contactId: string;
  phone: string | null;
  userId: string | null;
  /** Word in every text of the body that names the person or was written by them. */
  word: string;
}

export interface SampleChannel {
  channelId: string;
  accountId: string;
  phoneNumber: string;
}

type Sample = (person: SamplePerson, channel: SampleChannel) => string;

/** A JSON body of each webhook event. */
export const EVENT_SAMPLES: Readonly<Record<keyof typeof WEBHOOK_EVENTS, Sample>> = {
  'message.received': (person, channel) =>
    buildEventBody('message.received', {
      ...describeMessage(person, channel),
      sender: describePerson(person),
      report: {
        ...{ carrierMessageId: 'x', from: person.phone, profileName: 'not reported', type: 'text', body: person.word },
        ...{ payload: { body: person.word }, receivedAt: AT },
      },
    }),
  // The server builds the event's body in an SQL statement.
  'message.status': (person, { channelId, phoneNumber }) =>
    JSON.stringify({
      ...{ messageId: MESSAGE_ID, channel: 'whatsapp', channelId, contactId: person.contactId, conversationId: 'v' },
      ...{ from: phoneNumber, to: person.phone, userId: person.userId, username: person.word, status: 'failed' },
      ...{ carrierMessageId: 'x', errorCode: 'X', errorMessage: person.word, reference: person.word, metadata: null },
    }),
  'message.edited': (person, channel) =>
    buildEventBody('message.edited', {
      ...describeTarget(person, channel),
      edited: { type: 'text', text: person.word, payload: { body: person.word } },
    }),
  'message.revoked': (person, channel) => buildEventBody('message.revoked', describeTarget(person, channel)),
  'contact.updated': (person, { channelId }) =>
    buildEventBody('contact.updated', {
      contact: describeContact(person),
      channelId,
      changed: { change: 'added_to_group', groupId: 'g' },
    }),
  'contact.deleted': (person, { channelId }) =>
    buildEventBody('contact.deleted', { contact: describeContact(person), channelId }),
  'contact.merged': (person, { channelId }) =>
    buildEventBody('contact.merged', { contact: describeContact(person), channelId, mergedContactId: 'other' }),
  'contact.opted_out': (person, channel) => buildEventBody('contact.opted_out', describeOptOut(person, channel)),
  'contact.opted_in': (person, channel) => buildEventBody('contact.opted_in', describeOptOut(person, channel)),
  'consent.changed': (person, { channelId, phoneNumber: sender }) =>
    buildEventBody('consent.changed', {
      ...{
        consentId: 'n',
        contactId: person.contactId,
        kind: 'whatsapp',
        channelId,
        sender,
        person: describePerson(person),
      },
      ...{ purpose: 'marketing', decision: 'granted', source: 'form', decidedAt: AT },
    }),
  'link.clicked': (person, { channelId }) =>
    buildEventBody('link.clicked', {
      ...{ messageId: MESSAGE_ID, kind: 'whatsapp', channelId, campaignId: 'k', contactId: person.contactId },
      ...{ person: describePerson(person), url: 'https://shop.example/offers', clicks: 1, totalClicks: 3 },
    }),
  'automation.completed': (person, { channelId }) =>
    buildEventBody('automation.completed', {
      ...{ runId: 'r', automationId: 'o', channelId, contactId: person.contactId, ...describePerson(person) },
      ...{ status: 'failed', errorMessage: person.word, startedAt: AT, completedAt: AT },
    }),
  // The server builds the event's body in an SQL statement.
  'account.balance_low': (_, { accountId }) => JSON.stringify({ accountId, balance: 1, threshold: 2, currency: 'EUR' }),
  'account.sending_held': (_, { accountId }) =>
    buildEventBody('account.sending_held', {
      ...{ holdId: 'h', accountId, prefix: '4477', reason: 'codes', messages: 10, until: AT },
    }),
  'webhook.test': (_, { channelId }) => buildEventBody('webhook.test', { webhookId: 'w', channelId }),
};

export function describeContact({ contactId, ...person }: SamplePerson): ContactRecord {
  const { phone, userId, word } = person;
  return {
    ...{
      id: contactId,
      phone,
      userId,
      username: word,
      ...UNSET_FIELDS,
      ...resolveLocale({ phone, language: null, timeZone: null }),
      name: word,
      tags: [word],
      fields: { plan: word },
      optedOut: false,
    },
    ...{ createdAt: AT.toISOString(), updatedAt: AT.toISOString() },
  };
}

function describePerson({ phone, userId, word }: Omit<SamplePerson, 'contactId'>) {
  return { phone, userId, username: word };
}

function describeOptOut(person: SamplePerson, channel: SampleChannel): EventFacts<'contact.opted_out'> {
  const { contactId, word: keyword } = person;
  const { channelId, phoneNumber: sender } = channel;
  const decision = {
    contactId,
    kind: 'whatsapp',
    channelId,
    sender,
    keyword,
    source: 'keyword',
    scope: 'all',
  } as const;
  return { ...decision, person: describePerson(person) };
}

function describeMessage({ contactId }: SamplePerson, { channelId, accountId, phoneNumber }: SampleChannel) {
  const channel = { id: channelId, accountId, kind: 'whatsapp' as const, phoneNumber };
  return { messageId: MESSAGE_ID, channel, contactId, conversationId: 'v' };
}

function describeTarget(person: SamplePerson, channel: SampleChannel): EventFacts<'message.revoked'> {
  const { word: carrierMessageId } = person;
  return { ...describeMessage(person, channel), isOutbound: false, contact: describePerson(person), carrierMessageId };
}
