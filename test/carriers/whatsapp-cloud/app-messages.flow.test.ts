import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { listMessages } from '../../../src/messages/search/list-messages.js';
import { createAccountFilter } from '../../../src/messages/search/list-store.js';
import { lowestIdAt } from '../../../src/platform/ids.js';
import {
  buildEnvelope,
  buildInbound,
  postWebhook,
  storeRetriedWebhook,
} from '../../support/carriers/cloud-api/webhooks.js';
import { call } from '../../support/channel-calls.js';
import { waitFor } from '../../support/wait-for.js';
import { CARRIER, suiteMeta } from './meta-channel.js';

interface Entry {
  direction: string;
  type: string;
  text: string;
  status: string | null;
  payload: object | null;
  editedAt: string | null;
  revokedAt: string | null;
}

const { stub, heliograph, channel } = suiteMeta();
const CONTACT = '16505551234';
const OUR_NUMBER = '15550783881';
const now = Math.floor(Date.now() / 1000);

beforeEach(async () => {
  const { prisma } = heliograph.deps;
  await prisma.carrierCallback.deleteMany();
  await prisma.inboundMessage.deleteMany();
  await prisma.message.deleteMany();
  await prisma.carrierReference.deleteMany();
  await prisma.contact.deleteMany();
  await prisma.optOut.deleteMany();
  await prisma.keptReport.deleteMany();
});

async function postValue(value: Record<string, unknown>, field = 'messages'): Promise<void> {
  expect((await postWebhook(heliograph, stub, CARRIER, buildEnvelope(value, { field }))).statusCode).toBe(200);
  await waitFor(
    'the webhook to be processed',
    async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0,
  );
}
const fetchData = async (url: string) => (await heliograph.app.inject({ url, headers: channel.headers })).json().data;
const listConversations = async () => (await fetchData('/api/v1/conversations')).conversations;
async function readHistory(): Promise<Entry[]> {
  const [conversation] = await listConversations();
  return (await fetchData(`/api/v1/conversations/${conversation.id}/messages`)).messages;
}
const listUnusedReports = async () =>
  (await heliograph.deps.prisma.keptReport.findMany()).map(({ kind, reason }) => `${kind} ${reason}`).sort();
const createText = (id: string, body: string, overrides: object = {}) => ({
  from: CONTACT,
  id,
  timestamp: String(now),
  type: 'text',
  text: { body },
  ...overrides,
});
const contacts = [{ profile: { name: 'Sheena Nelson' }, wa_id: CONTACT }];
const createEcho = (id: string, body: string, overrides: object = {}) =>
  createText(id, body, { from: OUR_NUMBER, to: CONTACT, ...overrides });

describe('echoes', () => {
  it('a message sent from the WhatsApp Business app appears once in the conversation, and is not charged or sent', async () => {
    const balanceBefore = (await heliograph.deps.prisma.account.findFirstOrThrow()).balanceMicros;
    await postValue({ message_echoes: [createEcho('wamid.e1', 'From my phone')] }, 'smb_message_echoes');
    await postValue({ message_echoes: [createEcho('wamid.e1', 'From my phone')] }, 'smb_message_echoes');
    expect(await readHistory()).toMatchObject([
      { direction: 'outbound', type: 'text', text: 'From my phone', status: 'sent', payload: null },
    ]);
    expect((await heliograph.deps.prisma.account.findFirstOrThrow()).balanceMicros).toBe(balanceBefore);
    expect((await listConversations())[0]).toMatchObject({ unreadCount: 0, windowExpiresAt: null });
    expect((await heliograph.deps.prisma.message.findFirstOrThrow()).nextLook).toBeNull();
  });

  it('a message sent from the WhatsApp Business app is listed even if the account has sent nothing else', async () => {
    await postValue({ message_echoes: [createEcho('wamid.e0', 'From my phone')] }, 'smb_message_echoes');
    const { id: accountId } = await heliograph.deps.prisma.account.findFirstOrThrow();
    const { messages } = await listMessages(heliograph.deps, createAccountFilter(accountId), {
      before: null,
      limit: 10,
    });
    expect(messages).toMatchObject([{ body: 'From my phone' }]);
    const lowestId = lowestIdAt(new Date((now - 1) * 1000));
    expect(
      await listMessages(heliograph.deps, createAccountFilter(accountId), { before: lowestId, limit: 10 }),
    ).toEqual({
      messages: [],
      next: null,
    });
  });

  it('a message sent from the WhatsApp Business app is listed after the migration of channels without newestEchoId', async () => {
    await postValue({ message_echoes: [createEcho('wamid.e9', 'From my phone')] }, 'smb_message_echoes');
    const { pool, prisma } = heliograph.deps;
    const { id: accountId } = await prisma.account.findFirstOrThrow();
    const list = () => listMessages(heliograph.deps, createAccountFilter(accountId), { before: null, limit: 10 });
    await prisma.channel.updateMany({ data: { newestEchoId: null } });
    await prisma.ledgerEntry.deleteMany();
    expect((await list()).messages).toEqual([]);
    await pool.query(await readFile('prisma/migrations/20261129120200_earlier_echoes/migration.sql', 'utf8'));
    expect((await list()).messages).toMatchObject([{ body: 'From my phone' }]);
  });

  it('a message sent from the WhatsApp Business app updates open console pages, even when it is edited', async () => {
    const touch = vi.spyOn(heliograph.deps.live, 'markStale');
    try {
      const listTopics = () => touch.mock.calls.flatMap(([, names]) => names);
      await postValue({ message_echoes: [createEcho('wamid.e8', 'Befor')] }, 'smb_message_echoes');
      expect(listTopics()).toContain('messages');
      touch.mockClear();
      const edit = { original_message_id: 'wamid.e8', message: { type: 'text', text: { body: 'Before' } } };
      await postValue(
        { message_echoes: [createEcho('wamid.x8', '', { type: 'edit', edit: edit })] },
        'smb_message_echoes',
      );
      expect(listTopics()).toContain('messages');
      touch.mockClear();
      await postValue(buildInbound('text', { body: 'Thanks' }, { id: 'wamid.i8', timestamp: String(now) }));
      expect(listTopics()).toContain('inbound');
    } finally {
      touch.mockRestore();
    }
  });

  it('a message sent from the WhatsApp Business app has the content of its type, and can be edited and revoked', async () => {
    const location = { latitude: 52.5, longitude: 13.4 };
    const locationEcho = { ...createEcho('wamid.e2', ''), type: 'location', text: undefined, location };
    await postValue({ message_echoes: [locationEcho, createEcho('wamid.e3', 'Befor')] }, 'smb_message_echoes');
    const edit = { original_message_id: 'wamid.e3', message: { type: 'text', text: { body: 'Before' } } };
    const laterTimestamp = String(now + 60);
    await postValue(
      { message_echoes: [createEcho('wamid.x1', '', { type: 'edit', edit: edit, timestamp: laterTimestamp })] },
      'smb_message_echoes',
    );
    expect(await readHistory()).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ type: 'location', payload: location }),
        expect.objectContaining({ type: 'text', text: 'Before', payload: null, editedAt: expect.any(String) }),
      ]),
    );
    const revoke = { original_message_id: 'wamid.e3' };
    await postValue({ message_echoes: [createEcho('wamid.x2', '', { type: 'revoke', revoke })] }, 'smb_message_echoes');
    const revokedEntry = (await readHistory()).find(({ revokedAt }) => revokedAt !== null);
    expect(revokedEntry).toMatchObject({ direction: 'outbound', text: '' });
    expect(JSON.stringify(revokedEntry)).not.toContain('Before');
    expect(await listUnusedReports()).toEqual([]);
  });
});

describe('chat history', () => {
  const DAY = 86_400;
  const createPastText = (id: string, body: string, daysAgo: number, overrides: object = {}) =>
    createText(id, body, { timestamp: String(now - daysAgo * DAY), history_context: { status: 'READ' }, ...overrides });
  const createChunk = (...messages: object[]) => ({
    history: [{ metadata: { phase: 0, chunk_order: 1, progress: 100 }, threads: [{ id: CONTACT, messages }] }],
  });

  it('the chat history of the WhatsApp Business app is stored with its original times, without reopening windows or notifying webhooks', async () => {
    const { prisma } = heliograph.deps;
    const events = await prisma.webhookDelivery.count();
    await postValue(buildInbound('text', { body: 'Today' }, { id: 'wamid.today', timestamp: String(now) }));
    const messages = [
      createPastText('wamid.h1', 'Long ago', 30),
      createPastText('wamid.h2', 'Our answer', 29, { from: OUR_NUMBER, to: CONTACT }),
      createPastText('wamid.h3', 'Thanks', 28),
    ];
    await postValue(createChunk(...messages), 'history');
    await postValue(createChunk(...messages), 'history');
    expect((await readHistory()).map(({ direction, text: body, status }) => [direction, body, status])).toEqual([
      ['inbound', 'Today', null],
      ['inbound', 'Thanks', null],
      ['outbound', 'Our answer', 'read'],
      ['inbound', 'Long ago', null],
    ]);
    expect((await listConversations())[0]).toMatchObject({ unreadCount: 1 });
    expect(await prisma.webhookDelivery.count()).toBe(events);
  });

  it('the chat history of the WhatsApp Business app does not open the reply window', async () => {
    await postValue(createChunk(createPastText('wamid.h4', 'Long ago', 3)), 'history');
    const [conversation] = await listConversations();
    expect(new Date(conversation.windowExpiresAt).getTime()).toBeLessThan(Date.now());
    const payload = { to: CONTACT, message: 'Hello again' };
    const response = await call(heliograph, channel, 'POST', '/messages/reply', payload);
    expect(response.statusCode).toBe(403);
  });

  it('the chat history of the WhatsApp Business app applies a STOP in it, unless a later START was received', async () => {
    await postValue(createChunk(createPastText('wamid.h5', 'STOP', 3)), 'history');
    expect(await heliograph.deps.prisma.optOut.findMany()).toMatchObject([{ phone: CONTACT, isActive: true }]);
    await postValue(buildInbound('text', { body: 'START' }));
    await postValue(createChunk(createPastText('wamid.h6', 'STOP', 2)), 'history');
    expect(await heliograph.deps.prisma.optOut.findMany()).toMatchObject([{ phone: CONTACT, isActive: false }]);
  });

  it('the chat history of the WhatsApp Business app is stored as an unused report if the business does not share it', async () => {
    await postValue({ history: [{ errors: [{ code: 2593109, title: 'History sharing is turned off' }] }] }, 'history');
    expect(await listUnusedReports()).toEqual(['history:unknown unknown']);
  });
});

describe('inbound messages', () => {
  const createEdit = (body: string, timestamp: number) => ({
    ...createText('wamid.edit', '', { timestamp: String(timestamp) }),
    type: 'edit',
    text: undefined,
    edit: { original_message_id: 'wamid.first', message: { type: 'text', text: { body } } },
  });
  const revoke = { ...createText('wamid.revoke', ''), type: 'revoke', revoke: { original_message_id: 'wamid.first' } };
  const firstText = createText('wamid.first', 'Helo');

  it('an inbound WhatsApp message shows its latest edit without reopening the window or becoming unread', async () => {
    await postValue({ contacts, messages: [createEdit('Hello', now + 20), firstText] });
    await postValue({ contacts, messages: [createEdit('Hullo', now + 10)] });
    await postValue({ contacts, messages: [createEdit('Hello', now + 20)] });
    expect(await readHistory()).toMatchObject([
      { text: 'Hello', payload: { body: 'Hello' }, editedAt: new Date((now + 20) * 1000).toISOString() },
    ]);
    expect((await listConversations())[0]).toMatchObject({ unreadCount: 1 });
    expect(await listUnusedReports()).toEqual([]);
  });

  it('an inbound WhatsApp message is empty after it is revoked, and stays empty', async () => {
    await postValue({ contacts, messages: [firstText, revoke] });
    await postValue({ contacts, messages: [createEdit('Hello', now + 99)] });
    expect(await readHistory()).toMatchObject([{ text: '', payload: {}, revokedAt: expect.any(String) }]);
  });

  it('an inbound WhatsApp message that never arrives leaves its edit as an unused report', async () => {
    await storeRetriedWebhook(heliograph, CARRIER, buildEnvelope({ contacts, messages: [createEdit('Hello', now)] }));
    await waitFor(
      'the webhook to be processed',
      async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0,
    );
    expect(await listUnusedReports()).toEqual(['inbound:edit no-message']);
    expect(await listConversations()).toEqual([]);
  });

  it('an inbound WhatsApp message of an unknown type opens the window and keeps its whole content', async () => {
    const unknownMessage = {
      ...createText('wamid.new', ''),
      type: 'hologram',
      text: undefined,
      hologram: { size: 7 },
      mood: 'glad',
    };
    await postValue({ contacts, messages: [unknownMessage] });
    expect(await readHistory()).toMatchObject([{ type: 'hologram', text: '', payload: { size: 7, mood: 'glad' } }]);
    const [conversation] = await listConversations();
    expect(new Date(conversation.windowExpiresAt).getTime()).toBeGreaterThan(Date.now());
    expect(conversation.unreadCount).toBe(1);
  });
});

it('a call is shown as one missed call, although its start and end are reported separately', async () => {
  const callEvent = {
    id: 'wacid.1',
    from: CONTACT,
    to: OUR_NUMBER,
    direction: 'USER_INITIATED',
    timestamp: String(now),
  };
  await postValue({ contacts, calls: [{ ...callEvent, event: 'connect', session: { sdp: 'v=0' } }] }, 'calls');
  await postValue({ contacts, calls: [{ ...callEvent, event: 'terminate', status: 'FAILED' }] }, 'calls');
  expect(await readHistory()).toMatchObject([{ direction: 'inbound', type: 'call', payload: { missed: true } }]);
  await postValue({ calls: [{ ...callEvent, id: 'wacid.2', direction: 'BUSINESS_INITIATED' }] }, 'calls');
  expect(await listUnusedReports()).toEqual(['call:unknown unknown']);
});

describe('marketing preferences', () => {
  const buildPreference = (value: string, timestamp: number, overrides: object = {}) =>
    postValue(
      {
        contacts,
        user_preferences: [
          { wa_id: CONTACT, category: 'marketing_messages', detail: 'x', value, timestamp: timestamp, ...overrides },
        ],
      },
      'user_preferences',
    );
  const listOptOuts = () => heliograph.deps.prisma.optOut.findMany({ orderBy: { phone: 'asc' } });

  it('a marketing preference reported by Meta works like STOP and START, and the latest one counts', async () => {
    await buildPreference('stop', now - 50);
    expect(await listOptOuts()).toMatchObject([
      { phone: CONTACT, sender: channel.channelId, keyword: 'marketing_messages', isActive: true, marketingOnly: true },
    ]);
    await buildPreference('resume', now - 60);
    expect(await listOptOuts()).toMatchObject([{ isActive: true }]);
    await buildPreference('resume', now - 40);
    expect(await listOptOuts()).toMatchObject([{ isActive: false }]);
    expect(await listConversations()).toEqual([]);
  });

  it('a marketing preference reported by Meta applies to all IDs of the person; an unknown value is stored as unused', async () => {
    const userId = 'US.13491208655302741918';
    await postValue({
      contacts: [{ ...contacts[0], user_id: userId }],
      messages: [createText('wamid.u', 'Hi', { from_user_id: userId })],
    });
    await buildPreference('stop', now);
    expect((await listOptOuts()).map(({ phone }) => phone)).toEqual([CONTACT, userId]);
    await buildPreference('perhaps', now);
    expect(await listUnusedReports()).toEqual(['preference:marketing_messages incomplete']);
  });
});
