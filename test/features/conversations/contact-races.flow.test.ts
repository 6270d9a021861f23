import { expect, it } from 'vitest';
import { call, HELLO, playInbound } from '../../support/channel-calls.js';
import { createChannelWithTemplates } from '../../support/channel-contents.js';
import { forSuite } from '../../support/for-suite.js';
import { sharedApp } from '../../support/suite.js';

const ROUNDS = 30;

const heliograph = sharedApp();
const channel = forSuite(() => createChannelWithTemplates(heliograph));

const findContact = async () =>
  heliograph.deps.prisma.contact.findFirst({ where: { channelId: channel.channelId, phone: HELLO.to } });

it('concurrent messages in both directions and the deletion of their contact all succeed', async () => {
  const play = () => playInbound(heliograph, channel, { from: HELLO.to, text: 'Hi' });
  const send = () => call(heliograph, channel, 'POST', '/messages/template', HELLO);
  for (let round = 0; round < ROUNDS; round++) {
    expect((await play()).statusCode).toBe(200);
    const { id } = (await findContact()) as { id: string };
    const remove = () => call(heliograph, channel, 'DELETE', `/contacts/${id}`);
    const responses = await Promise.all([play(), send(), play(), remove(), play(), send(), play()]);
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(responses.map(() => 200));
  }
  // Counters and rows must be consistent, whichever request came last.
  expect((await play()).statusCode).toBe(200);
  const { prisma } = heliograph.deps;
  const where = { channelId: channel.channelId };
  const { contactCount } = await prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } });
  expect(contactCount).toBe(1);
  expect(await prisma.contact.count({ where })).toBe(1);
  const { rows } = await heliograph.deps.pool.query(
    `SELECT m.id FROM messages m WHERE m.channel_id = $1 AND m.contact_id IS NOT NULL
     AND NOT EXISTS (SELECT FROM contacts c JOIN conversations v ON v.contact_id = c.id
                     WHERE c.id = m.contact_id AND v.id = m.conversation_id)`,
    [channel.channelId],
  );
  expect(rows).toEqual([]);
  expect(await prisma.conversation.findMany({ where })).toMatchObject([{ contactId: (await findContact())?.id }]);
});
