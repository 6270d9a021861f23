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

/** Sessions expire when the test moves the clock too far. */
const signIn = async () => {
  operator = await createTestOperator(heliograph, { role: 'developer' });
};
beforeAll(signIn);

const below = (path: string, of = channel) => `/accounts/${of.account.id}/channels/${of.channelId}${path}`;
const ask = (method: 'GET' | 'POST', path: string, body?: object, of = channel) =>
  operator.ask(method, below(path, of), body);
const play = async (from: string, fields: object = { text: 'Hi' }, of = channel) => {
  const answer = await ask('POST', '/simulator/inbound', { from, ...fields }, of);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().data as { messageId: string; conversationId: string };
};
const linesOf = async (action: string) =>
  (await heliograph.deps.prisma.auditLine.findMany({ where: { action, accountId: channel.account.id } })).map(
    ({ subject, actorName, after }) => ({ subject, actorName, after }),
  );

describe('the conversations of a channel', () => {
  const phonesOf = (body: { data: { contact: { phone: string } }[] }) => body.data.map(({ contact }) => contact.phone);

  beforeAll(async () => {
    channel = await createTestChannel(heliograph.deps);
    for (const number of NUMBERS) {
      await play(number);
      clock.advance(1_000);
    }
    // Two messages in the same millisecond are ordered by ID.
    await heliograph.deps.prisma.conversation.updateMany({
      where: { channelId: channel.channelId, contact: { phone: { in: [NUMBERS[1], NUMBERS[2]] } } },
      data: { lastMessageAt: clock.now() },
    });
  });

  it('are paged by cursor, newest message first', async () => {
    const first = (await ask('GET', '/conversations?limit=1')).json();
    expect(phonesOf(first)).toEqual([NUMBERS[2]]);
    const second = (await ask('GET', `/conversations?limit=1&cursor=${first.next}`)).json();
    expect(phonesOf(second)).toEqual([NUMBERS[1]]);
    const last = (await ask('GET', `/conversations?limit=1&cursor=${second.next}`)).json();
    expect([phonesOf(last), last.next]).toEqual([[NUMBERS[0]], null]);
    for (const cursor of ['x', '1.x', `x.${crypto.randomUUID()}`, `999999999999999.${crypto.randomUUID()}`]) {
      const refused = await ask('GET', `/conversations?cursor=${cursor}`);
      expect([refused.statusCode, refused.json().error.details[0].field]).toEqual([400, 'cursor']);
    }
  });

  it('are filtered by unread, by window and by search', async () => {
    const of = async (query: string) => phonesOf((await ask('GET', `/conversations${query}`)).json());
    expect(await of(`?search=${NUMBERS[1].slice(-4)}`)).toEqual([NUMBERS[1]]);
    expect(await of('?search=%EF%BF%BDnone')).toEqual([]);
    const [entry] = (await ask('GET', `/conversations?search=${NUMBERS[1]}`)).json().data;
    const read = await ask('POST', `/conversations/${entry.id}/read`, { upTo: entry.lastMessage.id });
    expect(read.json().data).toMatchObject({ id: entry.id, unreadCount: 0 });
    expect(await linesOf('conversation.read')).toMatchObject([{ subject: entry.id, actorName: operator.name }]);
    expect(await of('?unread=true')).toEqual([NUMBERS[2], NUMBERS[0]]);
    expect(await of('?unread=false')).toEqual([NUMBERS[1]]);
    expect(await of('?windowOpen=true')).toHaveLength(3);
    expect(await of('?windowOpen=false')).toEqual([]);
  });

  it('include their contact and whether it has opted out', async () => {
    const { conversationId } = await play(NUMBERS[0], { text: 'STOP' });
    const { data } = (await ask('GET', `/conversations/${conversationId}`)).json();
    expect(data).toMatchObject({
      id: conversationId,
      contact: { phone: NUMBERS[0], name: '', email: '', optedOut: true },
      lastMessage: { direction: 'inbound', text: 'STOP', status: null },
      windowExpiresAt: new Date(clock.now().getTime() + DAY_MS).toISOString(),
    });
  });

  it('answer 404 for another or an unknown channel', async () => {
    const other = await createTestChannel(heliograph.deps, channel.account);
    const { conversationId } = await play(NUMBERS[0], undefined, other);
    for (const id of [conversationId, crypto.randomUUID(), 'x']) {
      for (const path of ['', '/messages']) {
        expect((await ask('GET', `/conversations/${id}${path}`)).statusCode).toBe(404);
      }
      expect((await ask('POST', `/conversations/${id}/read`, {})).statusCode).toBe(404);
    }
  });
});

describe('a conversation', () => {
  beforeAll(async () => {
    channel = await createChannelWithTemplates(heliograph);
  });

  it('shows inbound and outbound messages, newest first, page by page', async () => {
    const { conversationId } = await play(NUMBERS[0], { text: 'One' });
    await play(NUMBERS[0], { type: 'location', payload: { latitude: 52.5, longitude: 13.4 } });
    const sent = await ask('POST', '/messages/reply', { to: NUMBERS[0], message: 'Two' });
    expect(sent.json().data).toMatchObject({ conversationId, status: 'sent' });
    const first = (await ask('GET', `/conversations/${conversationId}/messages?limit=2`)).json();
    expect(first.data).toMatchObject([
      { id: sent.json().data.messageId, direction: 'outbound', type: 'text', text: 'Two', payload: null },
      { direction: 'inbound', type: 'location', payload: { latitude: 52.5, longitude: 13.4 }, status: null },
    ]);
    const last = (await ask('GET', `/conversations/${conversationId}/messages?limit=2&cursor=${first.next}`)).json();
    expect(last).toMatchObject({ data: [{ text: 'One' }], next: null });
    expect(await linesOf('message.reply')).toMatchObject([{ subject: sent.json().data.messageId }]);
  });

  it('accepts a template but no free text after its window has closed', async () => {
    const { conversationId } = await play(NUMBERS[1]);
    clock.advance(DAY_MS);
    await signIn();
    const refused = await ask('POST', '/messages/reply', { to: NUMBERS[1], message: 'Late' });
    expect([refused.statusCode, refused.json().error.code]).toEqual([403, 'WINDOW_EXPIRED']);
    const body = { to: NUMBERS[1], templateName: 'hello_world', language: 'en_US' };
    const sent = await ask('POST', '/messages/template', body);
    expect(sent.json().data).toMatchObject({ conversationId, status: 'sent' });
    expect(await linesOf('message.template')).toMatchObject([{ subject: sent.json().data.messageId }]);
  });

  it('sends a reply once, however often its key is repeated', async () => {
    const { conversationId } = await play(NUMBERS[2]);
    const request = {
      method: 'POST' as const,
      url: `/admin/v1${below('/messages/reply')}`,
      headers: { ...operator.headers, 'idempotency-key': 'once' },
      payload: { to: NUMBERS[2], message: 'Once' },
    };
    const [one, two] = [await heliograph.app.inject(request), await heliograph.app.inject(request)];
    expect(two.json().data.messageId).toBe(one.json().data.messageId);
    expect((await ask('GET', `/conversations/${conversationId}/messages`)).json().data).toHaveLength(2);
    expect(
      (await linesOf('message.reply')).filter(({ subject }) => subject === one.json().data.messageId),
    ).toHaveLength(1);
  });

  it('of a disabled account accepts no reply', async () => {
    const off = await createTestChannel(heliograph.deps);
    await play(NUMBERS[0], undefined, off);
    await heliograph.deps.prisma.account.update({ where: { id: off.account.id }, data: { isActive: false } });
    expect((await ask('POST', '/messages/reply', { to: NUMBERS[0], message: 'Hello' }, off)).statusCode).toBe(403);
  });
});

describe('a template to a new number', () => {
  const send = (to: string) =>
    operator.ask('POST', below('/messages/template'), { to, templateName: 'hello_world', language: 'en_US' });
  const kept = async () => {
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
    expect(await linesOf('message.template')).toMatchObject([
      { subject: data.messageId, after: { contactId: contact.id } },
    ]);
    expect(await kept()).toMatchObject({ contacts: 1, conversations: 1, messages: 1 });
  });

  it('waits for the account before it locks rows that the holder of the account lock may need', async () => {
    const { pool } = heliograph.deps;
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [channel.account.id]);
      const sending = send(NUMBERS[1]);
      await waitFor('the send to wait for the account', async () => {
        return (await listBlockedStatements(pool, other)).length > 0;
      });
      const free = await other.query('SELECT FROM channels WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED', [
        channel.channelId,
      ]);
      expect(free.rowCount).toBe(1);
      await other.query('COMMIT');
      expect((await sending).statusCode).toBe(200);
    } finally {
      other.release(true);
    }
  });

  it('leaves no contact if the audit log entry cannot be written', async () => {
    const { prisma } = heliograph.deps;
    const before = await kept();
    await prisma.$executeRawUnsafe(
      "ALTER TABLE audit_log ADD CONSTRAINT no_templates CHECK (action <> 'message.template') NOT VALID",
    );
    try {
      expect((await send(NUMBERS[2])).statusCode).toBe(500);
    } finally {
      await prisma.$executeRawUnsafe('ALTER TABLE audit_log DROP CONSTRAINT no_templates');
    }
    expect(await kept()).toEqual(before);
    expect((await send(NUMBERS[2])).statusCode).toBe(200);
  });

  it('leaves no contact if the account cannot pay', async () => {
    const before = await kept();
    const where = { id: channel.account.id };
    await heliograph.deps.prisma.account.update({ where, data: { balanceMicros: 0n } });
    expect((await send('15005560004')).statusCode).toBe(402);
    expect(await kept()).toEqual(before);
  });
});

describe('roles', () => {
  it('let a viewer read and write nothing', async () => {
    const own = await createTestChannel(heliograph.deps);
    const { conversationId } = await play(NUMBERS[0], undefined, own);
    const viewer = await createTestOperator(heliograph, { role: 'viewer', accountId: own.account.id });
    for (const path of ['', `/${conversationId}`, `/${conversationId}/messages`]) {
      expect((await viewer.ask('GET', below(`/conversations${path}`, own))).statusCode).toBe(200);
    }
    const bodies = {
      [`/conversations/${conversationId}/read`]: {},
      '/messages/reply': { to: NUMBERS[0], message: 'Hello' },
      '/messages/template': { to: NUMBERS[0], templateName: 'hello_world', language: 'en_US' },
      '/simulator/inbound': { from: NUMBERS[0], text: 'Hi' },
    };
    for (const [path, body] of Object.entries(bodies)) {
      expect((await viewer.ask('POST', below(path, own), body)).statusCode).toBe(403);
    }
  });

  it('let nobody simulate messages if the carrier is not the simulator', async () => {
    const own = await createTestChannel(heliograph.deps);
    await heliograph.deps.prisma.channel.update({ where: { id: own.channelId }, data: { carrier: 'smsc' } });
    expect((await ask('POST', '/simulator/inbound', { from: NUMBERS[0], text: 'Hi' }, own)).statusCode).toBe(404);
  });
});
