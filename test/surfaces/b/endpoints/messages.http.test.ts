import { beforeAll, describe, expect, it } from 'vitest';
import { createTestAccount, readBalance } from '../../../support/accounts.js';
import { bindSends, HELLO, playInbound } from '../../../support/channel-calls.js';
import { addTemplate, createChannelWithTemplates, readChannelState } from '../../../support/channel-contents.js';
import { createTestChannel } from '../../../support/channels.js';
import { forSuite } from '../../../support/for-suite.js';
import { sharedApp } from '../../../support/suite.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const PRICE = 10_000n;
const FULL_BALANCE = 100_000_000n;
const NUMBER = '15005550111';

const heliograph = sharedApp();
const channel = forSuite(() => createChannelWithTemplates(heliograph));

const { sendTemplate, sendReply } = bindSends(heliograph, channel);

const text = (value: string, name?: string) => ({ type: 'text', text: value, ...(name && { parameter_name: name }) });
const bodyComponent = (...parameters: object[]) => ({ type: 'body', parameters });

describe('Template message request (Surface B)', () => {
  it('sends and charges one message with to, templateName and language', async () => {
    const freshChannel = await createChannelWithTemplates(heliograph);
    const response = await sendTemplate(HELLO, freshChannel);
    expect(response.statusCode).toBe(200);
    const { messageId } = response.json().data;
    const message = await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id: messageId } });
    expect(message).toMatchObject({
      accountId: freshChannel.account.id,
      channelId: freshChannel.channelId,
      surface: 'b',
      kind: 'whatsapp',
      priority: 2,
      sender: freshChannel.phoneNumber,
      recipient: NUMBER,
      body: 'Hello',
      content: { type: 'template', name: 'hello_world', language: 'en_US', components: [] },
      priceMicros: PRICE,
    });
    expect(await readChannelState(heliograph, freshChannel)).toEqual({
      messages: 1,
      contacts: 1,
      conversations: 1,
      balance: FULL_BALANCE - PRICE,
    });
  });

  it('fills header, body and buttons of the template by position and by name', async () => {
    const numberedResponse = await sendTemplate({
      ...HELLO,
      templateName: 'order_update',
      components: [bodyComponent(text('A-1'))],
    });
    expect(numberedResponse.statusCode).toBe(200);
    const namedResponse = await sendTemplate({
      ...HELLO,
      templateName: 'delivery',
      components: [
        { type: 'header', parameters: [text('Ann', 'customer')] },
        bodyComponent(text('Monday', 'day'), text('P-7', 'parcel')),
        { type: 'button', sub_type: 'url', index: 0, parameters: [text('P-7')] },
      ],
    });
    expect(namedResponse.statusCode).toBe(200);
    const bodies = await heliograph.deps.prisma.message.findMany({
      where: { id: { in: [numberedResponse.json().data.messageId, namedResponse.json().data.messageId] } },
      orderBy: { id: 'asc' },
    });
    expect(bodies.map((message) => message.body)).toEqual([
      'Your order A-1 is on its way.',
      'Parcel P-7 arrives Monday.',
    ]);
  });

  it('treats optional fields that are null as absent', async () => {
    const parameter = { ...text('A-1'), parameter_name: null, text: 'A-1' };
    const component = { ...bodyComponent(parameter), sub_type: null, index: null };
    const filledResponse = await sendTemplate({ ...HELLO, templateName: 'order_update', components: [component] });
    expect(filledResponse.statusCode, filledResponse.body).toBe(200);
    expect((await sendTemplate({ ...HELLO, components: null })).statusCode).toBe(200);
  });

  const order = { ...HELLO, templateName: 'order_update' };
  it.each([
    ['without to', { ...HELLO, to: undefined }, ['to']],
    ['to with a plus sign', { ...HELLO, to: `+${NUMBER}` }, ['to']],
    ['to with spaces', { ...HELLO, to: ` ${NUMBER}` }, ['to']],
    ['to that is a number', { ...HELLO, to: 15005550111 }, ['to']],
    ['to with an unassigned calling code', { ...HELLO, to: '99915005550' }, ['to']],
    ['to that is too short', { ...HELLO, to: '150055' }, ['to']],
    ['without templateName', { ...HELLO, templateName: undefined }, ['templateName']],
    ['an empty templateName', { ...HELLO, templateName: '' }, ['templateName']],
    ['without language', { ...HELLO, language: undefined }, ['language']],
    ['an invalid language code', { ...HELLO, language: 'English, please' }, ['language']],
    ['language null', { ...HELLO, language: null }, ['language']],
    ['components that are not an array', { ...HELLO, components: {} }, ['components']],
    ['a component without type', { ...HELLO, components: [{}] }, ['components[0].type']],
    [
      'a parameter without type',
      { ...order, components: [bodyComponent({ text: 'A' })] },
      ['components[0].parameters[0].type'],
    ],
    ['a missing parameter', order, ['components']],
    ['a missing parameter of a component', { ...order, components: [bodyComponent()] }, ['components[0]']],
    [
      'a surplus parameter',
      { ...order, components: [bodyComponent(text('A'), text('B'))] },
      ['components[0].parameters[1]'],
    ],
    ['a surplus component', { ...HELLO, components: [bodyComponent(text('A'))] }, ['components[0].parameters[0]']],
    ['an empty parameter', { ...order, components: [bodyComponent(text(''))] }, ['components[0].parameters[0].text']],
    ['several invalid fields', { to: 1, templateName: 2 }, ['to', 'templateName', 'language']],
  ])('returns 400 naming the field for %s, and creates and charges nothing', async (_, payload, fields) => {
    const stateBefore = await readChannelState(heliograph, channel);
    const response = await sendTemplate(payload);
    expect(response.statusCode).toBe(400);
    const { success, error } = response.json();
    expect({ success, code: error.code }).toEqual({ success: false, code: 'INVALID_REQUEST' });
    expect(error.details.map(({ field }: { field: string }) => field)).toEqual(fields);
    expect(await readChannelState(heliograph, channel)).toEqual(stateBefore);
  });

  it('names missing parameters of headers and buttons too', async () => {
    const response = await sendTemplate({
      ...HELLO,
      templateName: 'delivery',
      components: [bodyComponent(text('Monday', 'day'))],
    });
    expect(response.statusCode).toBe(400);
    const messages = response.json().error.details.map(({ message }: { message: string }) => message);
    expect(messages.join('\n')).toMatch(/\{\{customer\}\}[\s\S]*\{\{parcel\}\}[\s\S]*\{\{1\}\}/);
  });

  it.each([
    ['an unknown template', { ...HELLO, templateName: 'nothing' }],
    ['a name in another case', { ...HELLO, templateName: 'Hello_World' }],
    ['another language', { ...HELLO, language: 'de' }],
  ])('returns 404 for %s', async (_, payload) => {
    const freshChannel = await createChannelWithTemplates(heliograph);
    const stateBefore = await readChannelState(heliograph, freshChannel);
    const response = await sendTemplate(payload, freshChannel);
    expect(response.statusCode).toBe(404);
    expect(response.json().error.code).toBe('NOT_FOUND');
    expect(await readChannelState(heliograph, freshChannel)).toEqual(stateBefore);
  });

  it('returns 404 for a template of another channel, even of the same account', async () => {
    const freshChannel = await createChannelWithTemplates(heliograph);
    const siblingChannel = await createTestChannel(heliograph.deps, freshChannel.account);
    expect((await sendTemplate(HELLO, siblingChannel)).statusCode).toBe(404);
  });

  it.each(['PENDING', 'REJECTED', 'PAUSED', 'DISABLED'] as const)(
    'returns 400 for a template that is %s',
    async (state) => {
      const name = `template_${state.toLowerCase()}`;
      await addTemplate(heliograph, channel, { name, status: state });
      const response = await sendTemplate({ ...HELLO, to: '15005550177', templateName: name });
      expect(response.statusCode).toBe(400);
      expect(response.json().error).toMatchObject({ code: 'INVALID_REQUEST', details: [{ field: 'templateName' }] });
      expect(response.json().error.message).toContain(state);
      const { channelId } = channel;
      expect(await heliograph.deps.prisma.contact.count({ where: { channelId, phone: '15005550177' } })).toBe(0);
    },
  );

  it('returns 402 without enough balance, and creates no message and no contact', async () => {
    const poorChannel = await createChannelWithTemplates(heliograph, undefined, { creditMicros: PRICE - 1n });
    const response = await sendTemplate(HELLO, poorChannel);
    expect(response.statusCode).toBe(402);
    expect(response.json().error).toEqual({
      code: 'INSUFFICIENT_BALANCE',
      message: expect.stringContaining('it costs 0.01 USD, and the balance is 0.009999 USD'),
      funds: { needed: 0.01, available: 0.009999, currency: 'USD' },
    });
    expect(await readChannelState(heliograph, poorChannel)).toEqual({
      messages: 0,
      contacts: 0,
      conversations: 0,
      balance: PRICE - 1n,
    });
  });

  it('returns 402 for an existing contact too', async () => {
    const poorChannel = await createChannelWithTemplates(heliograph, undefined, { creditMicros: PRICE });
    expect((await sendTemplate(HELLO, poorChannel)).statusCode).toBe(200);
    expect((await sendTemplate(HELLO, poorChannel)).statusCode).toBe(402);
    expect((await readChannelState(heliograph, poorChannel)).messages).toBe(1);
  });

  it('returns 403 on a channel that is not active', async () => {
    const freshChannel = await createChannelWithTemplates(heliograph);
    await heliograph.deps.prisma.channel.update({ where: { id: freshChannel.channelId }, data: { isActive: false } });
    const response = await sendTemplate(HELLO, freshChannel);
    expect(response.statusCode).toBe(403);
    expect((await readChannelState(heliograph, freshChannel)).messages).toBe(0);
  });

  it('returns 403 on a channel that does not send WhatsApp messages', async () => {
    const freshChannel = await createChannelWithTemplates(heliograph);
    await heliograph.deps.prisma.channel.update({ where: { id: freshChannel.channelId }, data: { kind: 'sms' } });
    expect((await sendTemplate(HELLO, freshChannel)).statusCode).toBe(403);
    expect((await readChannelState(heliograph, freshChannel)).messages).toBe(0);
  });

  it('stores no field that the contract does not name', async () => {
    const response = await sendTemplate({ ...HELLO, priority: 3, components: [], surprise: true, from: '1' });
    const message = await heliograph.deps.prisma.message.findUniqueOrThrow({
      where: { id: response.json().data.messageId },
    });
    expect(message).toMatchObject({ priority: 2, sender: channel.phoneNumber });
    expect(JSON.stringify(message.content)).not.toContain('surprise');
  });
});

describe('Message send result (Surface B)', () => {
  it('has the IDs of message, contact and conversation for a template', async () => {
    const response = await sendTemplate(HELLO);
    expect(response.json()).toEqual({
      success: true,
      data: {
        messageId: expect.stringMatching(UUID),
        whatsappMessageId: expect.stringMatching(/^wamid\./),
        contactId: expect.stringMatching(UUID),
        conversationId: expect.stringMatching(UUID),
        status: 'sent',
      },
    });
  });

  it('has the IDs of the message for a reply', async () => {
    await playInbound(heliograph, channel, { from: NUMBER, text: 'Hi' });
    const response = await sendReply({ to: NUMBER, message: 'Hello' });
    expect(response.json()).toEqual({
      success: true,
      data: {
        messageId: expect.stringMatching(UUID),
        whatsappMessageId: expect.stringMatching(/^wamid\./),
        status: 'sent',
      },
    });
  });

  it('has the same contact and conversation for the same number', async () => {
    const [firstMessage, secondMessage] = [
      (await sendTemplate(HELLO)).json().data,
      (await sendTemplate(HELLO)).json().data,
    ];
    expect(secondMessage).toMatchObject({
      contactId: firstMessage.contactId,
      conversationId: firstMessage.conversationId,
    });
    expect(secondMessage.messageId).not.toBe(firstMessage.messageId);
  });

  it("is 400 with the carrier's reason after a permanent refusal, which is refunded", async () => {
    const freshChannel = await createChannelWithTemplates(heliograph);
    const response = await sendTemplate({ ...HELLO, to: '15005550001' }, freshChannel);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      success: false,
      error: { code: 'CARRIER_REFUSED', message: expect.stringContaining('The simulator refuses this number.') },
    });
    expect(await readBalance(heliograph.deps, freshChannel.account.id)).toBe(FULL_BALANCE);
  });
});

describe('Reply request (Surface B)', () => {
  beforeAll(async () => {
    expect((await playInbound(heliograph, channel, { from: NUMBER, text: 'Hi' })).statusCode).toBe(200);
  });

  it.each([
    ['one character', 'x'],
    ['4096 characters of two UTF-16 units each', '😀'.repeat(4096)],
  ])('accepts a text: %s', async (_, message) => {
    const response = await sendReply({ to: NUMBER, message });
    expect(response.statusCode).toBe(200);
    const row = await heliograph.deps.prisma.message.findUniqueOrThrow({
      where: { id: response.json().data.messageId },
    });
    expect(row).toMatchObject({ body: message, content: null, surface: 'b', priority: 2 });
  });

  it.each([
    ['without to', { message: 'x' }, 'to'],
    ['to that is not a number', { to: 'Ann', message: 'x' }, 'to'],
    ['without message', { to: NUMBER }, 'message'],
    ['an empty message', { to: NUMBER, message: '' }, 'message'],
    ['a message of spaces only', { to: NUMBER, message: ' \n ' }, 'message'],
    ['message null', { to: NUMBER, message: null }, 'message'],
    ['4097 characters', { to: NUMBER, message: 'x'.repeat(4097) }, 'message'],
  ])('returns 400 for %s', async (_, payload, field) => {
    const response = await sendReply(payload);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({ code: 'INVALID_REQUEST', details: [{ field }] });
  });

  it.each([
    ['an unknown contact', '15005550188'],
    ['a contact who never wrote', '15005550189'],
  ])('returns 403 WINDOW_EXPIRED for %s, without charging', async (_, to) => {
    if (to === '15005550189') await sendTemplate({ ...HELLO, to });
    const stateBefore = await readChannelState(heliograph, channel);
    const response = await sendReply({ to, message: 'Hello' });
    expect(response.statusCode).toBe(403);
    expect(response.json().error.code).toBe('WINDOW_EXPIRED');
    expect(await readChannelState(heliograph, channel)).toEqual(stateBefore);
  });

  it('returns 403 for a contact who wrote to another channel of the account', async () => {
    const siblingChannel = await createTestChannel(heliograph.deps, channel.account);
    expect((await sendReply({ to: NUMBER, message: 'Hello' }, siblingChannel)).statusCode).toBe(403);
  });

  it('returns 402 without enough balance', async () => {
    const poorChannel = await createTestChannel(heliograph.deps, undefined, { creditMicros: 0n });
    await playInbound(heliograph, poorChannel, { from: NUMBER, text: 'Hi' });
    const response = await sendReply({ to: NUMBER, message: 'Hello' }, poorChannel);
    expect(response.statusCode).toBe(402);
    expect(response.json().error.funds).toMatchObject({ needed: 0.01, currency: 'USD' });
  });
});

it('a balance for ten messages pays for exactly ten of fifty concurrent sends', async () => {
  const account = await createTestAccount(heliograph.deps, { creditMicros: 10n * PRICE });
  const freshChannel = await createChannelWithTemplates(heliograph, account);
  await sendTemplate(HELLO, freshChannel);
  const responses = await Promise.all(Array.from({ length: 50 }, () => sendTemplate(HELLO, freshChannel)));
  const statuses = responses.map(({ statusCode }) => statusCode);
  expect(statuses.filter((status) => status === 200)).toHaveLength(9);
  expect(statuses.filter((status) => status === 402)).toHaveLength(41);
  expect(await readBalance(heliograph.deps, account.id)).toBe(0n);
});
