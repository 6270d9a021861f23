import { beforeAll, describe, expect, it } from 'vitest';
import { UNSET_FIELDS } from '../../../src/features/contacts/contact-fields.js';
import type { ContactRecord } from '../../../src/features/contacts/record.js';
import { countTraces, erasePerson } from '../../../src/features/erasure/erase.js';
import { buildEventBody, type EmittedEvent, type FactsFor } from '../../../src/messages/events/bodies.js';
import {
  ACCOUNT_WEBHOOK_EVENTS,
  WEBHOOK_EVENTS,
  type WebhookEventType,
} from '../../../src/messages/events/event-types.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';

/** Occurs in everything that Ada wrote or that is about her, and nowhere else. */
const SECRET = 'lovelace';

interface Person {
  phone: string | null;
  userId: string | null;
  contactId: string;
  word: string;
}

/** A body of each event about a person; null for events that name no person. A new event needs a line here. */
const BODIES: Record<WebhookEventType, (person: Person, channel: TestChannel) => string | null> = {
  'message.received': (person, channel) =>
    buildEventBody('message.received', {
      ...messageOf(person, channel),
      conversationId: newId(),
      sender: idsOf(person),
      report: {
        ...{ carrierMessageId: newId(), from: person.phone, type: 'text', body: person.word },
        ...{ payload: { body: person.word }, receivedAt: new Date() },
      } as never,
    }),
  'message.status': (person, channel) =>
    JSON.stringify({
      ...{ messageId: newId(), channel: 'whatsapp', channelId: channel.channelId, contactId: person.contactId },
      ...{ from: channel.phoneNumber, to: person.phone, userId: person.userId, username: person.word },
      ...{ status: 'failed', errorCode: 'X', errorMessage: person.word, reference: person.word, metadata: null },
    }),
  'message.edited': (person, channel) =>
    buildEventBody('message.edited', {
      ...correctedOf(person, channel),
      now: { type: 'text', text: person.word, payload: { body: person.word } },
    }),
  'message.revoked': (person, channel) => buildEventBody('message.revoked', correctedOf(person, channel)),
  'contact.updated': (person, { channelId }) =>
    buildEventBody('contact.updated', { contact: contactOf(person), channelId, changed: { change: 'updated' } }),
  'contact.deleted': (person, { channelId }) =>
    buildEventBody('contact.deleted', { contact: contactOf(person), channelId }),
  'contact.merged': (person, { channelId }) =>
    buildEventBody('contact.merged', { contact: contactOf(person), channelId, mergedContactId: newId() }),
  'automation.completed': (person, { channelId }) =>
    buildEventBody('automation.completed', {
      ...{ runId: newId(), automationId: newId(), channelId, contactId: person.contactId, ...idsOf(person) },
      ...{ status: 'failed', errorMessage: person.word, startedAt: new Date(), completedAt: new Date() },
    }),
  'account.balance_low': () => null,
  'account.sending_held': () => null,
};

const idsOf = ({ phone, userId, word }: Person) => ({ phone, userId, username: word });
const messageOf = ({ contactId }: Person, channel: TestChannel) => ({
  ...{ messageId: newId(), contactId },
  channel: {
    ...{ id: channel.channelId, accountId: channel.account.id, kind: 'whatsapp' as const },
    phoneNumber: channel.phoneNumber,
  },
});
const correctedOf = (person: Person, channel: TestChannel): FactsFor<'message.revoked'> => ({
  ...{ ...messageOf(person, channel), conversationId: newId(), isOwn: false, contact: idsOf(person) },
  carrierMessageId: person.word,
});
const contactOf = ({ contactId, ...person }: Person): ContactRecord => ({
  ...{ id: contactId, ...idsOf(person as Person), ...UNSET_FIELDS, name: person.word, optedOut: false },
  ...{ createdAt: new Date().toISOString(), updatedAt: new Date().toISOString() },
});

describe.each([
  ['a number', { phone: '447700900123', userId: null }],
  ['a user ID', { phone: null, userId: 'GB.1234567890' }],
  ['both', { phone: '447700900124', userId: 'GB.1234567891' }],
])('webhook events about a person known by %s', (_, ids) => {
  const heliograph = sharedApp({ role: 'api' });
  const types = [...new Set<WebhookEventType>([...WEBHOOK_EVENTS, ...ACCOUNT_WEBHOOK_EVENTS])];
  let channel: TestChannel;
  let other: TestChannel;
  const ada: Person = { ...ids, contactId: newId(), word: SECRET };
  const bob: Person = { phone: '447700900777', userId: 'GB.777', contactId: newId(), word: 'babbage' };

  beforeAll(async () => {
    channel = await createTestChannel(heliograph.deps);
    other = await createTestChannel(heliograph.deps);
    for (const each of [ada, bob]) await store(channel, each);
    // The same person writes to another account.
    await store(other, { ...ada, contactId: newId() });
  });
  async function store(owner: TestChannel, person: Person) {
    const { prisma } = heliograph.deps;
    const { account, channelId } = owner;
    const { contactId: id, phone, userId, word: name } = person;
    const { deps } = heliograph;
    await prisma.contact.create({ data: { id, accountId: account.id, channelId, phone, userId, name } });
    if (userId !== null) {
      await deps.pool.query(
        `INSERT INTO contact_identities (channel_id, portfolio, user_id, is_parent, contact_id, since)
         VALUES ($1, '', $2, false, $3, now())`,
        [channelId, userId, id],
      );
    }
    const webhookId = newId();
    await prisma.webhook.create({
      data: {
        ...{ id: webhookId, accountId: account.id, channelId, url: 'https://example.invalid/' },
        ...{ events: types, secret: 'whsec_dGVzdA==', isActive: false },
      },
    });
    for (const type of types) {
      const body = BODIES[type](person, owner);
      if (body === null) continue;
      const data = JSON.parse(body);
      await prisma.webhookDelivery.create({ data: { id: newId(), webhookId, type, data, occurredAt: new Date() } });
    }
  }
  /** Types of the events of an account whose body contains a word. */
  const telling = async ({ account }: TestChannel, word: string) => {
    const { rows } = await heliograph.deps.pool.query<{ type: string }>(
      `SELECT d.type FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
       WHERE w.account_id = $1 AND d.data::text LIKE '%' || $2 || '%' ORDER BY 1`,
      [account.id, word],
    );
    return rows.map(({ type }) => type);
  };
  const personal = () => types.filter((type) => BODIES[type](ada, channel) !== null).sort();

  it('are counted and erased, all of them, and those about others and of other accounts stay', async () => {
    const { pool, prisma, clock, held } = heliograph.deps;
    const options = { pool, prisma, clock, held };
    const ref = { phone: (ids.phone ?? ids.userId) as string, accountId: channel.account.id };
    expect(await telling(channel, SECRET)).toEqual(personal());
    expect((await countTraces(options, ref)).rows).toMatchObject({ 'webhook events': personal().length });
    const { rows } = await erasePerson(options, ref, { waitMs: 0 });
    expect(rows).toMatchObject({ 'webhook events': personal().length, contacts: 1 });
    for (const trace of [SECRET, ids.phone, ids.userId]) {
      if (trace !== null) expect(await telling(channel, trace)).toEqual([]);
    }
    expect(await telling(channel, 'babbage')).toEqual(personal());
    expect(await telling(other, SECRET)).toEqual(personal());
  });
});

it('every event has a body here, or names no person', () => {
  const emitted: Record<EmittedEvent, true> = {
    ...{ 'message.received': true, 'message.edited': true, 'message.revoked': true, 'contact.updated': true },
    ...{ 'contact.deleted': true, 'contact.merged': true, 'automation.completed': true },
    ...{ 'account.sending_held': true, 'webhook.test': true },
  };
  const known = new Set([...Object.keys(BODIES), 'webhook.test']);
  expect(Object.keys(emitted).filter((type) => !known.has(type))).toEqual([]);
  expect([...WEBHOOK_EVENTS, ...ACCOUNT_WEBHOOK_EVENTS].filter((type) => !(type in BODIES))).toEqual([]);
});
