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

  const status = async () => (await test.deps.prisma.message.findUniqueOrThrow({ where: { id } })).status;
  const sent = (carrierMessageId: string, more: Partial<SentEvent> = {}): SentEvent => ({
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
    ...more,
  });
  const report = (carrierMessageId: string) =>
    test.deps.receipts.receive([{ carrier: 'smsc', carrierMessageId, status: 'delivered', occurredAt: new Date() }]);
  /** An ID that does not fit into a PostgreSQL index, because it cannot be compressed. */
  const longId = () => randomBytes(5_000).toString('hex');

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
    const long = longId();
    expect(await writer.write(sent(long))).toBe(true);
    expect(await status()).toBe('sent');
    await report(`${long.slice(0, -1)}-`);
    expect(await status()).toBe('sent');
    await report(long);
    expect(await status()).toBe('delivered');
  });

  it('a long carrier ID is found even if the receipt overtakes the response', async () => {
    const long = longId();
    await report(long);
    await writer.write(sent(long));
    await waitFor('the receipt to be applied', async () => (await status()) === 'delivered');
  });

  it('each of several parts may have a long carrier ID', async () => {
    const parts = [1, 2].map((part) => ({ part, carrierMessageId: longId() }));
    const [first, second] = parts.map(({ carrierMessageId }) => carrierMessageId) as [string, string];
    expect(await writer.write(sent(first, { parts, needsReference: false }))).toBe(true);
    await report(first);
    expect(await status()).toBe('sent');
    await report(second);
    expect(await status()).toBe('delivered');
  });

  it('a carrier ID that cannot be stored leaves its message sent without one, and other messages unaffected', async () => {
    await test.deps.pool.query(
      "ALTER TABLE carrier_references ADD CONSTRAINT refuses CHECK (carrier_message_id <> 'unwritable')",
    );
    const [otherId] = (await accept(test.deps, account)) as [string];
    const [other] = await claimMessages(test.deps.pool, [otherId], new Date());
    const both = [sent('unwritable'), sent('ordinary', { id: otherId, attempt: other?.attempt ?? 0 })];
    expect(await Promise.all(both.map((event) => writer.write(event)))).toEqual([true, true]);
    const rows = await test.deps.prisma.message.findMany({ where: { id: { in: [id, otherId] } } });
    const idsByMessage = Object.fromEntries(rows.map((row) => [row.id, [row.status, row.carrierMessageId]]));
    expect(idsByMessage).toEqual({ [id]: ['sent', `none-${id}`], [otherId]: ['sent', 'ordinary'] });
  });
});
