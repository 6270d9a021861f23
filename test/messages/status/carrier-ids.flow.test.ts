import { randomBytes } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimMessages } from '../../../src/messages/send/send-store.js';
import type { SentEvent } from '../../../src/messages/status/events.js';
import type { StatusWriter } from '../../../src/messages/status/status-writer.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { accept } from '../../support/sends.js';
import { createStatusWriter } from '../../support/status-writer.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

describe('carrier IDs of messages', () => {
  const test = suiteApp({ role: 'api' });
  let account: TestAccount;
  let writer: StatusWriter;
  let id: string;
  let attempt: number;

  const readStatus = async () => (await test.deps.prisma.message.findUniqueOrThrow({ where: { id } })).status;
  const createSentEvent = (carrierMessageId: string, overrides: Partial<SentEvent> = {}): SentEvent => ({
    ...{
      type: 'sent',
      id,
      attempt,
      carrier: 'smsc',
      carrierMessageId,
      needsReference: true,
      replacesCarrier: true,
      at: new Date(),
    },
    ...overrides,
  });
  const report = (carrierMessageId: string) =>
    test.deps.receipts.receive([{ carrier: 'smsc', carrierMessageId, status: 'delivered', occurredAt: new Date() }]);
  /** Creates an ID that does not fit into a PostgreSQL index, because random characters cannot be compressed. */
  const createLongId = () => randomBytes(5_000).toString('hex');

  beforeAll(async () => {
    account = await createTestAccount(test.deps);
    writer = createStatusWriter(test);
  });
  beforeEach(async () => {
    [id] = (await accept(test.deps, account)) as [string];
    const [claimed] = await claimMessages(test.deps.pool, [id], new Date());
    attempt = claimed?.attempt ?? 0;
  });
  afterEach(async () => {
    await test.deps.pool.query('ALTER TABLE carrier_references DROP CONSTRAINT IF EXISTS refuses');
  });

  it('a carrier ID may be longer than an index entry: its receipt finds the message', async () => {
    const longCarrierId = createLongId();
    expect(await writer.write(createSentEvent(longCarrierId))).toBe(true);
    expect(await readStatus()).toBe('sent');
    await report(`${longCarrierId.slice(0, -1)}-`);
    expect(await readStatus()).toBe('sent');
    await report(longCarrierId);
    expect(await readStatus()).toBe('delivered');
  });

  it('a long carrier ID is found even if the receipt overtakes the response', async () => {
    const longCarrierId = createLongId();
    await report(longCarrierId);
    await writer.write(createSentEvent(longCarrierId));
    await waitFor('the receipt to be applied', async () => (await readStatus()) === 'delivered');
  });

  it('each of several parts may have a long carrier ID', async () => {
    const parts = [1, 2].map((part) => ({ part, carrierMessageId: createLongId() }));
    const [first, second] = parts.map(({ carrierMessageId }) => carrierMessageId) as [string, string];
    expect(await writer.write(createSentEvent(first, { parts, needsReference: false }))).toBe(true);
    await report(first);
    expect(await readStatus()).toBe('sent');
    await report(second);
    expect(await readStatus()).toBe('delivered');
  });

  it('a carrier ID that cannot be stored leaves its message sent without one, and other messages unaffected', async () => {
    await test.deps.pool.query(
      "ALTER TABLE carrier_references ADD CONSTRAINT refuses CHECK (carrier_message_id <> 'unwritable')",
    );
    const [otherId] = (await accept(test.deps, account)) as [string];
    const [other] = await claimMessages(test.deps.pool, [otherId], new Date());
    const events = [
      createSentEvent('unwritable'),
      createSentEvent('ordinary', { id: otherId, attempt: other?.attempt ?? 0 }),
    ];
    expect(await Promise.all(events.map((event) => writer.write(event)))).toEqual([true, true]);
    const rows = await test.deps.prisma.message.findMany({ where: { id: { in: [id, otherId] } } });
    const idsByMessage = Object.fromEntries(rows.map((row) => [row.id, [row.status, row.carrierMessageId]]));
    expect(idsByMessage).toEqual({ [id]: ['sent', `none-${id}`], [otherId]: ['sent', 'ordinary'] });
  });
});
