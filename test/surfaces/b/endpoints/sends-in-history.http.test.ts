import { expect, it } from 'vitest';
import { newId } from '../../../../src/platform/ids.js';
import { call, playInbound } from '../../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { sharedApp } from '../../../support/suite.js';

const heliograph = sharedApp();
let lastNumber = 15005570100;
const freshNumber = () => String(lastNumber++);

const post = ({ account }: TestChannel, url: string, payload: object, headers: Record<string, string> = {}) =>
  heliograph.app.inject({
    method: 'POST',
    url,
    headers: { ...account.headers, ...headers },
    payload,
  });
const sendWhatsapp = (channel: TestChannel, to: string[], headers?: Record<string, string>) =>
  post(channel, '/v2/send', { from: channel.phoneNumber, to, channel: 'whatsapp', message: 'News' }, headers);
const addContact = async (channel: TestChannel, phone: string): Promise<string> =>
  (await call(heliograph, channel, 'POST', '/contacts', { phone })).json().data.id;
const listConversations = async (channel: TestChannel) =>
  (await call(heliograph, channel, 'GET', '/conversations')).json().data.conversations;
const readMessageIds = (response: { json(): { data: { message_id: string }[] } }) =>
  response.json().data.map(({ message_id }) => message_id);

it('a WhatsApp message of /v2/send to a contact appears as the newest of its conversation', async () => {
  const channel = await createTestChannel(heliograph.deps);
  const [contactNumber, otherNumber] = [freshNumber(), freshNumber()];
  const { conversationId, contactId } = (
    await playInbound(heliograph, channel, { from: contactNumber, text: 'Hi' })
  ).json().data;
  await playInbound(heliograph, channel, { from: freshNumber(), text: 'Hi' });
  const [otherId, firstId, secondId] = readMessageIds(
    await sendWhatsapp(channel, [otherNumber, contactNumber, contactNumber]),
  );
  const { messages, total } = (
    await call(heliograph, channel, 'GET', `/conversations/${conversationId}/messages`)
  ).json().data;
  expect(messages.map(({ id }: { id: string }) => id).slice(0, 2)).toEqual([secondId, firstId]);
  expect(messages[0]).toMatchObject({ direction: 'outbound', type: 'text', text: 'News' });
  expect(total).toBe(3);
  expect((await listConversations(channel))[0]).toMatchObject({ id: conversationId, lastMessage: { id: secondId } });
  const rows = await heliograph.deps.prisma.message.findMany({ where: { id: { in: [otherId, firstId] as string[] } } });
  expect(new Map(rows.map((row) => [row.recipient, row.contactId]))).toEqual(
    new Map([
      [otherNumber, null],
      [contactNumber, contactId],
    ]),
  );
});

it('a send opens a conversation for a contact, but not for other numbers', async () => {
  const channel = await createTestChannel(heliograph.deps);
  const phone = freshNumber();
  const contactId = await addContact(channel, phone);
  const [messageId] = readMessageIds(await sendWhatsapp(channel, [phone, freshNumber()]));
  expect(await listConversations(channel)).toMatchObject([{ contactId, lastMessage: { id: messageId, text: 'News' } }]);
  await sendWhatsapp(channel, [phone]);
  expect(await listConversations(channel)).toHaveLength(1);
});

it('concurrent sends open one conversation with all messages', async () => {
  const channel = await createTestChannel(heliograph.deps);
  const phone = freshNumber();
  await addContact(channel, phone);
  await Promise.all(Array.from({ length: 8 }, () => sendWhatsapp(channel, [phone])));
  const [conversation, ...otherConversations] = await listConversations(channel);
  expect(otherConversations).toEqual([]);
  const historyResponse = await call(heliograph, channel, 'GET', `/conversations/${conversation.id}/messages`);
  expect(historyResponse.json().data.total).toBe(8);
});

it('a refused send opens no conversation, and a repeated one appears once', async () => {
  const channel = await createTestChannel(heliograph.deps, undefined, { creditMicros: 10_000n });
  const phone = freshNumber();
  await addContact(channel, phone);
  expect((await sendWhatsapp(channel, [phone, phone])).statusCode).toBe(402);
  expect(await listConversations(channel)).toEqual([]);
  const key = { 'idempotency-key': newId() };
  const first = await sendWhatsapp(channel, [phone], key);
  expect(first.statusCode).toBe(200);
  expect(readMessageIds(await sendWhatsapp(channel, [phone], key))).toEqual(readMessageIds(first));
  const [conversation] = await listConversations(channel);
  const historyResponse = await call(heliograph, channel, 'GET', `/conversations/${conversation.id}/messages`);
  expect(historyResponse.json().data.total).toBe(1);
});

it("an SMS from the channel's number is in the conversation, but not one from another sender", async () => {
  const channel = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
  const phone = freshNumber();
  const { conversationId } = (await playInbound(heliograph, channel, { from: phone, text: 'Hi' })).json().data;
  const sendSmsFrom = (from: string) => post(channel, '/v1.0/sms/send', { from, to: phone, message: 'News' });
  const channelMessageId = (await sendSmsFrom(`+${channel.phoneNumber}`)).json().message_id;
  const otherMessageId = (await sendSmsFrom('Shop')).json().message_id;
  const historyResponse = await call(heliograph, channel, 'GET', `/conversations/${conversationId}/messages`);
  const ids = historyResponse.json().data.messages.map(({ id }: { id: string }) => id);
  expect(ids).toContain(channelMessageId);
  expect(ids).not.toContain(otherMessageId);
  const status = (id: string) => call(heliograph, channel, 'GET', `/messages/status/${id}`);
  expect((await status(channelMessageId)).statusCode).toBe(200);
  expect((await status(otherMessageId)).statusCode).toBe(404);
});

it('a sent message stays when its contact is deleted', async () => {
  const channel = await createTestChannel(heliograph.deps);
  const phone = freshNumber();
  const contactId = await addContact(channel, phone);
  const [id] = readMessageIds(await sendWhatsapp(channel, [phone]));
  expect((await call(heliograph, channel, 'DELETE', `/contacts/${contactId}`)).statusCode).toBe(200);
  expect(await heliograph.deps.prisma.message.findUnique({ where: { id } })).toMatchObject({
    contactId: null,
    conversationId: null,
  });
});
