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
const conversations = async () => (await fetchData('/api/v1/conversations')).conversations;
async function history(): Promise<Entry[]> {
  const [conversation] = await conversations();
  return (await fetchData(`/api/v1/conversations/${conversation.id}/messages`)).messages;
}
const unusedReports = async () =>
  (await heliograph.deps.prisma.keptReport.findMany()).map(({ kind, reason }) => `${kind} ${reason}`).sort();
const text = (id: string, body: string, more: object = {}) => ({
  from: CONTACT,
  id,
  timestamp: String(now),
  type: 'text',
  text: { body },
  ...more,
});
const contacts = [{ profile: { name: 'Sheena Nelson' }, wa_id: CONTACT }];
const echo = (id: string, body: string, more: object = {}) =>
  text(id, body, { from: OUR_NUMBER, to: CONTACT, ...more });

describe('echoes', () => {
  it('a message sent from the WhatsApp Business app appears once in the conversation, and is not charged or sent', async () => {
    const before = (await heliograph.deps.prisma.account.findFirstOrThrow()).balanceMicros;
    await postValue({ message_echoes: [echo('wamid.e1', 'From my phone')] }, 'smb_message_echoes');
    await postValue({ message_echoes: [echo('wamid.e1', 'From my phone')] }, 'smb_message_echoes');
    expect(await history()).toMatchObject([
      { direction: 'outbound', type: 'text', text: 'From my phone', status: 'sent', payload: null },
    ]);
    expect((await heliograph.deps.prisma.account.findFirstOrThrow()).balanceMicros).toBe(before);
    expect((await conversations())[0]).toMatchObject({ unreadCount: 0, windowExpiresAt: null });
    expect((await heliograph.deps.prisma.message.findFirstOrThrow()).nextLook).toBeNull();
  });

  it('a message sent from the WhatsApp Business app is listed even if the account has sent nothing else', async () => {
    await postValue({ message_echoes: [echo('wamid.e0', 'From my phone')] }, 'smb_message_echoes');
    const { id: accountId } = await heliograph.deps.prisma.account.findFirstOrThrow();
    const { messages } = await listMessages(heliograph.deps, createAccountFilter(accountId), {
      before: null,
      limit: 10,
    });
    expect(messages).toMatchObject([{ body: 'From my phone' }]);
    const before = lowestIdAt(new Date((now - 1) * 1000));
    expect(await listMessages(heliograph.deps, createAccountFilter(accountId), { before, limit: 10 })).toEqual({
      messages: [],
      next: null,
    });
  });

  it('a message sent from the WhatsApp Business app is listed after the migration of channels without newestEchoId', async () => {
    await postValue({ message_echoes: [echo('wamid.e9', 'From my phone')] }, 'smb_message_echoes');
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
      const topics = () => touch.mock.calls.flatMap(([, names]) => names);
      await postValue({ message_echoes: [echo('wamid.e8', 'Befor')] }, 'smb_message_echoes');
      expect(topics()).toContain('messages');
      touch.mockClear();
      const edit = { original_message_id: 'wamid.e8', message: { type: 'text', text: { body: 'Before' } } };
      await postValue({ message_echoes: [echo('wamid.x8', '', { type: 'edit', edit })] }, 'smb_message_echoes');
      expect(topics()).toContain('messages');
      touch.mockClear();
      await postValue(buildInbound('text', { body: 'Thanks' }, { id: 'wamid.i8', timestamp: String(now) }));
      expect(topics()).toContain('inbound');
    } finally {
      touch.mockRestore();
    }
  });

  it('a message sent from the WhatsApp Business app has the content of its type, and can be edited and revoked', async () => {
    const location = { latitude: 52.5, longitude: 13.4 };
    const locationEcho = { ...echo('wamid.e2', ''), type: 'location', text: undefined, location };
    await postValue({ message_echoes: [locationEcho, echo('wamid.e3', 'Befor')] }, 'smb_message_echoes');
    const edit = { original_message_id: 'wamid.e3', message: { type: 'text', text: { body: 'Before' } } };
    const later = String(now + 60);
    await postValue(
      { message_echoes: [echo('wamid.x1', '', { type: 'edit', edit, timestamp: later })] },
      'smb_message_echoes',
    );
    expect(await history()).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ type: 'location', payload: location }),
        expect.objectContaining({ type: 'text', text: 'Before', payload: null, editedAt: expect.any(String) }),
      ]),
    );
    const revoke = { original_message_id: 'wamid.e3' };
    await postValue({ message_echoes: [echo('wamid.x2', '', { type: 'revoke', revoke })] }, 'smb_message_echoes');
    const revoked = (await history()).find(({ revokedAt }) => revokedAt !== null);
    expect(revoked).toMatchObject({ direction: 'outbound', text: '' });
    expect(JSON.stringify(revoked)).not.toContain('Before');
    expect(await unusedReports()).toEqual([]);
  });
});

describe('chat history', () => {
  const DAY = 86_400;
  const past = (id: string, body: string, daysAgo: number, more: object = {}) =>
    text(id, body, { timestamp: String(now - daysAgo * DAY), history_context: { status: 'READ' }, ...more });
  const chunk = (...messages: object[]) => ({
    history: [{ metadata: { phase: 0, chunk_order: 1, progress: 100 }, threads: [{ id: CONTACT, messages }] }],
  });

  it('the chat history of the WhatsApp Business app is stored with its original times, without reopening windows or notifying webhooks', async () => {
    const { prisma } = heliograph.deps;
    const events = await prisma.webhookDelivery.count();
    await postValue(buildInbound('text', { body: 'Today' }, { id: 'wamid.today', timestamp: String(now) }));
    const messages = [
      past('wamid.h1', 'Long ago', 30),
      past('wamid.h2', 'Our answer', 29, { from: OUR_NUMBER, to: CONTACT }),
      past('wamid.h3', 'Thanks', 28),
    ];
    await postValue(chunk(...messages), 'history');
    await postValue(chunk(...messages), 'history');
    expect((await history()).map(({ direction, text: body, status }) => [direction, body, status])).toEqual([
      ['inbound', 'Today', null],
      ['inbound', 'Thanks', null],
      ['outbound', 'Our answer', 'read'],
      ['inbound', 'Long ago', null],
    ]);
    expect((await conversations())[0]).toMatchObject({ unreadCount: 1 });
    expect(await prisma.webhookDelivery.count()).toBe(events);
  });

  it('the chat history of the WhatsApp Business app does not open the reply window', async () => {
    await postValue(chunk(past('wamid.h4', 'Long ago', 3)), 'history');
    const [conversation] = await conversations();
    expect(new Date(conversation.windowExpiresAt).getTime()).toBeLessThan(Date.now());
    const payload = { to: CONTACT, message: 'Hello again' };
    const sent = await call(heliograph, channel, 'POST', '/messages/reply', payload);
    expect(sent.statusCode).toBe(403);
  });

  it('the chat history of the WhatsApp Business app applies a STOP in it, unless a later START was received', async () => {
    await postValue(chunk(past('wamid.h5', 'STOP', 3)), 'history');
    expect(await heliograph.deps.prisma.optOut.findMany()).toMatchObject([{ phone: CONTACT, isActive: true }]);
    await postValue(buildInbound('text', { body: 'START' }));
    await postValue(chunk(past('wamid.h6', 'STOP', 2)), 'history');
    expect(await heliograph.deps.prisma.optOut.findMany()).toMatchObject([{ phone: CONTACT, isActive: false }]);
  });

  it('the chat history of the WhatsApp Business app is stored as an unused report if the business does not share it', async () => {
    await postValue({ history: [{ errors: [{ code: 2593109, title: 'History sharing is turned off' }] }] }, 'history');
    expect(await unusedReports()).toEqual(['history:unknown unknown']);
  });
});

describe('inbound messages', () => {
  const edit = (body: string, at: number) => ({
    ...text('wamid.edit', '', { timestamp: String(at) }),
    type: 'edit',
    text: undefined,
    edit: { original_message_id: 'wamid.first', message: { type: 'text', text: { body } } },
  });
  const revoke = { ...text('wamid.revoke', ''), type: 'revoke', revoke: { original_message_id: 'wamid.first' } };
  const first = text('wamid.first', 'Helo');

  it('an inbound WhatsApp message shows its latest edit without reopening the window or becoming unread', async () => {
    await postValue({ contacts, messages: [edit('Hello', now + 20), first] });
    await postValue({ contacts, messages: [edit('Hullo', now + 10)] });
    await postValue({ contacts, messages: [edit('Hello', now + 20)] });
    expect(await history()).toMatchObject([
      { text: 'Hello', payload: { body: 'Hello' }, editedAt: new Date((now + 20) * 1000).toISOString() },
    ]);
    expect((await conversations())[0]).toMatchObject({ unreadCount: 1 });
    expect(await unusedReports()).toEqual([]);
  });

  it('an inbound WhatsApp message is empty after it is revoked, and stays empty', async () => {
    await postValue({ contacts, messages: [first, revoke] });
    await postValue({ contacts, messages: [edit('Hello', now + 99)] });
    expect(await history()).toMatchObject([{ text: '', payload: {}, revokedAt: expect.any(String) }]);
  });

  it('an inbound WhatsApp message that never arrives leaves its edit as an unused report', async () => {
    await storeRetriedWebhook(heliograph, CARRIER, buildEnvelope({ contacts, messages: [edit('Hello', now)] }));
    await waitFor(
      'the webhook to be processed',
      async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0,
    );
    expect(await unusedReports()).toEqual(['inbound:edit no-message']);
    expect(await conversations()).toEqual([]);
  });

  it('an inbound WhatsApp message of an unknown type opens the window and keeps its whole content', async () => {
    const hologram = {
      ...text('wamid.new', ''),
      type: 'hologram',
      text: undefined,
      hologram: { size: 7 },
      mood: 'glad',
    };
    await postValue({ contacts, messages: [hologram] });
    expect(await history()).toMatchObject([{ type: 'hologram', text: '', payload: { size: 7, mood: 'glad' } }]);
    const [conversation] = await conversations();
    expect(new Date(conversation.windowExpiresAt).getTime()).toBeGreaterThan(Date.now());
    expect(conversation.unreadCount).toBe(1);
  });
});

it('a call is shown as one missed call, although its start and end are reported separately', async () => {
  const call = { id: 'wacid.1', from: CONTACT, to: OUR_NUMBER, direction: 'USER_INITIATED', timestamp: String(now) };
  await postValue({ contacts, calls: [{ ...call, event: 'connect', session: { sdp: 'v=0' } }] }, 'calls');
  await postValue({ contacts, calls: [{ ...call, event: 'terminate', status: 'FAILED' }] }, 'calls');
  expect(await history()).toMatchObject([{ direction: 'inbound', type: 'call', payload: { missed: true } }]);
  await postValue({ calls: [{ ...call, id: 'wacid.2', direction: 'BUSINESS_INITIATED' }] }, 'calls');
  expect(await unusedReports()).toEqual(['call:unknown unknown']);
});

describe('marketing preferences', () => {
  const prefer = (value: string, at: number, more: object = {}) =>
    postValue(
      {
        contacts,
        user_preferences: [
          { wa_id: CONTACT, category: 'marketing_messages', detail: 'x', value, timestamp: at, ...more },
        ],
      },
      'user_preferences',
    );
  const optOuts = () => heliograph.deps.prisma.optOut.findMany({ orderBy: { phone: 'asc' } });

  it('a marketing preference reported by Meta works like STOP and START, and the latest one counts', async () => {
    await prefer('stop', now - 50);
    expect(await optOuts()).toMatchObject([
      { phone: CONTACT, sender: channel.channelId, keyword: 'marketing_messages', isActive: true },
    ]);
    await prefer('resume', now - 60);
    expect(await optOuts()).toMatchObject([{ isActive: true }]);
    await prefer('resume', now - 40);
    expect(await optOuts()).toMatchObject([{ isActive: false }]);
    expect(await conversations()).toEqual([]);
  });

  it('a marketing preference reported by Meta applies to all IDs of the person; an unknown value is stored as unused', async () => {
    const userId = 'US.13491208655302741918';
    await postValue({
      contacts: [{ ...contacts[0], user_id: userId }],
      messages: [text('wamid.u', 'Hi', { from_user_id: userId })],
    });
    await prefer('stop', now);
    expect((await optOuts()).map(({ phone }) => phone)).toEqual([CONTACT, userId]);
    await prefer('perhaps', now);
    expect(await unusedReports()).toEqual(['preference:marketing_messages incomplete']);
  });
});
