import { expect, it } from 'vitest';
import { bindSends, call, playInbound } from '../../../support/channel-calls.js';
import { readChannelState } from '../../../support/channel-contents.js';
import { createTestChannel } from '../../../support/channels.js';
import { suiteApp } from '../../../support/suite.js';

const NUMBER = '15005550121';
const heliograph = suiteApp({ settings: { SMS_MAX_CHARS: '300' } });

const createSmsChannel = () => createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
const replyFrom = (channel: Awaited<ReturnType<typeof createSmsChannel>>, message: string, to = NUMBER) =>
  bindSends(heliograph, channel).sendReply({ to, message });
const findMessage = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });

it('a reply on an SMS channel is sent as an SMS from its number, charged per part', async () => {
  const channel = await createSmsChannel();
  const { contactId, conversationId } = (await playInbound(heliograph, channel, { from: NUMBER, text: 'Hi' })).json()
    .data;
  const stateBefore = await readChannelState(heliograph, channel);
  const response = await replyFrom(channel, 'x'.repeat(161));
  expect(response.statusCode).toBe(200);
  const { messageId, whatsappMessageId, status } = response.json().data;
  expect(status).toBe('sent');
  const message = await findMessage(messageId);
  expect(message).toMatchObject({
    kind: 'sms',
    surface: 'b',
    sender: channel.phoneNumber,
    recipient: NUMBER,
    parts: 2,
    content: null,
    carrier: 'simulator',
    channelId: channel.channelId,
    contactId,
    conversationId,
    carrierMessageId: whatsappMessageId,
  });
  expect((await readChannelState(heliograph, channel)).balance).toBe(stateBefore.balance - message.priceMicros);
});

it('a reply on an SMS channel is in the history and has a status', async () => {
  const channel = await createSmsChannel();
  const { conversationId } = (await playInbound(heliograph, channel, { from: NUMBER, text: 'Hi' })).json().data;
  const { messageId } = (await replyFrom(channel, 'Hello')).json().data;
  const history = await call(heliograph, channel, 'GET', `/conversations/${conversationId}/messages`);
  expect(history.json().data.messages).toMatchObject([
    { id: messageId, direction: 'outbound', type: 'text', text: 'Hello' },
    { direction: 'inbound', text: 'Hi' },
  ]);
  expect((await call(heliograph, channel, 'GET', `/messages/status/${messageId}`)).statusCode).toBe(200);
});

it('a reply on an SMS channel gets 403 with alternatives if the contact has not written within 24 hours', async () => {
  const response = await replyFrom(await createSmsChannel(), 'Hello');
  expect(response.statusCode).toBe(403);
  expect(response.json().error).toMatchObject({
    code: 'WINDOW_EXPIRED',
    message: expect.stringContaining('POST /v2/send'),
  });
});

it.each([
  ['that is too long for an SMS', 'x'.repeat(301)],
  ['of invisible characters', '\u200b \u2060'],
])('a reply on an SMS channel gets 400 with a text %s', async (_, text) => {
  const channel = await createSmsChannel();
  await playInbound(heliograph, channel, { from: NUMBER, text: 'Hi' });
  const response = await replyFrom(channel, text);
  expect(response.statusCode).toBe(400);
  expect(response.json().error.details).toEqual([
    {
      field: 'message',
      message: 'must be a text of 1 to 300 characters, with at least one visible character',
    },
  ]);
  expect((await readChannelState(heliograph, channel)).messages).toBe(0);
});

it('a reply on an SMS channel gets 400 OPTED_OUT if the contact wrote STOP to the number', async () => {
  const channel = await createSmsChannel();
  await playInbound(heliograph, channel, { from: NUMBER, text: 'Stop' });
  const response = await replyFrom(channel, 'Hello');
  expect(response.statusCode).toBe(400);
  expect(response.json().error.code).toBe('OPTED_OUT');
});
