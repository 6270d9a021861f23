import { beforeAll, describe, expect, it } from 'vitest';
import { commitLarge } from '../../../src/messages/accept/accept-large-store.js';
import { commitPlain, isPlain } from '../../../src/messages/accept/accept-plain-store.js';
import { commitGeneral, type PendingRequest } from '../../../src/messages/accept/accept-store.js';
import { newId } from '../../../src/platform/ids.js';
import { beginCampaign, campaignReaches } from '../../support/campaigns.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sendRequest } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

/** What a message gets on its way, and no statement that accepts one writes. */
const LATER = [
  'lease_until',
  'sending_at',
  'sent_at',
  'delivered_at',
  'read_at',
  'ended_at',
  'attempts',
  'look_count',
  'refunded',
  'maybe_accepted',
  'carrier_message_id',
  'error_code',
  'error_message',
];
/** By PostgreSQL's clock, so that two commits differ. */
const BY_CLOCK = ['next_look', 'not_before'];

type Row = Record<string, unknown>;

describe('every column of messages', () => {
  const test = suiteApp();
  let columns: string[];
  let channel: TestChannel;

  beforeAll(async () => {
    const { rows } = await test.deps.pool.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = 'messages' ORDER BY ordinal_position`,
    );
    columns = rows.map(({ name }) => name);
    channel = await createTestChannel(test.deps);
  });

  const rowOf = async (id: string | undefined): Promise<Row> => {
    const { rows } = await test.deps.pool.query<Row>('SELECT * FROM messages WHERE id = $1', [id]);
    return rows[0] as Row;
  };
  const without = (row: Row, names: readonly string[]) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
  const differences = ({ next_look, not_before, created_at }: Row) =>
    [next_look, not_before].map((time) => time && Math.round((Number(time) - Number(created_at)) / 60_000));
  const pending = (request: PendingRequest['request'], acceptedAt: Date): PendingRequest => ({
    request,
    acceptedAt,
    validUntil: new Date(acceptedAt.getTime() + 3_600_000),
    parts: 2,
    ids: [newId()],
    prices: [20_000n],
    carriers: ['other'],
    charge: 20_000n,
    storedBytes: 100,
  });
  /** A send that says all that a send can say. */
  const full = (): PendingRequest['request'] => ({
    ...sendRequest(channel.account, { body: 'All of it', priority: 3 }),
    kind: 'whatsapp',
    recipients: [{ digits: '15005550111', plus: true, contactId: newId(), conversationId: newId() }],
    content: { type: 'text', previewUrl: true },
    channelId: channel.channelId,
    campaignId: newId(),
    scheduledAt: new Date(Date.now() + 1_800_000),
    notes: { reference: 'a', metadata: { b: 'c' }, callback: { id: newId(), url: 'https://example.com/' } },
    origin: { requestId: 'request', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  });

  it('is written by the statement of ordinary sends, or by a later step', async () => {
    const at = new Date();
    const one = pending(full(), at);
    expect(await commitGeneral(test.deps.pool, [one], at)).toEqual(['accepted']);
    const row = await rowOf(one.ids[0]);
    for (const column of columns) {
      const isUnset = row[column] === null || row[column] === false || row[column] === 0;
      expect([column, isUnset]).toEqual([column, LATER.includes(column)]);
    }
  });

  it('is the same in a row of a large send', async () => {
    const at = new Date();
    const request = full();
    const [small, large] = [pending(request, at), pending(request, at)];
    await commitGeneral(test.deps.pool, [small], at);
    expect(await commitLarge(test.deps.pool, large, at)).toBe('accepted');
    const [expected, row] = [await rowOf(small.ids[0]), await rowOf(large.ids[0])];
    expect(without(row, ['id', ...BY_CLOCK])).toEqual(without(expected, ['id', ...BY_CLOCK]));
    expect(differences(row)).toEqual(differences(expected));
  });

  it('is the same in a row of a plain send', async () => {
    const at = new Date();
    const request: PendingRequest['request'] = {
      ...sendRequest(channel.account, { body: 'Plain', priority: 2 }),
      recipients: [{ digits: '15005550111', plus: true }],
      origin: full().origin,
    };
    const [general, plain] = [pending(request, at), pending(request, at)];
    expect(isPlain([plain])).toBe(true);
    await commitGeneral(test.deps.pool, [general], at);
    await commitPlain(test.deps.pool, [plain], at);
    const [expected, row] = [await rowOf(general.ids[0]), await rowOf(plain.ids[0])];
    expect(without(row, ['id', ...BY_CLOCK])).toEqual(without(expected, ['id', ...BY_CLOCK]));
    expect(differences(row)).toEqual(differences(expected));
  });

  it('is carried to the SMS that a message falls back to, but for what is of WhatsApp or of its time', async () => {
    const answer = await test.app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: { ...channel.account.headers, 'x-request-id': 'request' },
      payload: {
        to: '15005550002',
        from: channel.phoneNumber,
        channel: 'whatsapp',
        message: 'Hello',
        priority: 1,
        reference: 'a',
        metadata: { b: 'c' },
        callback_url: 'https://example.com/',
        fallback: { channel: 'sms', from: 'Shop' },
      },
    });
    expect(answer.statusCode, answer.body).toBe(200);
    const { message_id: id } = answer.json().data[0];
    const sms = await waitFor('the fallback', async () => {
      const fallback = await test.deps.prisma.fallback.findUnique({ where: { messageId: id } });
      return fallback?.smsId ? rowOf(fallback.smsId) : null;
    });
    const message = await rowOf(id);
    const own = ['id', 'created_at', 'valid_until', 'price_micros', 'kind', 'status', 'parts', 'sender', 'carrier'];
    const ofWhatsapp = ['channel_id', 'contact_id', 'conversation_id', 'content', 'campaign_id'];
    const ofItsTime = ['scheduled_at', 'not_before', 'next_look'];
    // Where nothing is traced there is nothing to carry; fallbacks.flow.test.ts and tracing.flow.test.ts look at it.
    const carried = columns.filter((each) => ![...own, ...ofWhatsapp, ...ofItsTime, ...LATER].includes(each));
    for (const column of carried) expect([column, sms[column]]).toEqual([column, message[column]]);
    for (const column of carried.filter((each) => !['recipient_plus', 'traceparent'].includes(each))) {
      expect([column, sms[column] === null]).toEqual([column, false]);
    }
    for (const column of ofWhatsapp) expect([column, sms[column]]).toEqual([column, null]);
  });

  it('is set for a message of a campaign, but for what only a request says', async () => {
    const { id, channel: own } = await beginCampaign(test, 1);
    await campaignReaches(test, own, id, 'completed');
    const { rows } = await test.deps.pool.query<Row>('SELECT * FROM messages WHERE campaign_id = $1', [id]);
    const ofRequests = [
      'reference',
      'metadata',
      'callback_url',
      'callback_id',
      'request_id',
      'traceparent',
      'scheduled_at',
    ];
    for (const column of columns.filter((each) => ![...LATER, ...BY_CLOCK].includes(each))) {
      expect([column, rows[0]?.[column] === null]).toEqual([column, ofRequests.includes(column)]);
    }
  });
});
