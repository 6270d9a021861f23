import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../../src/carriers/carrier.js';
import { FallbackRunner } from '../../../src/features/fallbacks/runner.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestChannel } from '../../support/channels.js';
import { readConsistentCounts, recountFromMessages } from '../../support/counts.js';
import { atScale } from '../../support/run/extent.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const test = suiteApp({ role: 'api' });

async function createSentMessages(count: number, content: object | null = null) {
  const channel = await createTestChannel(test.deps);
  const ids = Array.from({ length: count }, newId);
  await test.deps.pool.query(
    `INSERT INTO messages (id, account_id, channel_id, created_at, valid_until, price_micros, surface, kind, status, priority,
       parts, attempts, carrier, sender, recipient, body, sent_at, carrier_message_id, content)
     SELECT id, $2, $3, now(), now() + interval '1 day', 0, 'a', 'whatsapp', 'sent', 0, 1, 1, 'meta', $4, '15005550100', 'Hi', now(),
       'wamid.' || id, $5 FROM unnest($1::uuid[]) AS given(id)`,
    [
      ids,
      channel.account.id,
      channel.channelId,
      channel.phoneNumber,
      content === null ? null : JSON.stringify(content),
    ],
  );
  return { channel, ids };
}

const createReceipt = (id: string, status: Receipt['status']): Receipt => ({
  ...{ carrier: 'meta', carrierMessageId: `wamid.${id}`, messageId: id, attempt: 1, status, occurredAt: new Date() },
  ...(status === 'failed' ? { errorCode: '131026', errorMessage: 'Undeliverable.' } : { overridesFailure: true }),
});

describe('receipts that replace failures', () => {
  it('receipts that replace failures lead to the same result in any order and batches, and count once', async () => {
    const { channel, ids } = await createSentMessages(atScale({ full: 60, quick: 12 }));
    const statuses: Receipt['status'][] = ['failed', 'delivered', 'failed', 'read', 'delivered', 'read', 'failed'];
    // Each message receives the statuses in a different order and concurrently, as if several workers applied webhooks.
    await Promise.all(
      ids.flatMap((id, index) =>
        statuses.map((_, step) => {
          const status = statuses[(step * (1 + (index % 3) * 2) + index) % statuses.length] as Receipt['status'];
          return test.deps.receipts.receive([createReceipt(id, status)]);
        }),
      ),
    );
    await test.deps.receipts.idle();
    const rows = await test.deps.prisma.message.findMany({ where: { id: { in: ids } } });
    expect(new Set(rows.map(({ status, errorCode, endedAt }) => `${status} ${errorCode} ${endedAt}`))).toEqual(
      new Set(['read null null']),
    );
    const { numbers } = await readConsistentCounts(test.deps, channel.account.id);
    const expectedCounts = await recountFromMessages(test.deps, channel.account.id);
    expect([numbers.delivered, numbers.read, numbers.failed]).toEqual([
      expectedCounts.numbers.delivered,
      expectedCounts.numbers.read,
      undefined,
    ]);
  });

  it('receipts that replace failures work even if stored until the message was marked sent', async () => {
    const { ids } = await createSentMessages(1);
    const [id] = ids as [string];
    await test.deps.pool.query("UPDATE messages SET status = 'sending', sent_at = NULL WHERE id = $1", [id]);
    for (const status of ['failed', 'delivered'] as const)
      await test.deps.receipts.receive([createReceipt(id, status)]);
    await test.deps.receipts.idle();
    const storedReceipts = await test.deps.prisma.earlyReceipt.findMany({ orderBy: { id: 'asc' } });
    expect(storedReceipts.map(({ overridesFailure }) => overridesFailure)).toEqual([false, true]);
    await test.deps.pool.query("UPDATE messages SET status = 'sent', sent_at = now() WHERE id = $1", [id]);
    await test.deps.pool.query("UPDATE early_receipts SET next_look = now() - interval '1 second'");
    await test.deps.receipts.sweep();
    expect(await test.deps.prisma.message.findUnique({ where: { id } })).toMatchObject({
      ...{ status: 'delivered', errorCode: null },
    });
    expect(await test.deps.prisma.earlyReceipt.count()).toBe(0);
  });

  it('a delivery that replaces a failure prevents a fallback SMS that is not accepted yet', async () => {
    const { ids } = await createSentMessages(1, { type: 'text', previewUrl: false, fallback: { from: 'Shop' } });
    const [id] = ids as [string];
    await test.deps.receipts.receive([createReceipt(id, 'failed')]);
    expect(await test.deps.prisma.fallback.findUnique({ where: { messageId: id } })).toMatchObject({ smsId: null });
    await test.deps.receipts.receive([createReceipt(id, 'delivered')]);
    const runner = new FallbackRunner({ ...test.deps, faults: test.deps.faults });
    runner.start();
    const settledFallback = await waitFor('the fallback to be settled', async () => {
      const fallback = await test.deps.prisma.fallback.findUnique({ where: { messageId: id } });
      return fallback?.nextLook === null && fallback;
    });
    await runner.stop();
    expect(settledFallback).toMatchObject({ smsId: null, errorCode: 'DELIVERED' });
  });
});
