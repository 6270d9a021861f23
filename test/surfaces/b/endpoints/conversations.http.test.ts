import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/platform/ids.js';
import { call, HELLO, playInbound } from '../../../support/channel-calls.js';
import { addTemplate, createChannelWithTemplates } from '../../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { suiteApp } from '../../../support/suite.js';

const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;
const NUMBERS = ['15005560001', '15005560002', '15005560003'] as const;
const clock = new ManualClock();
const heliograph = suiteApp({ clock });

const receiveMessage = async (channel: TestChannel, from: string, fields: object = { text: 'Hi' }) => {
  const response = await playInbound(heliograph, channel, { from, ...fields });
  expect(response.statusCode).toBe(200);
  return response.json().data;
};
const sendTemplate = async (channel: TestChannel, to: string) => {
  const response = await call(heliograph, channel, 'POST', '/messages/template', { ...HELLO, to });
  expect(response.statusCode).toBe(200);
  return response.json().data;
};
const reply = (channel: TestChannel, to: string) =>
  call(heliograph, channel, 'POST', '/messages/reply', { to, message: 'Hello' });
const list = (channel: TestChannel, query = '') => call(heliograph, channel, 'GET', `/conversations${query}`);
const getHistory = (channel: TestChannel, id: string, query = '') =>
  call(heliograph, channel, 'GET', `/conversations/${id}/messages${query}`);
const readPhones = (response: Awaited<ReturnType<typeof list>>) =>
  response.json().data.conversations.map(({ contact }: { contact: { phone: string } }) => contact.phone);

describe('the 24-hour window', () => {
  it.each([
    ['23:59:59', DAY_MS - SECOND_MS, 200],
    ['23:59:59.999', DAY_MS - 1, 200],
    ['24:00:00', DAY_MS, 403],
    ['24:00:01', DAY_MS + SECOND_MS, 403],
  ])('returns the expected status for a reply %s after an inbound message', async (_, age, status) => {
    const channel = await createTestChannel(heliograph.deps);
    await receiveMessage(channel, NUMBERS[0]);
    clock.advance(age);
    const response = await reply(channel, NUMBERS[0]);
    expect(response.statusCode).toBe(status);
    if (status === 403) expect(response.json().error.code).toBe('WINDOW_EXPIRED');
  });

  it('opens again with the next inbound message, but not with an outbound message', async () => {
    const channel = await createChannelWithTemplates(heliograph);
    await receiveMessage(channel, NUMBERS[0]);
    clock.advance(DAY_MS + SECOND_MS);
    await sendTemplate(channel, NUMBERS[0]);
    expect((await reply(channel, NUMBERS[0])).statusCode).toBe(403);
    await receiveMessage(channel, NUMBERS[0]);
    expect((await reply(channel, NUMBERS[0])).statusCode).toBe(200);
  });

  it('opens with a message of any type', async () => {
    const channel = await createTestChannel(heliograph.deps);
    await receiveMessage(channel, NUMBERS[0], { type: 'image', payload: { id: '1' } });
    expect((await reply(channel, NUMBERS[0])).statusCode).toBe(200);
  });

  it('belongs to one contact', async () => {
    const channel = await createTestChannel(heliograph.deps);
    await receiveMessage(channel, NUMBERS[0]);
    expect((await reply(channel, NUMBERS[1])).statusCode).toBe(403);
  });
});

describe('GET /conversations', () => {
  it('returns id, contactId, contact, unreadCount, lastMessage, lastMessageAt, windowExpiresAt, createdAt', async () => {
    const channel = await createChannelWithTemplates(heliograph);
    const startedAt = clock.now();
    const { messageId, contactId, conversationId } = await sendTemplate(channel, NUMBERS[0]);
    await heliograph.deps.prisma.contact.update({ where: { id: contactId }, data: { name: 'Ann' } });
    const conversation = {
      id: conversationId,
      contactId,
      contact: { phone: NUMBERS[0], userId: null, username: null, name: 'Ann' },
      unreadCount: 0,
      lastMessage: {
        id: messageId,
        direction: 'outbound',
        type: 'template',
        text: 'Hello',
        status: expect.stringMatching(/^(sent|delivered)$/),
        createdAt: startedAt.toISOString(),
      },
      lastMessageAt: startedAt.toISOString(),
      windowExpiresAt: null,
      createdAt: startedAt.toISOString(),
    };
    expect((await list(channel)).json()).toEqual({
      success: true,
      data: { conversations: [conversation], total: 1, limit: 50, offset: 0 },
    });
    clock.advance(SECOND_MS);
    const secondMessage = await receiveMessage(channel, NUMBERS[0]);
    const expected = {
      ...conversation,
      unreadCount: 1,
      lastMessage: {
        id: secondMessage.messageId,
        direction: 'inbound',
        type: 'text',
        text: 'Hi',
        status: null,
        createdAt: secondMessage.receivedAt,
      },
      lastMessageAt: secondMessage.receivedAt,
      windowExpiresAt: new Date(clock.now().getTime() + DAY_MS).toISOString(),
    };
    expect((await list(channel)).json().data.conversations).toEqual([expected]);
    const singleResponse = await call(heliograph, channel, 'GET', `/conversations/${conversationId}`);
    expect(singleResponse.json()).toEqual({ success: true, data: expected });
  });

  it('sorts by the newest message, inbound or outbound', async () => {
    const channel = await createChannelWithTemplates(heliograph);
    for (const number of NUMBERS) {
      await receiveMessage(channel, number);
      clock.advance(SECOND_MS);
    }
    expect(readPhones(await list(channel))).toEqual([...NUMBERS].reverse());
    await sendTemplate(channel, NUMBERS[0]);
    expect(readPhones(await list(channel))).toEqual([NUMBERS[0], NUMBERS[2], NUMBERS[1]]);
    clock.advance(SECOND_MS);
    await reply(channel, NUMBERS[1]);
    expect(readPhones(await list(channel))).toEqual([NUMBERS[1], NUMBERS[0], NUMBERS[2]]);
    clock.advance(SECOND_MS);
    await receiveMessage(channel, NUMBERS[2]);
    expect(readPhones(await list(channel))).toEqual([NUMBERS[2], NUMBERS[1], NUMBERS[0]]);
  });

  it('pages by limit and offset in a stable order, even for equal times', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const numbers = Array.from({ length: 7 }, (_, index) => `1500557000${index}`);
    for (const number of numbers) await receiveMessage(channel, number);
    const pages = [await list(channel, '?limit=3'), await list(channel, '?limit=3&offset=3')];
    const restPage = await list(channel, '?limit=1000&offset=6');
    expect([...pages, restPage].flatMap(readPhones)).toEqual(readPhones(await list(channel)));
    expect(new Set(readPhones(await list(channel)))).toEqual(new Set(numbers));
    expect(restPage.json().data).toMatchObject({ total: 7, limit: 1000, offset: 6 });
    expect((await list(channel, '?offset=7')).json().data).toMatchObject({ conversations: [], total: 7 });
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'limit=1.5', 'offset=-1', 'offset=x'])(
    'returns 400 for %s',
    async (query) => {
      const channel = await createTestChannel(heliograph.deps);
      const response = await list(channel, `?${query}`);
      expect(response.statusCode).toBe(400);
      expect(response.json().error).toMatchObject({
        code: 'INVALID_REQUEST',
        details: [{ field: query.split('=')[0] }],
      });
    },
  );

  it('filters by unread, windowOpen and search, alone and combined', async () => {
    const channel = await createChannelWithTemplates(heliograph);
    const oldMessage = await receiveMessage(channel, NUMBERS[0]);
    clock.advance(DAY_MS + SECOND_MS);
    const { conversationId } = await receiveMessage(channel, NUMBERS[1]);
    await sendTemplate(channel, NUMBERS[2]);
    await heliograph.deps.prisma.contact.update({ where: { id: oldMessage.contactId }, data: { name: 'Νίκος' } });
    await call(heliograph, channel, 'POST', `/conversations/${conversationId}/read`);
    const findPhones = async (query: string) => {
      const response = await list(channel, query);
      expect(response.json().data.total).toBe(readPhones(response).length);
      return new Set(readPhones(response));
    };
    const [oldNumber, readNumber, silentNumber] = NUMBERS;
    expect(await findPhones('?unread=true')).toEqual(new Set([oldNumber]));
    expect(await findPhones('?unread=false')).toEqual(new Set([readNumber, silentNumber]));
    expect(await findPhones('?windowOpen=true')).toEqual(new Set([readNumber]));
    expect(await findPhones('?windowOpen=false')).toEqual(new Set([oldNumber, silentNumber]));
    expect(await findPhones('?unread=false&windowOpen=false')).toEqual(new Set([silentNumber]));
    expect(await findPhones(`?search=${encodeURIComponent('ΝΊΚΟΣ')}`)).toEqual(new Set([oldNumber]));
    expect(await findPhones(`?search=${encodeURIComponent('+1 500 556')}`)).toEqual(new Set(NUMBERS));
    expect(await findPhones('?search=02')).toEqual(new Set([readNumber]));
    expect(await findPhones('?search=1500556&unread=true')).toEqual(new Set([oldNumber]));
    expect(await findPhones('?unread=&windowOpen=')).toEqual(await findPhones(''));
    expect(await findPhones('?search=nobody')).toEqual(new Set());
    expect(await findPhones('?search=%09')).toEqual(new Set());
    expect(readPhones(await list(channel, '?search=1500556&limit=1&offset=2'))).toEqual([oldNumber]);
  });

  it.each(['unread=yes', 'windowOpen=1', 'unread=%20'])('returns 400 for %s', async (query) => {
    const channel = await createTestChannel(heliograph.deps);
    const field = query.split('=')[0];
    expect((await list(channel, `?${query}`)).json().error.details).toEqual([
      { field, message: 'must be true or false' },
    ]);
  });

  it('shows nothing of other channels, even of the same account', async () => {
    const channel = await createTestChannel(heliograph.deps);
    await receiveMessage(channel, NUMBERS[0]);
    for (const otherChannel of [
      await createTestChannel(heliograph.deps),
      await createTestChannel(heliograph.deps, channel.account),
    ]) {
      expect((await list(otherChannel)).json().data).toMatchObject({ conversations: [], total: 0 });
    }
  });
});

describe('POST /conversations/:id/read', () => {
  const markRead = (channel: TestChannel, id: string, body?: object) =>
    call(heliograph, channel, 'POST', `/conversations/${id}/read`, body);

  it('marks all as read; later messages are unread again', async () => {
    const channel = await createTestChannel(heliograph.deps);
    await receiveMessage(channel, NUMBERS[0]);
    const { conversationId } = await receiveMessage(channel, NUMBERS[0]);
    expect((await list(channel)).json().data.conversations[0].unreadCount).toBe(2);
    const response = await markRead(channel, conversationId);
    expect(response.statusCode).toBe(200);
    expect(response.json().data).toMatchObject({ id: conversationId, unreadCount: 0 });
    await receiveMessage(channel, NUMBERS[0]);
    expect((await list(channel)).json().data.conversations[0].unreadCount).toBe(1);
  });

  it('leaves messages after upTo unread, whether upTo is inbound or outbound', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const firstMessage = await receiveMessage(channel, NUMBERS[0]);
    const replyData = (await reply(channel, NUMBERS[0])).json().data;
    await receiveMessage(channel, NUMBERS[0]);
    await receiveMessage(channel, NUMBERS[0]);
    const { conversationId } = firstMessage;
    for (const upTo of [firstMessage.messageId, replyData.messageId.toUpperCase()]) {
      expect((await markRead(channel, conversationId, { upTo })).json().data.unreadCount).toBe(2);
    }
    expect((await markRead(channel, conversationId, {})).json().data.unreadCount).toBe(0);
    expect((await markRead(channel, conversationId, { upTo: firstMessage.messageId })).json().data.unreadCount).toBe(0);
  });

  it('does not count a repeated report of a message twice', async () => {
    const channel = await createTestChannel(heliograph.deps);
    for (let count = 0; count < 2; count += 1)
      await receiveMessage(channel, NUMBERS[0], { text: 'Hi', id: 'wamid.once' });
    expect((await list(channel)).json().data.conversations[0].unreadCount).toBe(1);
  });

  it('returns 400 for a malformed upTo and 404 for a message of another conversation, and marks nothing', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { conversationId } = await receiveMessage(channel, NUMBERS[0]);
    const otherMessage = await receiveMessage(channel, NUMBERS[1]);
    expect((await markRead(channel, conversationId, { upTo: 'x' })).statusCode).toBe(400);
    expect((await markRead(channel, conversationId, { upTo: null })).statusCode).toBe(400);
    expect((await markRead(channel, conversationId, { upTo: otherMessage.messageId })).statusCode).toBe(404);
    expect((await list(channel, '?unread=true')).json().data.total).toBe(2);
  });
});

describe('GET /conversations/:id/messages', () => {
  it('lists inbound and outbound messages, newest first, each with its type, payload, status and times', async () => {
    const channel = await createTestChannel(heliograph.deps);
    await addTemplate(heliograph, channel, {
      name: 'order_update',
      components: [{ type: 'BODY', text: 'Order {{1}}' }],
    });
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'A-1' }] }];
    const template = { to: NUMBERS[0], templateName: 'order_update', language: 'en_US', components };
    const sentTemplate = (await call(heliograph, channel, 'POST', '/messages/template', template)).json().data;
    const location = { latitude: 52.52, longitude: 13.405 };
    const receivedLocation = await receiveMessage(channel, NUMBERS[0], {
      type: 'location',
      payload: location,
      id: 'wamid.place',
    });
    const replyData = (await reply(channel, NUMBERS[0])).json().data;

    const response = await getHistory(channel, sentTemplate.conversationId);
    expect(response.statusCode).toBe(200);
    const { messages, ...rest } = response.json().data;
    const times = { createdAt: clock.now().toISOString(), sentAt: clock.now().toISOString(), readAt: null };
    const outbound = {
      direction: 'outbound',
      status: expect.stringMatching(/^(sent|delivered)$/),
      errorCode: null,
      errorMessage: null,
      ...times,
      editedAt: null,
      revokedAt: null,
      deliveredAt: expect.toSatisfy((value) => value === null || value === times.sentAt),
    };
    expect(messages).toEqual([
      {
        ...outbound,
        id: replyData.messageId,
        whatsappMessageId: replyData.whatsappMessageId,
        type: 'text',
        text: 'Hello',
        payload: null,
      },
      {
        id: receivedLocation.messageId,
        direction: 'inbound',
        type: 'location',
        text: '',
        payload: location,
        whatsappMessageId: 'wamid.place',
        status: null,
        errorCode: null,
        errorMessage: null,
        createdAt: receivedLocation.receivedAt,
        sentAt: null,
        deliveredAt: null,
        readAt: null,
        editedAt: null,
        revokedAt: null,
      },
      {
        ...outbound,
        id: sentTemplate.messageId,
        whatsappMessageId: sentTemplate.whatsappMessageId,
        type: 'template',
        text: 'Order A-1',
        payload: { name: 'order_update', language: 'en_US', components },
      },
    ]);
    expect(rest).toEqual({
      total: 3,
      limit: 50,
      offset: 0,
      windowExpiresAt: new Date(clock.now().getTime() + DAY_MS).toISOString(),
    });
  });

  it('pages by limit and offset through both directions together', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const expectedIds: string[] = [];
    let conversationId = '';
    for (let index = 0; index < 5; index++) {
      const receivedMessage = await receiveMessage(channel, NUMBERS[0]);
      conversationId = receivedMessage.conversationId;
      expectedIds.unshift(receivedMessage.messageId);
      expectedIds.unshift((await reply(channel, NUMBERS[0])).json().data.messageId);
    }
    const listIds = async (query: string) =>
      (await getHistory(channel, conversationId, query)).json().data.messages.map(({ id }: { id: string }) => id);
    expect(await listIds('')).toEqual(expectedIds);
    expect(await listIds('?limit=3')).toEqual(expectedIds.slice(0, 3));
    expect(await listIds('?limit=4&offset=3')).toEqual(expectedIds.slice(3, 7));
    expect(await listIds('?limit=1000&offset=9')).toEqual(expectedIds.slice(9));
    expect(await listIds('?offset=10')).toEqual([]);
    expect((await getHistory(channel, conversationId, '?limit=3')).json().data).toMatchObject({ total: 10, limit: 3 });
  });

  it('returns windowExpiresAt null for a contact who never wrote, and a past time after it closed', async () => {
    const channel = await createChannelWithTemplates(heliograph);
    const { conversationId } = await sendTemplate(channel, NUMBERS[0]);
    const getExpiry = async () => (await getHistory(channel, conversationId)).json().data.windowExpiresAt;
    expect(await getExpiry()).toBeNull();
    await receiveMessage(channel, NUMBERS[0]);
    const closesAt = new Date(clock.now().getTime() + DAY_MS).toISOString();
    clock.advance(2 * DAY_MS);
    expect(await getExpiry()).toBe(closesAt);
  });

  it.each(['limit=0', 'offset=-1'])('returns 400 for %s', async (query) => {
    const channel = await createTestChannel(heliograph.deps);
    const { conversationId } = await receiveMessage(channel, NUMBERS[0]);
    expect((await getHistory(channel, conversationId, `?${query}`)).statusCode).toBe(400);
  });

  it('returns the same 404 for a malformed, an unknown and a foreign ID', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { conversationId } = await receiveMessage(channel, NUMBERS[0]);
    const siblingChannel = await createTestChannel(heliograph.deps, channel.account);
    const otherChannel = await createTestChannel(heliograph.deps);
    const responses = [
      await getHistory(channel, 'x'),
      await getHistory(channel, newId()),
      await getHistory(siblingChannel, conversationId),
      await getHistory(otherChannel, conversationId),
    ];
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404]);
    expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
    expect(responses[0]?.json().error.code).toBe('NOT_FOUND');
  });
});
