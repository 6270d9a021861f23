import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { AccountLocations } from '../../../src/accounts/account-locations.js';
import { commitLarge } from '../../../src/messages/accept/accept-large-store.js';
import { commitPlain, isPlain } from '../../../src/messages/accept/accept-plain-store.js';
import { commitGeneral } from '../../../src/messages/accept/accept-store.js';
import { WeeklyCounts } from '../../../src/messages/accept/guard/watch.js';
import { type CarriedRow, MESSAGE_COLUMNS, readCarried } from '../../../src/messages/accept/message-columns.js';
import type { PendingRequest } from '../../../src/messages/accept/pending-request.js';
import { readNotes } from '../../../src/messages/compose/notes.js';
import { toStoredPurpose } from '../../../src/messages/compose/purpose.js';
import { newId } from '../../../src/platform/ids.js';
import { startCampaign, waitForCampaign } from '../../support/campaigns.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sendRequest } from '../../support/sends.js';
import { sharedApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

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
  'cancel_reason',
];
/** Columns that store PostgreSQL's current time, which differs between two commits. */
const BY_CLOCK = ['next_look', 'not_before'];

const BY_STATEMENT = ['status'];

type Row = Record<string, unknown>;
type Request = PendingRequest['request'];

const text = fc
  .array(fc.constantFrom('a', 'B', ' ', '"', '\\', '{', '}', ',', 'NULL', "'", '\n', '$1', 'é', '😀'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((characters) => characters.join(''));
const digits = fc.integer({ min: 0, max: 9_999 }).map((suffix) => `1500555${String(suffix).padStart(4, '0')}`);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

const plainParts = {
  sender: text,
  body: text,
  priority: fc.integer({ min: 0, max: 3 }),
  carrier: fc.constantFrom('simulator', 'other "one"'),
  recipients: fc.array(fc.record<Request['recipients'][number]>({ digits, plus: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  }),
  origin: optional(fc.record({ requestId: fc.uuid(), traceparent: nullable(fc.constant('00-0af7-b7ad-01')) })),
};
const arbitrarySend = fc.oneof(
  fc.record<Partial<Request>>(plainParts),
  fc.record<Partial<Request>>({
    ...plainParts,
    surface: fc.constantFrom('a', 'b'),
    kind: fc.constantFrom('sms', 'whatsapp'),
    recipients: fc.array(
      fc.record({ digits, plus: fc.boolean(), contactId: optional(fc.uuid()), conversationId: optional(fc.uuid()) }),
      { minLength: 1, maxLength: 3 },
    ),
    content: nullable(fc.record({ type: fc.constant('text'), previewUrl: fc.boolean() })),
    channelId: nullable(fc.uuid()),
    campaignId: optional(fc.uuid()),
    campaignVariant: optional(fc.integer({ min: 0, max: 3 })),
    purpose: optional(fc.constantFrom('verification', 'transactional', 'marketing')),
    scheduledAt: optional(fc.integer({ min: 1, max: 1_000 }).map((minutes) => new Date(Date.now() + minutes * 60_000))),
    notes: fc
      .record({
        reference: nullable(text),
        metadata: nullable(fc.dictionary(fc.constantFrom('a', 'b "c"', 'd\\'), text, { maxKeys: 2 })),
        callback: nullable(fc.record({ id: fc.uuid(), url: fc.webUrl() })),
      })
      .map(({ callback, ...notes }) => readNotes(notes, callback)),
  }),
);
const arbitraryPending = fc.record({
  request: arbitrarySend,
  parts: fc.integer({ min: 1, max: 9 }),
  price: fc.bigInt({ min: 0n, max: 999n }),
  carriers: nullable(fc.array(nullable(fc.constantFrom('routed', 'by, route')), { minLength: 3, maxLength: 3 })),
});

describe('every column of messages', () => {
  const test = sharedApp();
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

  const readRow = async (id: string | undefined): Promise<Row> => {
    const { rows } = await test.deps.pool.query<Row>('SELECT * FROM messages WHERE id = $1', [id]);
    return rows[0] as Row;
  };
  const weeklyCounts = new WeeklyCounts();
  const omitColumns = (row: Row, names: readonly string[]) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
  const readTimeOffsets = ({ next_look, not_before, created_at }: Row) =>
    [next_look, not_before].map((time) => time && Math.round((Number(time) - Number(created_at)) / 60_000));
  const createPending = (request: PendingRequest['request'], acceptedAt: Date): PendingRequest => ({
    request,
    acceptedAt,
    validUntil: new Date(acceptedAt.getTime() + 3_600_000),
    parts: 2,
    ids: [newId()],
    prices: [20_000n],
    carriers: ['other'],
    charge: 20_000n,
    storedBytes: 100,
    limits: [],
    watch: null,
    frequencyCap: request.purpose === 'marketing' ? { messages: 1000, days: 1 } : null,
  });
  const createFullRequest = (): PendingRequest['request'] => ({
    ...sendRequest(channel.account, { body: 'All of it', priority: 3 }),
    account: { ...sendRequest(channel.account).account, key: { id: newId(), guard: null } },
    kind: 'whatsapp',
    recipients: [{ digits: '15005550111', plus: true, contactId: newId(), conversationId: newId() }],
    content: { type: 'text', previewUrl: true },
    channelId: channel.channelId,
    campaignId: newId(),
    campaignVariant: 1,
    scheduledAt: new Date(Date.now() + 1_800_000),
    notes: { reference: 'a', metadata: { b: 'c' }, callback: { id: newId(), url: 'https://example.com/' } },
    origin: { requestId: 'request', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    verificationId: newId(),
    ignoresOptOut: true,
    purpose: 'marketing',
  });

  it('every column is in the list of message columns or written by a later step', () => {
    const coveredColumns = [...Object.keys(MESSAGE_COLUMNS), ...BY_CLOCK, ...BY_STATEMENT, ...LATER];
    expect(coveredColumns.sort()).toEqual([...columns].sort());
  });

  it('the general statement or a later step writes every column', async () => {
    const acceptedAt = new Date();
    const fullPending = createPending(createFullRequest(), acceptedAt);
    expect(
      await commitGeneral(test.deps.pool, [fullPending], { now: acceptedAt, locations: new AccountLocations() }),
    ).toEqual(['accepted']);
    const row = await readRow(fullPending.ids[0]);
    for (const column of columns) {
      const isUnset = row[column] === null || row[column] === false || row[column] === 0;
      expect([column, isUnset]).toEqual([column, LATER.includes(column)]);
    }
  });

  it('a large send stores the same values as a general one', async () => {
    const acceptedAt = new Date();
    const request = createFullRequest();
    const [small, large] = [createPending(request, acceptedAt), createPending(request, acceptedAt)];
    await commitGeneral(test.deps.pool, [small], { now: acceptedAt, locations: new AccountLocations() });
    expect(await commitLarge(test.deps.pool, large, { now: acceptedAt, weeklyCounts })).toBe('accepted');
    const [expected, row] = [await readRow(small.ids[0]), await readRow(large.ids[0])];
    expect(omitColumns(row, ['id', ...BY_CLOCK])).toEqual(omitColumns(expected, ['id', ...BY_CLOCK]));
    expect(readTimeOffsets(row)).toEqual(readTimeOffsets(expected));
  });

  it('a plain send stores the same values as a general one', async () => {
    const acceptedAt = new Date();
    const request: PendingRequest['request'] = {
      ...sendRequest(channel.account, { body: 'Plain', priority: 2 }),
      recipients: [{ digits: '15005550111', plus: true }],
      account: createFullRequest().account,
      origin: createFullRequest().origin,
    };
    const [general, plain] = [createPending(request, acceptedAt), createPending(request, acceptedAt)];
    expect(isPlain([plain])).toBe(true);
    await commitGeneral(test.deps.pool, [general], { now: acceptedAt, locations: new AccountLocations() });
    await commitPlain(test.deps.pool, [plain], { now: acceptedAt, locations: new AccountLocations() });
    const [expected, row] = [await readRow(general.ids[0]), await readRow(plain.ids[0])];
    expect(omitColumns(row, ['id', ...BY_CLOCK])).toEqual(omitColumns(expected, ['id', ...BY_CLOCK]));
    expect(readTimeOffsets(row)).toEqual(readTimeOffsets(expected));
  });

  /** Commits random batches with the general statement, and each send alone with every statement that supports it. */
  it('every statement stores the same values for random sends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryPending, { minLength: 1, maxLength: 4 }), async (sends) => {
        const acceptedAt = new Date();
        const createSends = () =>
          sends.map((send) => ({ ...createPending(buildRequest(send.request), acceptedAt), ...countNumbers(send) }));
        const batch = createSends();
        expect(
          await commitGeneral(test.deps.pool, batch, { now: acceptedAt, locations: new AccountLocations() }),
        ).toEqual(batch.map(() => 'accepted'));
        const [alone, plain] = [createSends(), createSends()];
        for (const [index, pending] of batch.entries()) {
          const rows = await readRows(pending);
          expect(rows).toEqual(
            pending.ids.map((_, index) => expect.objectContaining(buildExpectedRow(pending, index))),
          );
          for (const row of rows) expect(readCarried(row as unknown as CarriedRow)).toEqual(toCarried(pending, row));
          const expected = rows.map(toComparable);
          expect(
            await commitLarge(test.deps.pool, alone[index] as PendingRequest, { now: acceptedAt, weeklyCounts }),
          ).toBe('accepted');
          expect((await readRows(alone[index] as PendingRequest)).map(toComparable)).toEqual(expected);
          const plainSend = plain[index] as PendingRequest;
          expect(isPlain([plainSend])).toBe(isPlainRequest(plainSend));
          if (!isPlain([plainSend])) continue;
          expect(
            await commitPlain(test.deps.pool, [plainSend], { now: acceptedAt, locations: new AccountLocations() }),
          ).toBe(true);
          expect((await readRows(plainSend)).map(toComparable)).toEqual(expected);
        }
      }),
      { numRuns: 40 },
    );
  });

  const buildRequest = (overrides: Partial<Request>): Request => ({ ...sendRequest(channel.account), ...overrides });
  const countNumbers = ({
    request,
    parts,
    price,
    carriers,
  }: typeof arbitraryPending extends fc.Arbitrary<infer T> ? T : never) => {
    const recipients = request.recipients ?? [];
    return { parts, ids: recipients.map(() => newId()), prices: recipients.map(() => price), carriers };
  };
  const readRows = async ({ ids }: PendingRequest): Promise<Row[]> => {
    const { rows } = await test.deps.pool.query<Row>('SELECT * FROM messages WHERE id = ANY($1) ORDER BY id', [ids]);
    return rows;
  };
  const toComparable = (row: Row) => ({ ...omitColumns(row, ['id', ...BY_CLOCK]), differences: readTimeOffsets(row) });
  const isPlainRequest = ({ request }: PendingRequest) =>
    request.kind === 'sms' &&
    [request.content, request.channelId, request.campaignId, request.scheduledAt, request.notes].every(
      (field) => !field,
    ) &&
    (request.purpose ?? 'transactional') === 'transactional' &&
    request.recipients.every(({ contactId, conversationId }) => !contactId && !conversationId);
  const toCarried = ({ request }: PendingRequest, { recipient, recipient_plus }: Row) => ({
    recipients: [{ digits: recipient, plus: recipient_plus }],
    body: request.body,
    priority: request.priority,
    notes: request.notes,
    origin: request.origin,
    ...(toStoredPurpose(request) !== null && { purpose: toStoredPurpose(request) }),
  });
  const buildExpectedRow = ({ request, ...pending }: PendingRequest, index: number): Row => ({
    id: pending.ids[index],
    account_id: channel.account.id,
    channel_id: request.channelId,
    created_at: pending.acceptedAt,
    valid_until: pending.validUntil,
    price_micros: String(pending.prices[index]),
    surface: request.surface,
    kind: request.kind,
    status: 'queued',
    parts: pending.parts,
    recipient: request.recipients[index]?.digits,
    recipient_plus: request.recipients[index]?.plus,
    carrier: pending.carriers?.[index] ?? request.carrier,
    sender: request.sender,
    content: request.content,
    contact_id: request.recipients[index]?.contactId ?? null,
    conversation_id: request.recipients[index]?.conversationId ?? null,
    campaign_id: request.campaignId ?? null,
    scheduled_at: request.scheduledAt ?? null,
    purpose: toStoredPurpose(request),
  });

  it('every column except WhatsApp and time columns is copied to the fallback SMS', async () => {
    const response = await test.app.inject({
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
        purpose: 'marketing',
      },
    });
    expect(response.statusCode, response.body).toBe(200);
    const { message_id: id } = response.json().data[0];
    const sms = await waitFor('the fallback', async () => {
      const fallback = await test.deps.prisma.fallback.findUnique({ where: { messageId: id } });
      return fallback?.smsId ? readRow(fallback.smsId) : null;
    });
    const message = await readRow(id);
    const messageColumns = [
      'id',
      'created_at',
      'valid_until',
      'price_micros',
      'kind',
      'status',
      'parts',
      'sender',
      'carrier',
    ];
    const whatsappColumns = [
      'channel_id',
      'contact_id',
      'conversation_id',
      'content',
      'campaign_id',
      'campaign_variant',
      'is_capped',
    ];
    const timeColumns = ['scheduled_at', 'not_before', 'next_look'];
    // Without tracing, the column `traceparent` stays empty, so fallbacks.flow.test.ts and tracing.flow.test.ts test its
    // values.
    const sharedColumns = columns.filter(
      (name) => ![...messageColumns, ...whatsappColumns, ...timeColumns, ...LATER].includes(name),
    );
    for (const column of sharedColumns) expect([column, sms[column]]).toEqual([column, message[column]]);
    for (const column of sharedColumns.filter(
      (name) => !['recipient_plus', 'verification_id', 'traceparent', 'is_capped', 'ignores_opt_out'].includes(name),
    )) {
      expect([column, sms[column] === null]).toEqual([column, false]);
    }
    for (const column of whatsappColumns) expect([column, sms[column]]).toEqual([column, null]);
  });

  it('every column is set for a campaign message, except those that only requests have', async () => {
    const { id, channel: own } = await startCampaign(test, 1);
    await waitForCampaign(test, own, id, 'completed');
    const { rows } = await test.deps.pool.query<Row>('SELECT * FROM messages WHERE campaign_id = $1', [id]);
    const requestColumns = [
      'reference',
      'metadata',
      'callback_url',
      'callback_id',
      'request_id',
      'traceparent',
      'verification_id',
      'scheduled_at',
      'key_id',
      'ignores_opt_out',
      'is_capped',
      'campaign_variant',
    ];
    for (const column of columns.filter((name) => ![...LATER, ...BY_CLOCK].includes(name))) {
      expect([column, rows[0]?.[column] === null]).toEqual([column, requestColumns.includes(column)]);
    }
  });
});
