import { describe, expect, it } from 'vitest';
import { findOrCreateContact } from '../../../src/features/contacts/contacts.js';
import { createGroup } from '../../../src/features/contacts/groups/groups.js';
import { addMember } from '../../../src/features/contacts/groups/members.js';
import { deleteContact } from '../../../src/features/erasure/delete-contact.js';
import { newId } from '../../../src/platform/ids.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { createTestChannel } from '../../support/channels.js';
import { forEachTest, suiteStore } from '../../support/for-suite.js';

const store = suiteStore();
const channel = forEachTest(() => createTestChannel(store));
const deletedAt = new Date('2027-01-15T12:00:00.000Z');

const getScope = () => ({ accountId: channel.account.id, channelId: channel.channelId });

async function storeMessage(contactId: string, conversationId: string): Promise<string> {
  const id = newId();
  await store.prisma.message.create({
    data: {
      id,
      ...getScope(),
      contactId,
      conversationId,
      createdAt: deletedAt,
      validUntil: deletedAt,
      priceMicros: 10_000n,
      surface: 'b',
      kind: 'whatsapp',
      priority: 2,
      parts: 1,
      carrier: 'simulator',
      sender: channel.phoneNumber,
      recipient: '15005550111',
      body: 'Hello',
    },
  });
  return id;
}

describe('deleteContact', () => {
  it('deleting a contact deletes memberships, conversation and everything received; sent messages stay, without the contact', async () => {
    const { contactId, conversationId } = await findOrCreateContact(store.pool, {
      ...getScope(),
      phone: '15005550111',
      at: systemClock.now(),
    });
    const otherContact = await findOrCreateContact(store.pool, {
      ...getScope(),
      phone: '15005550112',
      at: systemClock.now(),
    });
    const group = await createGroup(store, { ...getScope(), name: 'Both', description: '', at: deletedAt });
    for (const id of [contactId, otherContact.contactId]) {
      await addMember(
        store.pool,
        { channelId: channel.channelId, groupId: group.id, contactId: id },
        systemClock.now(),
      );
    }
    const messageId = await storeMessage(contactId, conversationId);
    const otherMessageId = await storeMessage(otherContact.contactId, otherContact.conversationId);
    await store.prisma.inboundMessage.create({
      data: {
        id: newId(),
        ...getScope(),
        conversationId,
        carrierMessageId: 'wamid.1',
        type: 'text',
        body: 'Hi',
        payload: { body: 'Hi' },
        receivedAt: deletedAt,
      },
    });

    expect(await deleteContact({ ...store, clock: systemClock }, { ...getScope(), id: contactId })).toBe(contactId);
    expect(await deleteContact({ ...store, clock: systemClock }, { ...getScope(), id: contactId })).toBeNull();

    const { prisma } = store;
    expect(await prisma.contact.count({ where: getScope() })).toBe(1);
    expect(await prisma.conversation.count({ where: { id: conversationId } })).toBe(0);
    expect(await prisma.inboundMessage.findMany({ where: getScope() })).toMatchObject([
      { conversationId: null, carrierMessageId: 'wamid.1', body: '', payload: {} },
    ]);
    expect(await prisma.groupMember.findMany({ where: { groupId: group.id } })).toMatchObject([
      { contactId: otherContact.contactId },
    ]);
    expect((await prisma.contactGroup.findUniqueOrThrow({ where: { id: group.id } })).contactCount).toBe(1);
    expect((await prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } })).contactCount).toBe(1);
    expect(await prisma.message.findUniqueOrThrow({ where: { id: messageId } })).toMatchObject({
      contactId: null,
      conversationId: null,
      recipient: '15005550111',
      priceMicros: 10_000n,
    });
    expect(await prisma.message.findUniqueOrThrow({ where: { id: otherMessageId } })).toMatchObject({
      contactId: otherContact.contactId,
      conversationId: otherContact.conversationId,
    });
  });

  it('creating and deleting a contact concurrently leaves one contact', async () => {
    const findAgain = () =>
      findOrCreateContact(store.pool, { ...getScope(), phone: '15005550111', at: systemClock.now() });
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { contactId } = await findAgain();
        await deleteContact({ ...store, clock: systemClock }, { ...getScope(), id: contactId });
      }),
    );
    await findAgain();
    expect(await store.prisma.contact.count({ where: getScope() })).toBe(1);
    expect((await store.prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } })).contactCount).toBe(1);
  });
});
