import { beforeAll, describe, expect, it } from 'vitest';
import { ContactLinkingAcceptor } from '../../../src/features/conversations/sending/contact-linking-acceptor.js';
import { Maintenance } from '../../../src/features/maintenance/maintenance.js';
import type { SendRequest } from '../../../src/messages/compose/send-request.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { createChannelWithTemplates } from '../../support/channel-contents.js';
import { forSuite } from '../../support/for-suite.js';
import { sendRequest } from '../../support/sends.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp();
const channel = forSuite(() => createChannelWithTemplates(heliograph));

/** Changes of a contact that has only a number, and the user ID of the contact into which it is merged. */
const CASES = [
  {
    name: 'is merged into another',
    from: '15005580001',
    change: (from: string) => playInbound(heliograph, channel, { from, userId: 'US.killed1', text: 'Hi' }),
    mergedInto: 'US.killed1',
  },
  {
    name: 'replaces one without a conversation',
    from: '15005580002',
    change: async (from: string) => {
      await heliograph.deps.prisma.conversation.deleteMany({ where: { contact: { userId: 'US.killed2' } } });
      return await playInbound(heliograph, channel, { from, userId: 'US.killed2', text: 'Hi' });
    },
    mergedInto: 'US.killed2',
  },
  {
    name: 'is deleted',
    from: '15005580003',
    change: (_: string, contactId: string) => call(heliograph, channel, 'DELETE', `/contacts/${contactId}`),
    mergedInto: null,
  },
];

const sweep = async () => new Maintenance({ ...heliograph.deps, retentionDays: 0 }).sweep();

describe('a process killed after committing a reply, before it checks that the contact still exists', () => {
  it.each(CASES)(
    'a process killed before it checks the contact leaves the message to maintenance when the contact $name',
    async ({ from, change, mergedInto }) => {
      const { prisma, pool } = heliograph.deps;
      if (mergedInto) await playInbound(heliograph, channel, { userId: mergedInto, text: 'Hi' });
      const { contactId } = (await playInbound(heliograph, channel, { from, text: 'Hi' })).json().data;
      const reply = () =>
        call(
          heliograph,
          channel,
          'POST',
          '/messages/reply',
          { to: from, message: 'Hello' },
          { 'idempotency-key': from },
        );
      const { messageId } = (await reply()).json().data;
      const findParty = () =>
        prisma.message.findUniqueOrThrow({
          where: { id: messageId },
          select: { contactId: true, conversationId: true },
        });
      const party = await findParty();
      expect(party.contactId).toBe(contactId);
      expect((await change(from, contactId)).statusCode).toBe(200);

      const conversation = mergedInto
        ? await prisma.conversation.findFirstOrThrow({ where: { contact: { userId: mergedInto } } })
        : { id: null, contactId: null };
      const expected = { contactId: conversation.contactId, conversationId: conversation.id };
      expect(await findParty()).toEqual(expected);

      // Simulates a killed process that had committed the message with the contact's former ID a moment later.
      await prisma.message.update({ where: { id: messageId }, data: party });
      await sweep();
      expect(await findParty()).toEqual(party);
      await pool.query(`UPDATE parted_conversations SET parted_at = parted_at - interval '2 minutes'`);
      await sweep();
      expect(await findParty()).toEqual(expected);
      expect(await prisma.partedConversation.count({ where: { id: party.conversationId as string } })).toBe(0);

      await prisma.message.update({ where: { id: messageId }, data: party });
      expect((await reply()).json().data.messageId).toBe(messageId);
      expect(await findParty()).toEqual(expected);
    },
  );
});

describe('a process killed after committing the first message to a contact, before it creates the conversation', () => {
  const killError = new Error('killed');
  let sends: ContactLinkingAcceptor;
  let phones = 15005580100;

  beforeAll(() => {
    const { acceptor, pool, prisma, log } = heliograph.deps;
    const accept = async (request: SendRequest) => {
      await acceptor.accept(request);
      throw killError;
    };
    sends = new ContactLinkingAcceptor({ accept, replay: () => Promise.resolve(null) }, { pool, prisma, log });
  });

  async function createContactAndSend() {
    phones += 1;
    const to = String(phones);
    const { id } = (await call(heliograph, channel, 'POST', '/contacts', { phone: to })).json().data;
    const request = {
      ...sendRequest(channel.account, { to }),
      channelId: channel.channelId,
      kind: 'whatsapp',
    } as const;
    return { id: id as string, to, request };
  }
  const findMessage = (recipient: string) => heliograph.deps.prisma.message.findFirstOrThrow({ where: { recipient } });
  const findConversation = (contactId: string) =>
    heliograph.deps.prisma.conversation.findUniqueOrThrow({ where: { contactId } });
  const countRecords = (...contactIds: string[]) =>
    heliograph.deps.prisma.namedConversation.count({ where: { contactId: { in: contactIds } } });
  const settle = async () => {
    await heliograph.deps.pool.query(`UPDATE named_conversations SET named_at = named_at - interval '2 minutes'`);
    await sweep();
  };

  it('a process killed before it creates the conversation leaves that to maintenance, which uses the time of the message', async () => {
    const { id, to, request } = await createContactAndSend();
    await expect(sends.accept(request)).rejects.toBe(killError);
    await settle();
    const message = await findMessage(to);
    expect(await findConversation(id)).toMatchObject({
      ...{ id: message.conversationId, lastMessageAt: message.createdAt, channelId: channel.channelId },
    });
    expect(await countRecords(id)).toBe(0);
  });

  it('a process killed before it creates the conversation leaves the message to one created in the meantime', async () => {
    const { id, to, request } = await createContactAndSend();
    await expect(sends.accept(request)).rejects.toBe(killError);
    expect((await playInbound(heliograph, channel, { from: to, text: 'Hi' })).statusCode).toBe(200);
    await settle();
    expect((await findMessage(to)).conversationId).toBe((await findConversation(id)).id);
  });

  it('maintenance creates no conversation for a deleted contact or a refused send', async () => {
    const { id, to, request } = await createContactAndSend();
    await expect(sends.accept(request)).rejects.toBe(killError);
    expect((await call(heliograph, channel, 'DELETE', `/contacts/${id}`)).statusCode).toBe(200);
    const unpaidSend = await createContactAndSend();
    const unpaidRequest = {
      ...unpaidSend.request,
      account: { ...channel.account, currency: 'EUR', rateCardId: 'none' },
    };
    await expect(sends.accept(unpaidRequest)).rejects.not.toBe(killError);
    expect(await countRecords(id, unpaidSend.id)).toBe(2);
    await settle();
    expect(await findMessage(to)).toMatchObject({ contactId: null, conversationId: null });
    expect(await countRecords(id, unpaidSend.id)).toBe(0);
  });
});
