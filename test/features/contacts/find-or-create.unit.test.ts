import { describe, expect, it } from 'vitest';
import { findOrCreateContact } from '../../../src/features/contacts/contacts.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { createTestChannel } from '../../support/channels.js';
import { forEachTest, suiteStore } from '../../support/for-suite.js';

const store = suiteStore();
const channel = forEachTest(() => createTestChannel(store));

const find = (phone: string, name?: string) =>
  findOrCreateContact(store.pool, {
    accountId: channel.account.id,
    channelId: channel.channelId,
    phone,
    name,
    at: systemClock.now(),
  });
const countContacts = async () =>
  (await store.prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } })).contactCount;
const findContact = (id: string) =>
  store.prisma.contact.findUniqueOrThrow({ where: { id }, include: { conversation: true } });

describe('findOrCreateContact', () => {
  it('creates a contact and its conversation once, and then finds both', async () => {
    const created = await find('15005550111', 'Ada');
    expect(created.created).toBe(true);
    expect(await find('15005550111', 'Somebody else')).toMatchObject({ ...created, created: false });
    expect(await findContact(created.contactId)).toMatchObject({
      phone: '15005550111',
      name: 'Ada',
      email: '',
      channelId: channel.channelId,
      accountId: channel.account.id,
      conversation: { id: created.conversationId },
    });
    expect(await countContacts()).toBe(1);
  });

  it('creates only one contact and conversation in concurrent calls', async () => {
    const results = await Promise.all(Array.from({ length: 30 }, () => find('15005550111')));
    expect(results.filter((result) => result.created)).toHaveLength(1);
    expect(new Set(results.map((result) => `${result.contactId} ${result.conversationId}`)).size).toBe(1);
    expect(await countContacts()).toBe(1);
  });

  it('creates separate contacts for the same number in two channels', async () => {
    const otherChannel = await createTestChannel(store, channel.account);
    const ownContact = await find('15005550111');
    const otherContact = await findOrCreateContact(store.pool, {
      accountId: channel.account.id,
      channelId: otherChannel.channelId,
      phone: '15005550111',
      at: systemClock.now(),
    });
    expect(otherContact.created).toBe(true);
    expect(otherContact.contactId).not.toBe(ownContact.contactId);
  });

  it('sets the name of a contact without one', async () => {
    const { contactId } = await find('15005550111');
    await find('15005550111', 'Ada');
    expect((await findContact(contactId)).name).toBe('Ada');
  });

  it('creates a missing conversation only once', async () => {
    const { contactId } = await find('15005550111');
    await store.prisma.conversation.deleteMany({ where: { contactId } });
    const results = await Promise.all(Array.from({ length: 10 }, () => find('15005550111')));
    expect(new Set(results.map((result) => result.conversationId)).size).toBe(1);
    expect(results.every((result) => result.contactId === contactId && !result.created)).toBe(true);
  });

  it('stores nothing if the transaction of the caller fails', async () => {
    const failedWork = inTransaction(store.pool, async (client) => {
      await findOrCreateContact(client, {
        accountId: channel.account.id,
        channelId: channel.channelId,
        phone: '15005550111',
        at: systemClock.now(),
      });
      throw new Error('the caller fails');
    });
    await expect(failedWork).rejects.toThrow('the caller fails');
    expect(await countContacts()).toBe(0);
    expect(await store.prisma.contact.count({ where: { channelId: channel.channelId } })).toBe(0);
  });

  it('emits webhook events for a new contact and for its first name', async () => {
    await store.prisma.webhook.create({
      data: {
        id: crypto.randomUUID(),
        accountId: channel.account.id,
        channelId: channel.channelId,
        url: 'https://example.com/',
        events: ['contact.updated'],
        secret: 'whsec_c2VjcmV0',
      },
    });
    const { contactId } = await find('15005550111');
    await find('15005550111', 'Ada');
    await find('15005550111', 'Ada');
    const events = await store.prisma.webhookDelivery.findMany({ orderBy: { id: 'asc' } });
    expect(events.map((event) => event.data)).toMatchObject([
      { id: contactId, phone: '15005550111', name: '', email: '', change: 'created' },
      { id: contactId, phone: '15005550111', name: 'Ada', email: '', change: 'updated' },
    ]);
  });
});
