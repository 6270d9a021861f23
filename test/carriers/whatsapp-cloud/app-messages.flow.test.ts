import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { listMessages } from '../../../src/messages/search/list-messages.js';
import { messagesOf } from '../../../src/messages/search/list-store.js';
import { lowestIdAt } from '../../../src/platform/ids.js';
import { envelope, inboundOf, postWebhook, storeTried } from '../../support/carriers/cloud-api/webhooks.js';
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
const US = '15550783881';
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

async function tell(value: Record<string, unknown>, field = 'messages'): Promise<void> {
  expect((await postWebhook(heliograph, stub, CARRIER, envelope(value, { field }))).statusCode).toBe(200);
  await waitFor('it to be worked off', async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0);
}
const ask = async (url: string) => (await heliograph.app.inject({ url, headers: channel.headers })).json().data;
const conversations = async () => (await ask('/api/v1/conversations')).conversations;
async function history(): Promise<Entry[]> {
  const [conversation] = await conversations();
  return (await ask(`/api/v1/conversations/${conversation.id}/messages`)).messages;
}
const kept = async () =>
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
const echo = (id: string, body: string, more: object = {}) => text(id, body, { from: US, to: CONTACT, ...more });

describe('what is sent from the app on the telephone', () => {
  it('stands in the conversation once, and is charged, sent and counted nowhere', async () => {
    const before = (await heliograph.deps.prisma.account.findFirstOrThrow()).balanceMicros;
    await tell({ message_echoes: [echo('wamid.e1', 'From my phone')] }, 'smb_message_echoes');
    await tell({ message_echoes: [echo('wamid.e1', 'From my phone')] }, 'smb_message_echoes');
    expect(await history()).toMatchObject([
      { direction: 'outbound', type: 'text', text: 'From my phone', status: 'sent', payload: null },
    ]);
    expect((await heliograph.deps.prisma.account.findFirstOrThrow()).balanceMicros).toBe(before);
    expect((await conversations())[0]).toMatchObject({ unreadCount: 0, windowExpiresAt: null });
    expect((await heliograph.deps.prisma.message.findFirstOrThrow()).nextLook).toBeNull();
  });

  it('is found by who looks through all messages, though the account sent nothing here since', async () => {
    await tell({ message_echoes: [echo('wamid.e0', 'From my phone')] }, 'smb_message_echoes');
    const { id: accountId } = await heliograph.deps.prisma.account.findFirstOrThrow();
    const { messages } = await listMessages(heliograph.deps, messagesOf(accountId), { before: null, limit: 10 });
    expect(messages).toMatchObject([{ body: 'From my phone' }]);
    const before = lowestIdAt(new Date((now - 1) * 1000));
    expect(await listMessages(heliograph.deps, messagesOf(accountId), { before, limit: 10 })).toEqual({
      messages: [],
      next: null,
    });
  });

  it('is in the list of messages if it was stored before channels named their newest one', async () => {
    await tell({ message_echoes: [echo('wamid.e9', 'From my phone')] }, 'smb_message_echoes');
    const { pool, prisma } = heliograph.deps;
    const { id: accountId } = await prisma.account.findFirstOrThrow();
    const list = () => listMessages(heliograph.deps, messagesOf(accountId), { before: null, limit: 10 });
    await prisma.channel.updateMany({ data: { newestEchoId: null } });
    // The account has sent nothing yet.
    await prisma.ledgerEntry.deleteMany();
    expect((await list()).messages).toEqual([]);
    await pool.query(await readFile('prisma/migrations/20261129120200_earlier_echoes/migration.sql', 'utf8'));
    expect((await list()).messages).toMatchObject([{ body: 'From my phone' }]);
  });

  it('notifies pages that show messages, also when it is changed', async () => {
    const touch = vi.spyOn(heliograph.deps.live, 'touch');
    try {
      const topics = () => touch.mock.calls.flatMap(([, names]) => names);
      await tell({ message_echoes: [echo('wamid.e8', 'Befor')] }, 'smb_message_echoes');
      expect(topics()).toContain('messages');
      touch.mockClear();
      const edit = { original_message_id: 'wamid.e8', message: { type: 'text', text: { body: 'Before' } } };
      await tell({ message_echoes: [echo('wamid.x8', '', { type: 'edit', edit })] }, 'smb_message_echoes');
      expect(topics()).toContain('messages');
      touch.mockClear();
      await tell(inboundOf('text', { body: 'Thanks' }, { id: 'wamid.i8', timestamp: String(now) }));
      expect(topics()).toContain('inbound');
    } finally {
      touch.mockRestore();
    }
  });

  it('has what its type has, and is changed and taken back there', async () => {
    const location = { latitude: 52.5, longitude: 13.4 };
    const place = { ...echo('wamid.e2', ''), type: 'location', text: undefined, location };
    await tell({ message_echoes: [place, echo('wamid.e3', 'Befor')] }, 'smb_message_echoes');
    const edit = { original_message_id: 'wamid.e3', message: { type: 'text', text: { body: 'Before' } } };
    const later = String(now + 60);
    await tell(
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
    await tell({ message_echoes: [echo('wamid.x2', '', { type: 'revoke', revoke })] }, 'smb_message_echoes');
    const gone = (await history()).find(({ revokedAt }) => revokedAt !== null);
    expect(gone).toMatchObject({ direction: 'outbound', text: '' });
    expect(JSON.stringify(gone)).not.toContain('Before');
    expect(await kept()).toEqual([]);
  });
});

describe('the history of the app', () => {
  const DAY = 86_400;
  const past = (id: string, body: string, daysAgo: number, more: object = {}) =>
    text(id, body, { timestamp: String(now - daysAgo * DAY), history_context: { status: 'READ' }, ...more });
  const chunk = (...messages: object[]) => ({
    history: [{ metadata: { phase: 0, chunk_order: 1, progress: 100 }, threads: [{ id: CONTACT, messages }] }],
  });

  it('lies at its times, opens no window that is over, and is told to nobody', async () => {
    const { prisma } = heliograph.deps;
    const events = await prisma.webhookDelivery.count();
    await tell(inboundOf('text', { body: 'Today' }, { id: 'wamid.today', timestamp: String(now) }));
    const messages = [
      past('wamid.h1', 'Long ago', 30),
      past('wamid.h2', 'Our answer', 29, { from: US, to: CONTACT }),
      past('wamid.h3', 'Thanks', 28),
    ];
    await tell(chunk(...messages), 'history');
    await tell(chunk(...messages), 'history');
    expect((await history()).map(({ direction, text: said, status }) => [direction, said, status])).toEqual([
      ['inbound', 'Today', null],
      ['inbound', 'Thanks', null],
      ['outbound', 'Our answer', 'read'],
      ['inbound', 'Long ago', null],
    ]);
    expect((await conversations())[0]).toMatchObject({ unreadCount: 1 });
    expect(await prisma.webhookDelivery.count()).toBe(events);
  });

  it('alone leaves the window shut', async () => {
    await tell(chunk(past('wamid.h4', 'Long ago', 3)), 'history');
    const [conversation] = await conversations();
    expect(new Date(conversation.windowExpiresAt).getTime()).toBeLessThan(Date.now());
    const payload = { to: CONTACT, message: 'Hello again' };
    const sent = await call(heliograph, channel, 'POST', '/messages/reply', payload);
    expect(sent.statusCode).toBe(403);
  });

  it('heeds a STOP in it, unless a START came after it', async () => {
    await tell(chunk(past('wamid.h5', 'STOP', 3)), 'history');
    expect(await heliograph.deps.prisma.optOut.findMany()).toMatchObject([{ phone: CONTACT, isActive: true }]);
    await tell(inboundOf('text', { body: 'START' }));
    await tell(chunk(past('wamid.h6', 'STOP', 2)), 'history');
    expect(await heliograph.deps.prisma.optOut.findMany()).toMatchObject([{ phone: CONTACT, isActive: false }]);
  });

  it('that is not shared is kept, as it says why', async () => {
    await tell({ history: [{ errors: [{ code: 2593109, title: 'History sharing is turned off' }] }] }, 'history');
    expect(await kept()).toEqual(['history:unknown unknown']);
  });
});

describe('a message of a contact', () => {
  const edit = (body: string, at: number) => ({
    ...text('wamid.edit', '', { timestamp: String(at) }),
    type: 'edit',
    text: undefined,
    edit: { original_message_id: 'wamid.first', message: { type: 'text', text: { body } } },
  });
  const revoke = { ...text('wamid.revoke', ''), type: 'revoke', revoke: { original_message_id: 'wamid.first' } };
  const first = text('wamid.first', 'Helo');

  it('shows what it was changed to last, opens no window by it, and is not unread again', async () => {
    await tell({ contacts, messages: [edit('Hello', now + 20), first] });
    await tell({ contacts, messages: [edit('Hullo', now + 10)] });
    await tell({ contacts, messages: [edit('Hello', now + 20)] });
    expect(await history()).toMatchObject([
      { text: 'Hello', payload: { body: 'Hello' }, editedAt: new Date((now + 20) * 1000).toISOString() },
    ]);
    expect((await conversations())[0]).toMatchObject({ unreadCount: 1 });
    expect(await kept()).toEqual([]);
  });

  it('is empty once it was taken back, and stays so', async () => {
    await tell({ contacts, messages: [first, revoke] });
    await tell({ contacts, messages: [edit('Hello', now + 99)] });
    expect(await history()).toMatchObject([{ text: '', payload: {}, revokedAt: expect.any(String) }]);
  });

  it('that is not here, and has not come since, is none that can be changed: the change is kept', async () => {
    await storeTried(heliograph, CARRIER, envelope({ contacts, messages: [edit('Hello', now)] }));
    await waitFor('it to be worked off', async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0);
    expect(await kept()).toEqual(['inbound:edit no-message']);
    expect(await conversations()).toEqual([]);
  });

  it('of a type that nobody knows opens the window, and has all that it came with', async () => {
    const hologram = {
      ...text('wamid.new', ''),
      type: 'hologram',
      text: undefined,
      hologram: { size: 7 },
      mood: 'glad',
    };
    await tell({ contacts, messages: [hologram] });
    expect(await history()).toMatchObject([{ type: 'hologram', text: '', payload: { size: 7, mood: 'glad' } }]);
    const [conversation] = await conversations();
    expect(new Date(conversation.windowExpiresAt).getTime()).toBeGreaterThan(Date.now());
    expect(conversation.unreadCount).toBe(1);
  });
});

it('a call is one that was missed, once, though its beginning and its end are told', async () => {
  const call = { id: 'wacid.1', from: CONTACT, to: US, direction: 'USER_INITIATED', timestamp: String(now) };
  await tell({ contacts, calls: [{ ...call, event: 'connect', session: { sdp: 'v=0' } }] }, 'calls');
  await tell({ contacts, calls: [{ ...call, event: 'terminate', status: 'FAILED' }] }, 'calls');
  expect(await history()).toMatchObject([{ direction: 'inbound', type: 'call', payload: { missed: true } }]);
  await tell({ calls: [{ ...call, id: 'wacid.2', direction: 'BUSINESS_INITIATED' }] }, 'calls');
  expect(await kept()).toEqual(['call:unknown unknown']);
});

describe('what a person told Meta of marketing', () => {
  const prefer = (value: string, at: number, more: object = {}) =>
    tell(
      {
        contacts,
        user_preferences: [
          { wa_id: CONTACT, category: 'marketing_messages', detail: 'x', value, timestamp: at, ...more },
        ],
      },
      'user_preferences',
    );
  const optOuts = () => heliograph.deps.prisma.optOut.findMany({ orderBy: { phone: 'asc' } });

  it('stops and resumes as STOP and START do, the latest counts', async () => {
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

  it('counts for all addresses of the person, and what is new is kept', async () => {
    const userId = 'US.13491208655302741918';
    await tell({
      contacts: [{ ...contacts[0], user_id: userId }],
      messages: [text('wamid.u', 'Hi', { from_user_id: userId })],
    });
    await prefer('stop', now);
    expect((await optOuts()).map(({ phone }) => phone)).toEqual([CONTACT, userId]);
    await prefer('perhaps', now);
    expect(await kept()).toEqual(['preference:marketing_messages incomplete']);
  });
});
