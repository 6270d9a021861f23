import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { receiveInbound } from '../../../../src/features/inbound/receive.js';
import { Maintenance } from '../../../../src/features/maintenance/maintenance.js';
import { lowestIdAt, newId } from '../../../../src/platform/ids.js';
import { call, playInbound } from '../../../support/channel-calls.js';
import { createTestChannel, createTestKey, type TestChannel } from '../../../support/channels.js';
import { forSuite } from '../../../support/for-suite.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { suiteApp } from '../../../support/suite.js';

const DAY_MS = 86_400_000;
const clock = new ManualClock();
const heliograph = suiteApp({ role: 'api', clock });
const channel = forSuite(() => createTestChannel(heliograph.deps));

const simulate = (payload: object, receivingChannel = channel) => playInbound(heliograph, receivingChannel, payload);
let lastNumber = 0;
const freshNumber = () => `1500556${String(++lastNumber).padStart(4, '0')}`;
const findInbound = (messageId: string) =>
  heliograph.deps.prisma.inboundMessage.findUniqueOrThrow({ where: { id: messageId } });

async function listDeliveries(channelId: string) {
  const { prisma } = heliograph.deps;
  const webhooks = await prisma.webhook.findMany({ where: { channelId } });
  return prisma.webhookDelivery.findMany({ where: { webhookId: { in: webhooks.map(({ id }) => id) } } });
}

async function countRows({ channelId }: TestChannel) {
  const { prisma } = heliograph.deps;
  const where = { channelId };
  const { contactCount } = await prisma.channel.findUniqueOrThrow({ where: { id: channelId } });
  return {
    messages: await prisma.inboundMessage.count({ where }),
    contacts: await prisma.contact.count({ where }),
    contactCount,
    conversations: await prisma.conversation.findMany({ where, orderBy: { id: 'asc' } }),
    events: (await listDeliveries(channelId)).length,
    runs: await prisma.automationRun.count({ where }),
  };
}

async function createWatchedChannel(): Promise<TestChannel> {
  const newChannel = await createTestChannel(heliograph.deps);
  const owner = { accountId: newChannel.account.id, channelId: newChannel.channelId };
  await heliograph.deps.prisma.webhook.create({
    data: { id: newId(), ...owner, url: 'https://example.com/', events: ['message.received'], secret: 'whsec_eA==' },
  });
  await heliograph.deps.prisma.automation.create({
    data: { id: newId(), ...owner, name: 'Go', keyword: 'go', steps: [{ type: 'wait', seconds: 3600 }] },
  });
  return newChannel;
}

it('an inbound message with characters that PostgreSQL cannot store is stored once', async () => {
  const watched = await createWatchedChannel();
  const to = { id: watched.channelId, accountId: watched.account.id, kind: 'whatsapp' as const, phoneNumber: '1' };
  const report = {
    carrierMessageId: 'wamid.\0odd',
    from: freshNumber(),
    profileName: 'A\0da',
    type: 'te\0xt',
    body: 'Hi\ud83d',
    payload: { 'a\0': [{ '\udc00': 'b\0' }] },
    receivedAt: clock.now(),
  };
  const { messageId, repeated } = await receiveInbound(heliograph.deps, to, report);
  expect(repeated).toBe(false);
  expect(await findInbound(messageId)).toMatchObject({
    type: 'text',
    body: 'Hi\ufffd',
    payload: { a: [{ '\ufffd': 'b' }] },
  });
  expect(await receiveInbound(heliograph.deps, to, report)).toMatchObject({ messageId, repeated: true });
  expect(await listDeliveries(watched.channelId)).toHaveLength(1);
});

describe('POST /simulator/v1/inbound', () => {
  it('stores the message, its contact and its conversation before it responds', async () => {
    const from = freshNumber();
    const response = await simulate({ from, text: 'Hello', id: 'wamid.first' });
    expect(response.statusCode).toBe(200);
    const { success, data } = response.json();
    expect(success).toBe(true);
    expect(data).toMatchObject({ whatsappMessageId: 'wamid.first', receivedAt: clock.now().toISOString() });
    expect(await findInbound(data.messageId)).toMatchObject({
      accountId: channel.account.id,
      channelId: channel.channelId,
      conversationId: data.conversationId,
      carrierMessageId: 'wamid.first',
      type: 'text',
      body: 'Hello',
      payload: { body: 'Hello' },
      receivedAt: clock.now(),
    });
    const contact = await heliograph.deps.prisma.contact.findUniqueOrThrow({
      where: { id: data.contactId },
      include: { conversation: true },
    });
    expect(contact).toMatchObject({
      phone: from,
      channelId: channel.channelId,
      conversation: { id: data.conversationId, lastInboundAt: clock.now(), lastMessageAt: clock.now() },
    });
  });

  it('simulates an SMS with its event on an SMS channel, and returns 400 for other types', async () => {
    const smsChannel = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
    const owner = { accountId: smsChannel.account.id, channelId: smsChannel.channelId };
    const hook = { id: newId(), ...owner, url: 'https://example.com', events: ['message.received'], secret: 'x' };
    await heliograph.deps.prisma.webhook.create({ data: hook });
    const response = await simulate({ from: freshNumber(), text: 'Hi' }, smsChannel);
    expect(response.json().data.whatsappMessageId).toMatch(/^sim-/);
    const [event, ...otherDeliveries] = await listDeliveries(smsChannel.channelId);
    expect(event?.data).toMatchObject({
      channel: 'sms',
      channelId: smsChannel.channelId,
      to: smsChannel.phoneNumber,
      text: 'Hi',
    });
    expect(otherDeliveries).toEqual([]);
    const refusal = await simulate({ from: freshNumber(), text: 'Hi', type: 'image' }, smsChannel);
    expect(refusal.statusCode).toBe(400);
    expect(refusal.json().error.details).toMatchObject([{ field: 'type' }]);
  });

  it.each([
    ['text', { text: 'Hi' }, 'Hi', { body: 'Hi' }],
    ['text', { text: 'Hi', payload: { body: 'Hi', preview: false } }, 'Hi', { body: 'Hi', preview: false }],
    ['image', { payload: { id: '7', mime_type: 'image/png', caption: 'Look' } }, 'Look', undefined],
    ['image', { text: 'Look', payload: { link: 'https://example.com/a.png' } }, 'Look', undefined],
    ['document', { payload: { id: '8', filename: 'a.pdf', sizes: [1, { deep: null }] } }, '', undefined],
    ['button', { payload: { text: 'Yes', payload: 'YES-1' } }, 'Yes', undefined],
    ['location', { payload: { latitude: 52.52, longitude: 13.405, name: 'Berlin' } }, '', undefined],
  ])('stores type and payload: %s %j', async (type, fields, body, payload) => {
    const response = await simulate({ from: freshNumber(), type, ...fields });
    expect(response.statusCode).toBe(200);
    const expected = payload ?? (fields as { payload: object }).payload;
    expect(await findInbound(response.json().data.messageId)).toMatchObject({ type, body, payload: expected });
  });

  it.each([
    ['without from', { text: 'Hi' }, 'from'],
    ['from that is not a number', { from: '+15005550111', text: 'Hi' }, 'from'],
    ['without text', { from: '15005550111' }, 'text'],
    ['an empty text', { from: '15005550111', text: '' }, 'text'],
    ['text that is not a string', { from: '15005550111', text: 1 }, 'text'],
    ['an unknown type', { from: '15005550111', type: 'telegram', text: 'Hi' }, 'type'],
    ['an empty ID', { from: '15005550111', text: 'Hi', id: '' }, 'id'],
    ['an ID that is too long', { from: '15005550111', text: 'Hi', id: 'x'.repeat(256) }, 'id'],
    ['a payload that is not an object', { from: '15005550111', type: 'image', payload: 'x' }, 'payload'],
    ['a NUL character in the payload', { from: '15005550111', type: 'image', payload: { a: '\0' } }, 'payload.a'],
  ])('returns 400 for %s and stores nothing', async (_, payload, field) => {
    const countsBefore = await countRows(channel);
    const response = await simulate(payload);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      success: false,
      error: { code: 'INVALID_REQUEST', details: [{ field }] },
    });
    expect(await countRows(channel)).toEqual(countsBefore);
  });

  it('returns 404 for any body if the carrier of the channel is not the simulator', async () => {
    const metaChannel = await createTestChannel(heliograph.deps);
    await heliograph.deps.prisma.channel.update({ where: { id: metaChannel.channelId }, data: { carrier: 'meta' } });
    for (const payload of [{ from: freshNumber(), text: 'Hi' }, {}]) {
      const response = await simulate(payload, metaChannel);
      expect(response.statusCode).toBe(404);
      expect(response.json()).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
    }
    expect((await countRows(metaChannel)).messages).toBe(0);
  });

  it('returns 401 without a key, 403 without the scope and 404 for another path, in the format of Surface B', async () => {
    const { headers } = await createTestKey(heliograph.deps, channel, ['messages:send']);
    const { 'x-api-key': _, ...keyless } = channel.headers;
    const request = (url: string, headers: Record<string, string>) =>
      heliograph.app.inject({ method: 'POST', url, headers, payload: { from: '15005550111', text: 'Hi' } });
    for (const [response, status, code] of [
      [await request('/simulator/v1/inbound', keyless), 401, 'UNAUTHORIZED'],
      [await request('/simulator/v1/inbound', headers), 403, 'FORBIDDEN'],
      [await request('/simulator/v1/outbound', channel.headers), 404, 'NOT_FOUND'],
    ] as const) {
      expect(response.statusCode).toBe(status);
      expect(response.json()).toMatchObject({ success: false, error: { code } });
    }
  });
});

describe('an inbound message is stored once', () => {
  it('if its carrier ID is repeated, and gets the same response', async () => {
    const watched = await createWatchedChannel();
    const message = { from: freshNumber(), text: 'go', id: 'wamid.again' };
    const firstResponse = await simulate(message, watched);
    const countsAfter = await countRows(watched);
    expect(countsAfter).toMatchObject({ messages: 1, contacts: 1, contactCount: 1, events: 1, runs: 1 });
    clock.advance(60_000);
    for (const repetition of [message, { ...message, text: 'other' }, { ...message, from: freshNumber() }]) {
      expect((await simulate(repetition, watched)).body).toBe(firstResponse.body);
    }
    expect(await countRows(watched)).toEqual(countsAfter);
  });

  it('if it is reported again after its contact was deleted, without recreating the contact', async () => {
    const watched = await createWatchedChannel();
    const message = { from: freshNumber(), text: 'go', id: 'wamid.deleted' };
    const firstMessage = (await simulate(message, watched)).json().data;
    expect((await call(heliograph, watched, 'DELETE', `/contacts/${firstMessage.contactId}`)).statusCode).toBe(200);
    const countsAfter = await countRows(watched);
    expect(countsAfter).toMatchObject({
      messages: 1,
      contacts: 0,
      contactCount: 0,
      conversations: [],
      events: 1,
      runs: 0,
    });
    for (const repetition of [message, { ...message, from: freshNumber() }]) {
      const response = await simulate(repetition, watched);
      expect(response.statusCode).toBe(200);
      expect(response.json().data).toEqual({ ...firstMessage, contactId: null, conversationId: null });
    }
    expect(await countRows(watched)).toEqual(countsAfter);
    expect(await findInbound(firstMessage.messageId)).toMatchObject({ body: '', payload: {} });
  });

  it('for 30 days after its contact was deleted, and within a conversation forever', async () => {
    const { pool, prisma } = heliograph.deps;
    const now = new Date();
    const conversation = (await simulate({ from: freshNumber(), text: 'Hi' })).json().data.conversationId;
    const storeInbound = async (ageMs: number, conversationId: string | null) => {
      const id = lowestIdAt(new Date(now.getTime() - ageMs));
      const owner = { accountId: channel.account.id, channelId: channel.channelId };
      const content = { carrierMessageId: newId(), type: 'text', body: '', payload: {}, receivedAt: now };
      await prisma.inboundMessage.create({ data: { id, ...owner, ...content, conversationId } });
      return id;
    };
    const [oldId, recentId] = [
      await storeInbound(30 * DAY_MS + 1_000, null),
      await storeInbound(30 * DAY_MS - 60_000, null),
    ];
    const linkedId = await storeInbound(400 * DAY_MS, conversation);
    const log = pino({ level: 'silent' });
    await new Maintenance({ pool, log, clock: new ManualClock(now), retentionDays: 0 }).sweep();
    const remaining = await prisma.inboundMessage.findMany({ where: { id: { in: [oldId, recentId, linkedId] } } });
    expect(remaining.map(({ id }) => id).sort()).toEqual([linkedId, recentId].sort());
  });

  it('if fifty requests with its ID arrive concurrently, with one contact, one event and one run', async () => {
    const watched = await createWatchedChannel();
    const from = freshNumber();
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => simulate({ from, text: 'go', id: 'wamid.burst' }, watched)),
    );
    expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
    expect(responses[0]?.statusCode).toBe(200);
    expect(await countRows(watched)).toMatchObject({ messages: 1, contacts: 1, contactCount: 1, events: 1, runs: 1 });
  });

  it('if one ID arrives from twenty numbers concurrently, creating one contact', async () => {
    const watched = await createWatchedChannel();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => simulate({ from: freshNumber(), text: 'go', id: 'wamid.numbers' }, watched)),
    );
    expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
    expect(await countRows(watched)).toMatchObject({ messages: 1, contacts: 1, contactCount: 1, events: 1, runs: 1 });
  });

  it('unless it has no ID: fifty concurrent requests store fifty messages of one contact', async () => {
    const watched = await createWatchedChannel();
    const from = freshNumber();
    // There are more requests than connections. Requests about one contact run one after another and must finish within the
    // statement timeout of five seconds.
    const sendTwentyFive = () => Promise.all(Array.from({ length: 25 }, () => simulate({ from, text: 'Hi' }, watched)));
    const responses = [...(await sendTwentyFive()), ...(await sendTwentyFive())];
    const data = responses.map((response) => response.json().data);
    expect(new Set(data.map(({ messageId }) => messageId)).size).toBe(50);
    expect(new Set(data.map(({ whatsappMessageId }) => whatsappMessageId)).size).toBe(50);
    expect(new Set(data.map(({ conversationId }) => conversationId)).size).toBe(1);
    const countsAfter = await countRows(watched);
    expect(countsAfter).toMatchObject({ messages: 50, contacts: 1, contactCount: 1, events: 50 });
    expect(countsAfter.conversations).toHaveLength(1);
  });

  it('unless the IDs differ in case or spaces, or belong to different channels', async () => {
    const [firstChannel, secondChannel] = [await createWatchedChannel(), await createWatchedChannel()];
    const from = freshNumber();
    const ids = ['wamid.A', 'wamid.a', ' wamid.a', 'wamid.a ', 'wamid.ä', 'wamid.a\u0308'];
    for (const id of ids) expect((await simulate({ from, text: id, id }, firstChannel)).statusCode).toBe(200);
    await simulate({ from, text: 'x', id: 'wamid.A' }, secondChannel);
    expect(await countRows(firstChannel)).toMatchObject({ messages: ids.length, contacts: 1 });
    expect(await countRows(secondChannel)).toMatchObject({ messages: 1, contacts: 1 });
  });
});

describe('an inbound message reported by a carrier', () => {
  const receive = (fields: Partial<Parameters<typeof receiveInbound>[2]>) =>
    receiveInbound(
      heliograph.deps,
      { id: channel.channelId, accountId: channel.account.id, kind: 'whatsapp', phoneNumber: channel.phoneNumber },
      {
        carrierMessageId: newId(),
        from: freshNumber(),
        type: 'text',
        body: 'Hi',
        payload: { body: 'Hi' },
        receivedAt: clock.now(),
        ...fields,
      },
    );
  const findConversation = (id: string | null) =>
    heliograph.deps.prisma.conversation.findUniqueOrThrow({ where: { id: id ?? '' } });

  it('neither closes the window earlier nor moves the conversation down if it arrives late', async () => {
    const from = freshNumber();
    const { conversationId } = await receive({ from });
    const conversationBefore = await findConversation(conversationId);
    const lateMessage = await receive({ from, receivedAt: new Date(clock.now().getTime() - 3_600_000) });
    expect(lateMessage.conversationId).toBe(conversationId);
    expect(await findConversation(conversationId)).toEqual({ ...conversationBefore, unreadCount: 2 });
  });

  it('opens the window for the remaining 23 hours if it is an hour old', async () => {
    const hourAgo = new Date(clock.now().getTime() - 3_600_000);
    const { conversationId } = await receive({ receivedAt: hourAgo });
    expect((await findConversation(conversationId)).lastInboundAt).toEqual(hourAgo);
  });

  it("opens the window for at most 24 hours from now if the carrier's clock is ahead", async () => {
    const { conversationId, receivedAt } = await receive({ receivedAt: new Date(clock.now().getTime() + 3_600_000) });
    expect(receivedAt).toEqual(clock.now());
    expect((await findConversation(conversationId)).lastInboundAt).toEqual(clock.now());
  });

  it('sets the name of a contact without one, but does not overwrite a name', async () => {
    const from = freshNumber();
    const getName = async () =>
      (await heliograph.deps.prisma.contact.findFirstOrThrow({ where: { phone: from, channelId: channel.channelId } }))
        .name;
    await receive({ from });
    expect(await getName()).toBe('');
    await receive({ from, profileName: 'Ann' });
    expect(await getName()).toBe('Ann');
    await receive({ from, profileName: 'Bob' });
    expect(await getName()).toBe('Ann');
  });

  it('is stored without characters that PostgreSQL cannot store', async () => {
    const { messageId } = await receive({ body: 'a\0b', payload: { body: 'a\0b', deep: [{ lone: '\ud800' }] } });
    expect(await findInbound(messageId)).toMatchObject({
      body: 'ab',
      payload: { body: 'ab', deep: [{ lone: '\ufffd' }] },
    });
  });

  it('creates a message.received event with everything it contained', async () => {
    const watched = await createWatchedChannel();
    const from = freshNumber();
    const payload = { latitude: 1.5, longitude: 2, name: 'Here' };
    const { data } = (await simulate({ from, type: 'location', payload, id: 'wamid.event' }, watched)).json();
    const [delivery] = await listDeliveries(watched.channelId);
    expect(delivery).toMatchObject({
      type: 'message.received',
      status: 'pending',
      occurredAt: clock.now(),
      data: {
        messageId: data.messageId,
        channel: 'whatsapp',
        channelId: watched.channelId,
        contactId: data.contactId,
        conversationId: data.conversationId,
        from,
        to: watched.phoneNumber,
        type: 'location',
        text: '',
        payload,
        carrierMessageId: 'wamid.event',
      },
    });
  });
});
