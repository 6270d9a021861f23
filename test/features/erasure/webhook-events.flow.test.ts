import { beforeAll, describe, expect, it } from 'vitest';
import { countTraces, erasePerson } from '../../../src/features/erasure/erase.js';
import { EVENT_TYPES } from '../../../src/messages/events/webhook-events.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';
import { EVENT_SAMPLES, type SamplePerson } from '../../support/webhooks/event-samples.js';

/** Word that occurs in every text by or about Ada, and in no other text. */
const SECRET = 'lovelace';

describe.each([
  ['a number', { phone: '447700900123', userId: null }],
  ['a user ID', { phone: null, userId: 'GB.1234567890' }],
  ['both', { phone: '447700900124', userId: 'GB.1234567891' }],
])('webhook events about a person known by %s', (_, ids) => {
  const heliograph = sharedApp({ role: 'api' });
  let channel: TestChannel;
  let otherChannel: TestChannel;
  const ada: SamplePerson = { ...ids, contactId: newId(), word: SECRET };
  const bob: SamplePerson = { phone: '447700900777', userId: 'GB.777', contactId: newId(), word: 'babbage' };

  beforeAll(async () => {
    channel = await createTestChannel(heliograph.deps);
    otherChannel = await createTestChannel(heliograph.deps);
    for (const person of [ada, bob]) await storeEvents(channel, person);
    await storeEvents(otherChannel, { ...ada, contactId: newId() });
  });
  async function storeEvents(owner: TestChannel, person: SamplePerson) {
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
        ...{ events: [...EVENT_TYPES], secret: 'whsec_dGVzdA==', isActive: false },
      },
    });
    for (const type of EVENT_TYPES) {
      const data = JSON.parse(EVENT_SAMPLES[type](person, { ...owner, accountId: account.id }));
      await prisma.webhookDelivery.create({ data: { id: newId(), webhookId, type, data, occurredAt: new Date() } });
    }
  }
  const listTypesContaining = async ({ account }: TestChannel, word: string) => {
    const { rows } = await heliograph.deps.pool.query<{ type: string }>(
      `SELECT d.type FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
       WHERE w.account_id = $1 AND d.data::text LIKE '%' || $2 || '%' ORDER BY 1`,
      [account.id, word],
    );
    return rows.map(({ type }) => type);
  };
  const sampleChannel = () => ({ ...channel, accountId: channel.account.id });
  const listPersonalTypes = () =>
    EVENT_TYPES.filter((type) => EVENT_SAMPLES[type](ada, sampleChannel()).includes(SECRET)).sort();

  it('webhook events about a person are all counted and erased, and events about other people or of other accounts stay', async () => {
    const { pool, prisma, clock, lockedAccounts } = heliograph.deps;
    const options = { pool, prisma, clock, lockedAccounts };
    const ref = { address: (ids.phone ?? ids.userId) as string, accountId: channel.account.id };
    expect(await listTypesContaining(channel, SECRET)).toEqual(listPersonalTypes());
    expect((await countTraces(options, ref)).rows).toMatchObject({ 'webhook events': listPersonalTypes().length });
    const { rows } = await erasePerson(options, ref, { waitMs: 0 });
    expect(rows).toMatchObject({ 'webhook events': listPersonalTypes().length, contacts: 1 });
    for (const trace of [SECRET, ids.phone, ids.userId]) {
      if (trace !== null) expect(await listTypesContaining(channel, trace)).toEqual([]);
    }
    expect(await listTypesContaining(channel, 'babbage')).toEqual(listPersonalTypes());
    expect(await listTypesContaining(otherChannel, SECRET)).toEqual(listPersonalTypes());
  });
});
