import { EVENT_TYPES, WEBHOOK_EVENTS } from '../../../src/messages/events/webhook-events.js';
import { EVENT_SAMPLES } from './event-samples.js';

type EventType = keyof typeof WEBHOOK_EVENTS;

export interface DocumentedEvent {
  type: EventType;
  /** Markdown. */
  description: string;
  forChannel: boolean;
  forAccount: boolean;
  /** As a webhook receives it. */
  body: { type: EventType; timestamp: string; data: object };
  /** Names of the fields of `data`, and what they mean. */
  fields: [name: string, meaning: string][];
}

const CHANNEL_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e01';
const ACCOUNT_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e02';
const CONTACT_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e03';
const CONVERSATION_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e04';
const GROUP_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e05';
const RUN_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e06';
const AUTOMATION_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e07';
const MERGED_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e08';
const HOLD_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e09';
const WEBHOOK_ID = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e10';
const CARRIER_ID = 'wamid.HBgLMTQxNTU1NTAxMjMVAgARGBI5QUYzQjY3RkE0QkQ';

const PERSON = { contactId: CONTACT_ID, phone: '14155550123', userId: 'US.13491208655302741918', word: 'ada' };
const CHANNEL = { channelId: CHANNEL_ID, accountId: ACCOUNT_ID, phoneNumber: '15005550111' };

const OPT_OUT_MEANINGS = {
  scope: '`all`, or `marketing` for an opt-out that blocks only messages with the purpose `marketing`',
  contactId: 'the contact; null for a person who is not a contact of the channel',
  channel: '`whatsapp` or `sms`',
  channelId: 'the channel; null for an SMS sender ID that is not the number of a channel',
  sender: 'the number of the channel, or the SMS sender ID',
  phone: 'the number of the person; null if WhatsApp hides it',
  keyword: 'the keyword that the person wrote, in lower case; null for other sources',
  source:
    '`keyword`, `whatsapp` (the person changed it in the app), `api` (a request changed the contact) or `operator` (in the ' +
    'console or with a command)',
};

interface Documentation {
  description: string;
  /** Replaces values of the sample that would not help a reader. */
  values?: Readonly<Record<string, unknown>>;
  /** Overrides `MEANINGS`. */
  meanings?: Readonly<Record<string, string>>;
}

const MARKED = { tags: ['vip'], fields: { plan: 'pro' } };

/** In Markdown. A new event needs an entry. */
const DOCUMENTATION: Readonly<Record<EventType, Documentation>> = {
  'message.received': {
    description: 'A contact sent a message. See [Inbound messages](../receive/inbound.md).',
    values: {
      conversationId: CONVERSATION_ID,
      text: 'Is my order ready?',
      payload: { body: 'Is my order ready?' },
      carrierMessageId: CARRIER_ID,
    },
    meanings: {
      from: 'the number of the contact; null if WhatsApp hides it',
      to: 'the number of your channel',
      type: 'such as `text`, `image`, `button` or `location`',
      text: 'the text, the caption, or the title of the pressed button',
    },
  },
  'message.status': {
    description:
      'A message reached a status: `sent`, `delivered`, `read` or a final one. You get one event for each status, even if ' +
      'the carrier reports several at once. See [Message statuses](statuses.md).',
    values: {
      conversationId: CONVERSATION_ID,
      carrierMessageId: CARRIER_ID,
      errorCode: '131026',
      errorMessage: 'Message undeliverable',
      reference: 'order-1042',
    },
    meanings: {
      from: 'your number or sender ID',
      to: 'the number of the recipient; null if WhatsApp hides it',
      channel: '`whatsapp` or `sms`',
      channelId: 'the channel; null for an SMS of Surface A',
      status: 'the new status',
      errorCode: 'the [error code](errors.md#messages) of a failure, otherwise null',
      errorMessage: 'the reason for a failure, otherwise null',
      reference: 'the `reference` of your send, otherwise null',
      metadata: 'the `metadata` of your send, otherwise null',
    },
  },
  'message.edited': {
    description:
      'The author of a message changed it. You get the new content. If edits arrive out of order, an older edit is not ' +
      'reported. Only WhatsApp reports edits.',
    values: {
      conversationId: CONVERSATION_ID,
      text: 'Is my order 1042 ready?',
      payload: { body: 'Is my order 1042 ready?' },
      carrierMessageId: CARRIER_ID,
    },
    meanings: {
      from: 'the author; null if WhatsApp hides the number',
      to: 'the other side; null if WhatsApp hides the number',
      type: 'the type of the new content',
      text: 'the new text',
      payload: 'the new content',
    },
  },
  'message.revoked': {
    description:
      'The author of a message deleted it, and its content is already empty. Only WhatsApp reports deletions. You also get ' +
      "this event if your account deletes a contact's message through [Twilio's API](../move/twilio.md).",
    values: { conversationId: CONVERSATION_ID, carrierMessageId: CARRIER_ID },
    meanings: {
      from: 'the author; null if WhatsApp hides the number',
      to: 'the other side; null if WhatsApp hides the number',
    },
  },
  'contact.updated': {
    description:
      'A contact was created or changed, or joined or left a group. Deleting a whole group sends no event per contact. A ' +
      'STOP or START does not send this event, but `message.received`, and `contact.opted_out` or `contact.opted_in`.',
    values: { ...MARKED, name: 'Ada Example', groupId: GROUP_ID },
  },
  'contact.deleted': {
    description: 'A contact was deleted. `data` is its last state.',
    values: { ...MARKED, name: 'Ada Example' },
  },
  'contact.merged': {
    description:
      'Two contacts turned out to be one person. `data` is the contact that stays, with the messages, groups and runs of ' +
      'both. There is no `contact.deleted` for the other one.',
    values: { ...MARKED, name: 'Ada Example', mergedContactId: MERGED_ID },
  },
  'contact.opted_out': {
    description:
      'A person opted out of messages from a sender: with a [keyword](../receive/opt-outs.md), in WhatsApp, or because you or ' +
      'an operator set it. A person who repeats STOP sends this event once. A keyword also sends `message.received`.',
    values: { keyword: 'stop' },
    meanings: OPT_OUT_MEANINGS,
  },
  'contact.opted_in': {
    description:
      'A person who had opted out allowed messages from the sender again. A START of a person who had not opted out does ' +
      'not send this event.',
    values: { keyword: 'start' },
    meanings: OPT_OUT_MEANINGS,
  },
  'consent.changed': {
    description:
      'A person granted or withdrew [consent](../audience/consent.md) to messages from a sender. STOP and START send one event ' +
      'for each purpose that they are about.',
    values: { purpose: 'marketing', decision: 'granted' },
    meanings: {
      ...{
        contactId: OPT_OUT_MEANINGS.contactId,
        channel: OPT_OUT_MEANINGS.channel,
        channelId: OPT_OUT_MEANINGS.channelId,
      },
      ...{ sender: OPT_OUT_MEANINGS.sender, phone: OPT_OUT_MEANINGS.phone },
      consentId: 'the entry of the consent ledger',
      purpose: '`marketing` or `transactional`',
      decision: '`granted` or `withdrawn`',
      source:
        '`keyword`, `whatsapp` (the person changed it in the app), `import`, `api`, `form`, `double_opt_in` or `operator`',
      decidedAt: 'when the person decided',
    },
  },
  'link.clicked': {
    description:
      'A person clicked a [short link](../send/short-links.md) in a message. Bots and link previews send no event. Clicks on a link ' +
      'within half a second are reported together, and clicks after the hundredth are only counted.',
    values: { url: 'https://shop.example/offers', clicks: 1, totalClicks: 3 },
    meanings: {
      messageId: 'the message that contains the link',
      channel: '`whatsapp` or `sms`',
      channelId: 'the channel; null for an SMS that was sent without one',
      campaignId: 'the campaign; null for a message that does not belong to one',
      contactId: 'the contact; null after the contact was deleted, and for an SMS without a contact',
      phone: 'the number of the person; null if WhatsApp hides it',
      url: 'the URL that the link leads to',
      clicks: 'clicks since the previous event of the link',
      totalClicks: 'all clicks so far',
    },
  },
  'automation.completed': {
    description: 'A run of an automation ended. See [Automations](../audience/automations.md).',
    values: {
      runId: RUN_ID,
      automationId: AUTOMATION_ID,
      errorMessage: 'The contact wants no more messages from this sender.',
    },
    meanings: {
      status: '`completed`, `failed` or `canceled`',
      errorMessage: 'why the run failed, otherwise null',
    },
  },
  'account.balance_low': {
    description:
      'The balance fell below the amount that an operator set. You get it once, and again only after the balance was back ' +
      'at that amount.',
    values: { balance: 9.98, threshold: 10, currency: 'USD' },
  },
  'account.sending_held': {
    description:
      'Sends to some numbers are held because they [look like SMS pumping](../run/spending.md#what-looks-like-pumping).',
    values: { holdId: HOLD_ID, prefix: '+4477009', messages: 40 },
    meanings: { reason: '`codes`, `receipts` or `country`', messages: 'how many messages looked suspicious' },
  },
  'webhook.test': {
    description: 'You requested a test. Every webhook gets it, whatever it subscribes to.',
    values: { webhookId: WEBHOOK_ID },
    meanings: { channelId: "the channel; null for an account's webhook" },
  },
};

/** By field, if the event has no meaning of its own. In Markdown. */
const MEANINGS: Readonly<Record<string, string>> = {
  messageId: 'the message',
  direction: "`inbound` for a contact's message, `outbound` for yours",
  channel: '`whatsapp` or `sms`',
  channelId: 'the channel',
  contactId: 'the contact, if known',
  conversationId: 'the conversation, if there is one',
  id: 'the contact',
  phone: 'the number of the person; null if WhatsApp hides it',
  userId: "WhatsApp's ID of the person; null if unknown",
  username: 'the WhatsApp user name; null if unknown',
  payload: 'the whole content; its fields depend on `type`',
  carrierMessageId: "the carrier's ID of the message",
  name: 'the name, or an empty string',
  email: 'the email address, or an empty string',
  firstName: 'the first name, or null',
  lastName: 'the last name, or null',
  language:
    'the language, as a BCP 47 tag, with its source: `set`, or `number` if it was computed from the number; null if unknown',
  timeZone: 'the time zone (IANA), with its source as for the language',
  tags: 'the tags, in lower case',
  fields: "the values of the account's [own fields](../audience/contacts.md#fields-and-tags), by key",
  optedOut: 'whether the contact wants no messages from this channel',
  createdAt: 'when the contact was created',
  updatedAt: 'when the contact was last changed',
  change: '`created`, `updated`, `added_to_group` or `removed_from_group`',
  groupId: 'the group; only if the contact joined or left one',
  mergedContactId: 'the contact that was merged into this one',
  runId: 'the run',
  automationId: 'the automation',
  startedAt: 'when the run started',
  completedAt: 'when the run ended',
  accountId: 'the account',
  balance: 'the balance now',
  threshold: 'the amount that the operator set',
  currency: 'the currency (ISO 4217)',
  holdId: 'the hold',
  prefix: 'the held numbers begin with this',
  until: 'when the hold ends',
  webhookId: 'the webhook',
};

/** @throws for an unknown field, or a field without a meaning */
export function listDocumentedEvents(): DocumentedEvent[] {
  return EVENT_TYPES.map((type) => {
    const { description, values = {}, meanings = {} } = DOCUMENTATION[type];
    const sample = JSON.parse(EVENT_SAMPLES[type](PERSON, CHANNEL)) as Record<string, unknown>;
    for (const name of [...Object.keys(values), ...Object.keys(meanings)]) {
      if (!(name in sample)) throw new Error(`${type} has no field ${name}`);
    }
    const data = { ...sample, ...values };
    const { forChannel, forAccount } = WEBHOOK_EVENTS[type];
    return {
      ...{ type, description, forChannel, forAccount },
      body: { type, timestamp: '2026-11-23T08:30:00.000Z', data },
      fields: Object.keys(data).map((name) => {
        const meaning = meanings[name] ?? MEANINGS[name];
        if (meaning === undefined) throw new Error(`${type}: nothing explains the field ${name}`);
        return [name, meaning];
      }),
    };
  });
}
