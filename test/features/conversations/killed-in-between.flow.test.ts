import { describe, expect, it } from 'vitest';
import { Maintenance } from '../../../src/features/maintenance/maintenance.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { channelWithTemplates } from '../../support/channel-contents.js';
import { forSuite } from '../../support/for-suite.js';
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

describe('a process is killed between the commit of a reply and its look whether the contact is still there', () => {
  const sweep = async () => new Maintenance({ ...heliograph.deps, retentionDays: 0 }).sweep();

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
