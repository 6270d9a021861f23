import { beforeAll, describe, expect, it } from 'vitest';
import { KnownContacts } from '../../../src/features/conversations/sending/known-contacts.js';
import { Maintenance } from '../../../src/features/maintenance/maintenance.js';
import type { SendRequest } from '../../../src/messages/compose/send-request.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { channelWithTemplates } from '../../support/channel-contents.js';
import { forSuite } from '../../support/for-suite.js';
import { sendRequest } from '../../support/sends.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp();
const channel = forSuite(() => channelWithTemplates(heliograph));

/** People, and what becomes of the contact that had the number alone. */
const CASES = [
  {
    name: 'becomes part of another',
    from: '15005580001',
    goes: (from: string) => playInbound(heliograph, channel, { from, userId: 'US.killed1', text: 'Hi' }),
    known: 'US.killed1',
  },
  {
    name: 'takes the place of one that has no conversation of its own',
    from: '15005580002',
    goes: async (from: string) => {
      await heliograph.deps.prisma.conversation.deleteMany({ where: { contact: { userId: 'US.killed2' } } });
      return await playInbound(heliograph, channel, { from, userId: 'US.killed2', text: 'Hi' });
    },
    known: 'US.killed2',
  },
  {
    name: 'is deleted',
    from: '15005580003',
    goes: (_: string, contactId: string) => call(heliograph, channel, 'DELETE', `/contacts/${contactId}`),
    known: null,
  },
];

const sweep = async () => new Maintenance({ ...heliograph.deps, retentionDays: 0 }).sweep();

describe('a process is killed between the commit of a reply and its look whether the contact is still there', () => {
  it.each(CASES)('which meanwhile $name', async ({ from, goes, known }) => {
    const { prisma, pool } = heliograph.deps;
    if (known) await playInbound(heliograph, channel, { userId: known, text: 'Hi' });
    const { contactId } = (await playInbound(heliograph, channel, { from, text: 'Hi' })).json().data;
    const reply = () =>
      call(heliograph, channel, 'POST', '/messages/reply', { to: from, message: 'Hello' }, { 'idempotency-key': from });
    const { messageId } = (await reply()).json().data;
    const found = () =>
      prisma.message.findUniqueOrThrow({ where: { id: messageId }, select: { contactId: true, conversationId: true } });
    const party = await found();
    expect(party.contactId).toBe(contactId);
    expect((await goes(from, contactId)).statusCode).toBe(200);

    const now = known
      ? await prisma.conversation.findFirstOrThrow({ where: { contact: { userId: known } } })
      : { id: null, contactId: null };
    const expected = { contactId: now.contactId, conversationId: now.id };
    expect(await found()).toEqual(expected);

    // As if it had been committed a moment later, by a process that got no further.
    await prisma.message.update({ where: { id: messageId }, data: party });
    await sweep();
    expect(await found()).toEqual(party);
    await pool.query(`UPDATE parted_conversations SET parted_at = parted_at - interval '2 minutes'`);
    await sweep();
    expect(await found()).toEqual(expected);
    expect(await prisma.partedConversation.count({ where: { id: party.conversationId as string } })).toBe(0);

    await prisma.message.update({ where: { id: messageId }, data: party });
    expect((await reply()).json().data.messageId).toBe(messageId);
    expect(await found()).toEqual(expected);
  });
});

describe('a process is killed between the commit of the first message to a contact and the making of its conversation', () => {
  const killed = new Error('killed');
  let sends: KnownContacts;
  let phones = 15005580100;

  beforeAll(() => {
    const { acceptor, pool, prisma, log } = heliograph.deps;
    const accept = async (request: SendRequest) => {
      await acceptor.accept(request);
      throw killed;
    };
    sends = new KnownContacts({ accept, replay: () => Promise.resolve(null) }, { pool, prisma, log });
  });

  /** A contact without a conversation, and what is sent to it. */
  async function sendTo() {
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
  const messageTo = (recipient: string) => heliograph.deps.prisma.message.findFirstOrThrow({ where: { recipient } });
  const conversationOf = (contactId: string) =>
    heliograph.deps.prisma.conversation.findUniqueOrThrow({ where: { contactId } });
  const notesOf = (...contactIds: string[]) =>
    heliograph.deps.prisma.namedConversation.count({ where: { contactId: { in: contactIds } } });
  const settled = async () => {
    await heliograph.deps.pool.query(`UPDATE named_conversations SET named_at = named_at - interval '2 minutes'`);
    await sweep();
  };

  it('is made later, as of the time of the message', async () => {
    const { id, to, request } = await sendTo();
    await expect(sends.accept(request)).rejects.toBe(killed);
    await settled();
    const message = await messageTo(to);
    expect(await conversationOf(id)).toMatchObject({
      ...{ id: message.conversationId, lastMessageAt: message.createdAt, channelId: channel.channelId },
    });
    expect(await notesOf(id)).toBe(0);
  });

  it('is the one that the contact has got in the meantime', async () => {
    const { id, to, request } = await sendTo();
    await expect(sends.accept(request)).rejects.toBe(killed);
    expect((await playInbound(heliograph, channel, { from: to, text: 'Hi' })).statusCode).toBe(200);
    await settled();
    expect((await messageTo(to)).conversationId).toBe((await conversationOf(id)).id);
  });

  it('is none where the contact was deleted in the meantime, and where the send was refused', async () => {
    const { id, to, request } = await sendTo();
    await expect(sends.accept(request)).rejects.toBe(killed);
    expect((await call(heliograph, channel, 'DELETE', `/contacts/${id}`)).statusCode).toBe(200);
    const other = await sendTo();
    const unpaid = { ...other.request, account: { ...channel.account, currency: 'EUR', rateCardId: 'none' } };
    await expect(sends.accept(unpaid)).rejects.not.toBe(killed);
    expect(await notesOf(id, other.id)).toBe(2);
    await settled();
    expect(await messageTo(to)).toMatchObject({ contactId: null, conversationId: null });
    expect(await notesOf(id, other.id)).toBe(0);
  });
});
