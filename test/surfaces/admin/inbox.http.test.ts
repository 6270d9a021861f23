import { beforeAll, describe, expect, it } from 'vitest';
import { createChannelWithTemplates } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { ManualClock } from '../../support/manual-clock.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { listBlockedStatements } from '../../support/store/blocked-statements.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const NUMBERS = ['15005560001', '15005560002', '15005560003'] as const;
const clock = new ManualClock();
const heliograph = suiteApp({ clock });
let channel: TestChannel;
let operator: TestOperator;

/** Signs in again, because a session expires when a test moves the clock too far. */
const signIn = async () => {
  operator = await createTestOperator(heliograph, { role: 'developer' });
};
beforeAll(signIn);

const channelPath = (path: string, target = channel) =>
  `/accounts/${target.account.id}/channels/${target.channelId}${path}`;
const askConsole = (method: 'GET' | 'POST', path: string, body?: object, target = channel) =>
  operator.ask(method, channelPath(path, target), body);
const simulateInbound = async (from: string, fields: object = { text: 'Hi' }, target = channel) => {
  const response = await askConsole('POST', '/simulator/inbound', { from, ...fields }, target);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data as { messageId: string; conversationId: string };
};
const listAuditEntries = async (action: string) =>
  (await heliograph.deps.prisma.auditLine.findMany({ where: { action, accountId: channel.account.id } })).map(
    ({ subject, actorName, after }) => ({ subject, actorName, after }),
  );

describe('the conversations of a channel', () => {
  const readPhones = (body: { data: { contact: { phone: string } }[] }) =>
    body.data.map(({ contact }) => contact.phone);

  beforeAll(async () => {
    channel = await createTestChannel(heliograph.deps);
    for (const number of NUMBERS) {
      await simulateInbound(number);
      clock.advance(1_000);
    }
    // Two conversations whose last messages have the same millisecond are ordered by ID.
    await heliograph.deps.prisma.conversation.updateMany({
      where: { channelId: channel.channelId, contact: { phone: { in: [NUMBERS[1], NUMBERS[2]] } } },
      data: { lastMessageAt: clock.now() },
    });
  });

  it('are paged by cursor, newest message first', async () => {
    const firstPage = (await askConsole('GET', '/conversations?limit=1')).json();
    expect(readPhones(firstPage)).toEqual([NUMBERS[2]]);
    const secondPage = (await askConsole('GET', `/conversations?limit=1&cursor=${firstPage.next}`)).json();
    expect(readPhones(secondPage)).toEqual([NUMBERS[1]]);
    const lastPage = (await askConsole('GET', `/conversations?limit=1&cursor=${secondPage.next}`)).json();
    expect([readPhones(lastPage), lastPage.next]).toEqual([[NUMBERS[0]], null]);
    for (const cursor of ['x', '1.x', `x.${crypto.randomUUID()}`, `999999999999999.${crypto.randomUUID()}`]) {
      const refusal = await askConsole('GET', `/conversations?cursor=${cursor}`);
      expect([refusal.statusCode, refusal.json().error.details[0].field]).toEqual([400, 'cursor']);
    }
  });

  it('are filtered by unread messages, by window and by search', async () => {
    const findPhones = async (query: string) => readPhones((await askConsole('GET', `/conversations${query}`)).json());
    expect(await findPhones(`?search=${NUMBERS[1].slice(-4)}`)).toEqual([NUMBERS[1]]);
    expect(await findPhones('?search=%EF%BF%BDnone')).toEqual([]);
    const [entry] = (await askConsole('GET', `/conversations?search=${NUMBERS[1]}`)).json().data;
    const readResponse = await askConsole('POST', `/conversations/${entry.id}/read`, { upTo: entry.lastMessage.id });
    expect(readResponse.json().data).toMatchObject({ id: entry.id, unreadCount: 0 });
    expect(await listAuditEntries('conversation.read')).toMatchObject([
      { subject: entry.id, actorName: operator.name },
    ]);
    expect(await findPhones('?unread=true')).toEqual([NUMBERS[2], NUMBERS[0]]);
    expect(await findPhones('?unread=false')).toEqual([NUMBERS[1]]);
    expect(await findPhones('?windowOpen=true')).toHaveLength(3);
    expect(await findPhones('?windowOpen=false')).toEqual([]);
  });

  it('include their contact and whether it has opted out', async () => {
    const { conversationId } = await simulateInbound(NUMBERS[0], { text: 'STOP' });
    const { data } = (await askConsole('GET', `/conversations/${conversationId}`)).json();
    expect(data).toMatchObject({
      id: conversationId,
      contact: { phone: NUMBERS[0], name: '', email: '', optedOut: true },
      lastMessage: { direction: 'inbound', text: 'STOP', status: null },
      windowExpiresAt: new Date(clock.now().getTime() + DAY_MS).toISOString(),
    });
  });

  it('return 404 for another or an unknown channel', async () => {
    const otherChannel = await createTestChannel(heliograph.deps, channel.account);
    const { conversationId } = await simulateInbound(NUMBERS[0], undefined, otherChannel);
    for (const id of [conversationId, crypto.randomUUID(), 'x']) {
      for (const path of ['', '/messages']) {
        expect((await askConsole('GET', `/conversations/${id}${path}`)).statusCode).toBe(404);
      }
      expect((await askConsole('POST', `/conversations/${id}/read`, {})).statusCode).toBe(404);
    }
  });
});

describe('a conversation', () => {
  beforeAll(async () => {
    channel = await createChannelWithTemplates(heliograph);
  });

  it('shows inbound and outbound messages, newest first, page by page', async () => {
    const { conversationId } = await simulateInbound(NUMBERS[0], { text: 'One' });
    await simulateInbound(NUMBERS[0], { type: 'location', payload: { latitude: 52.5, longitude: 13.4 } });
    const sendResponse = await askConsole('POST', '/messages/reply', { to: NUMBERS[0], message: 'Two' });
    expect(sendResponse.json().data).toMatchObject({ conversationId, status: 'sent' });
    const firstPage = (await askConsole('GET', `/conversations/${conversationId}/messages?limit=2`)).json();
    expect(firstPage.data).toMatchObject([
      { id: sendResponse.json().data.messageId, direction: 'outbound', type: 'text', text: 'Two', payload: null },
      { direction: 'inbound', type: 'location', payload: { latitude: 52.5, longitude: 13.4 }, status: null },
    ]);
    const lastPage = (
      await askConsole('GET', `/conversations/${conversationId}/messages?limit=2&cursor=${firstPage.next}`)
    ).json();
    expect(lastPage).toMatchObject({ data: [{ text: 'One' }], next: null });
    expect(await listAuditEntries('message.reply')).toMatchObject([{ subject: sendResponse.json().data.messageId }]);
  });

  it('accepts a template but no free text after its window has closed', async () => {
    const { conversationId } = await simulateInbound(NUMBERS[1]);
    clock.advance(DAY_MS);
    await signIn();
    const refusal = await askConsole('POST', '/messages/reply', { to: NUMBERS[1], message: 'Late' });
    expect([refusal.statusCode, refusal.json().error.code]).toEqual([403, 'WINDOW_EXPIRED']);
    const body = { to: NUMBERS[1], templateName: 'hello_world', language: 'en_US' };
    const sendResponse = await askConsole('POST', '/messages/template', body);
    expect(sendResponse.json().data).toMatchObject({ conversationId, status: 'sent' });
    expect(await listAuditEntries('message.template')).toMatchObject([{ subject: sendResponse.json().data.messageId }]);
  });

  it('sends a reply once per Idempotency-Key', async () => {
    const { conversationId } = await simulateInbound(NUMBERS[2]);
    const request = {
      method: 'POST' as const,
      url: `/admin/v1${channelPath('/messages/reply')}`,
      headers: { ...operator.headers, 'idempotency-key': 'once' },
      payload: { to: NUMBERS[2], message: 'Once' },
    };
    const [firstResponse, secondResponse] = [
      await heliograph.app.inject(request),
      await heliograph.app.inject(request),
    ];
    expect(secondResponse.json().data.messageId).toBe(firstResponse.json().data.messageId);
    expect((await askConsole('GET', `/conversations/${conversationId}/messages`)).json().data).toHaveLength(2);
    expect(
      (await listAuditEntries('message.reply')).filter(
        ({ subject }) => subject === firstResponse.json().data.messageId,
      ),
    ).toHaveLength(1);
  });

  it('of a disabled account accepts no reply', async () => {
    const disabledChannel = await createTestChannel(heliograph.deps);
    await simulateInbound(NUMBERS[0], undefined, disabledChannel);
    await heliograph.deps.prisma.account.update({
      where: { id: disabledChannel.account.id },
      data: { isActive: false },
    });
    expect(
      (await askConsole('POST', '/messages/reply', { to: NUMBERS[0], message: 'Hello' }, disabledChannel)).statusCode,
    ).toBe(403);
  });
});

describe('a template to a new number', () => {
  const send = (to: string) =>
    operator.ask('POST', channelPath('/messages/template'), { to, templateName: 'hello_world', language: 'en_US' });
  const countRows = async () => {
    const { prisma } = heliograph.deps;
    const where = { channelId: channel.channelId };
    return {
      contacts: await prisma.contact.count({ where }),
      conversations: await prisma.conversation.count({ where }),
      messages: await prisma.message.count({ where }),
      counted: (await prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } })).contactCount,
    };
  };

  beforeAll(async () => {
    channel = await createChannelWithTemplates(heliograph);
    await signIn();
  });

  it('creates its contact and conversation, and returns them', async () => {
    const { statusCode, body, json } = await send(NUMBERS[0]);
    expect(statusCode, body).toBe(200);
    const contact = await heliograph.deps.prisma.contact.findFirstOrThrow({
      where: { channelId: channel.channelId },
      include: { conversation: true },
    });
    const { data } = json();
    expect(data).toMatchObject({ contactId: contact.id, conversationId: contact.conversation?.id, status: 'sent' });
    expect(await listAuditEntries('message.template')).toMatchObject([
      { subject: data.messageId, after: { contactId: contact.id } },
    ]);
    expect(await countRows()).toMatchObject({ contacts: 1, conversations: 1, messages: 1 });
  });

  it('waits for the account lock before it locks any other row', async () => {
    const { pool } = heliograph.deps;
    const otherConnection = await pool.connect();
    try {
      await otherConnection.query('BEGIN');
      await otherConnection.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [channel.account.id]);
      const pendingSend = send(NUMBERS[1]);
      await waitFor('the send to wait for the account lock', async () => {
        return (await listBlockedStatements(pool, otherConnection)).length > 0;
      });
      const unlockedRows = await otherConnection.query(
        'SELECT FROM channels WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED',
        [channel.channelId],
      );
      expect(unlockedRows.rowCount).toBe(1);
      await otherConnection.query('COMMIT');
      expect((await pendingSend).statusCode).toBe(200);
    } finally {
      otherConnection.release(true);
    }
  });

  it('leaves no contact if the audit log entry cannot be written', async () => {
    const { prisma } = heliograph.deps;
    const countsBefore = await countRows();
    await prisma.$executeRawUnsafe(
      "ALTER TABLE audit_log ADD CONSTRAINT no_templates CHECK (action <> 'message.template') NOT VALID",
    );
    try {
      expect((await send(NUMBERS[2])).statusCode).toBe(500);
    } finally {
      await prisma.$executeRawUnsafe('ALTER TABLE audit_log DROP CONSTRAINT no_templates');
    }
    expect(await countRows()).toEqual(countsBefore);
    expect((await send(NUMBERS[2])).statusCode).toBe(200);
  });

  it('leaves no contact if the balance is too low', async () => {
    const countsBefore = await countRows();
    const where = { id: channel.account.id };
    await heliograph.deps.prisma.account.update({ where, data: { balanceMicros: 0n } });
    expect((await send('15005560004')).statusCode).toBe(402);
    expect(await countRows()).toEqual(countsBefore);
  });
});

describe('roles in the inbox', () => {
  it('allow a viewer to read and not to write', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const { conversationId } = await simulateInbound(NUMBERS[0], undefined, freshChannel);
    const viewer = await createTestOperator(heliograph, { role: 'viewer', accountId: freshChannel.account.id });
    for (const path of ['', `/${conversationId}`, `/${conversationId}/messages`]) {
      expect((await viewer.ask('GET', channelPath(`/conversations${path}`, freshChannel))).statusCode).toBe(200);
    }
    const bodies = {
      [`/conversations/${conversationId}/read`]: {},
      '/messages/reply': { to: NUMBERS[0], message: 'Hello' },
      '/messages/template': { to: NUMBERS[0], templateName: 'hello_world', language: 'en_US' },
      '/simulator/inbound': { from: NUMBERS[0], text: 'Hi' },
    };
    for (const [path, body] of Object.entries(bodies)) {
      expect((await viewer.ask('POST', channelPath(path, freshChannel), body)).statusCode).toBe(403);
    }
  });

  it('allow nobody to simulate messages on a channel with a real carrier', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    await heliograph.deps.prisma.channel.update({ where: { id: freshChannel.channelId }, data: { carrier: 'smsc' } });
    expect(
      (await askConsole('POST', '/simulator/inbound', { from: NUMBERS[0], text: 'Hi' }, freshChannel)).statusCode,
    ).toBe(404);
  });
});
