import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { call } from '../../support/channel-calls.js';
import { createTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';

const IDENTIFIERS = ['contactId', 'userId'] as const;

describe('a refused send to a contact without a conversation', () => {
  const heliograph = sharedApp();
  let channel: TestChannel;

  beforeEach(async () => {
    channel = await createTestChannel(heliograph.deps);
    await createTemplate(heliograph.deps, channel);
  });

  async function createTarget(field: (typeof IDENTIFIERS)[number]) {
    const userId = `US.${newId().replace(/\D/g, '')}`;
    const contact = { userId, phone: '15005550123' };
    const { id } = (await call(heliograph, channel, 'POST', '/contacts', contact)).json().data;
    return field === 'userId' ? { userId } : { contactId: id as string };
  }
  const listConversations = async () => (await call(heliograph, channel, 'GET', '/conversations')).json().data;
  const setBalance = (balanceMicros: bigint) =>
    heliograph.deps.prisma.account.update({ where: { id: channel.account.id }, data: { balanceMicros } });
  const template = { templateName: 'hello', language: 'en_US' };

  it.each(IDENTIFIERS)(
    'a refused send to a contact without a conversation creates no conversation if the window is closed, by %s',
    async (field) => {
      const target = await createTarget(field);
      expect(await listConversations()).toMatchObject({ conversations: [], total: 0 });
      for (const [path, body] of [
        ['/messages/reply', { message: 'Hello' }],
        ['/messages/send', { type: 'text', text: { body: 'Hello' } }],
      ] as const) {
        const response = await call(heliograph, channel, 'POST', path, { ...target, ...body });
        expect([response.statusCode, response.json().error.code]).toEqual([403, 'WINDOW_EXPIRED']);
      }
      expect(await listConversations()).toMatchObject({ conversations: [], total: 0 });
    },
  );

  it.each(IDENTIFIERS)(
    'a refused send to a contact without a conversation creates no conversation if the balance is too low, by %s, and creates one after a top-up',
    async (field) => {
      const target = await createTarget(field);
      await setBalance(0n);
      const send = () => call(heliograph, channel, 'POST', '/messages/template', { ...target, ...template });
      expect((await send()).statusCode).toBe(402);
      expect(await listConversations()).toMatchObject({ conversations: [], total: 0 });
      await setBalance(1_000_000n);
      const { contactId, conversationId } = (await send()).json().data;
      const where = { channelId: channel.channelId };
      const created = await heliograph.deps.prisma.conversation.findMany({
        where,
        select: { id: true, contactId: true },
      });
      expect(created).toEqual([{ id: conversationId, contactId }]);
      expect(await heliograph.deps.prisma.contact.count({ where })).toBe(1);
    },
  );
});
