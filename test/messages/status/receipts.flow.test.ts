import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { ReceiptStatus } from '../../../src/carriers/carrier.js';
import { claimMessages } from '../../../src/messages/send/send-store.js';
import type { EndEvent } from '../../../src/messages/status/events.js';
import { foldProgress } from '../../../src/messages/status/status.js';
import { applyProgress } from '../../../src/messages/status/status-store.js';
import { StatusWriter } from '../../../src/messages/status/status-writer.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, readBalance } from '../../support/accounts.js';
import { readConsistentCounts, recountFromMessages } from '../../support/counts.js';
import { accept } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

import { setUpMessage } from './message-under-way.js';

describe('receipts', () => {
  const test = suiteApp({ role: 'api' });
  const { message, readStatus, createReceipt, claim, createSentEvent } = setUpMessage(test);

  it.each<{ receipts: ReceiptStatus[]; ends: string }>([
    { receipts: ['delivered'], ends: 'delivered' },
    { receipts: ['delivered', 'delivered'], ends: 'delivered' },
    { receipts: ['delivered', 'read'], ends: 'read' },
    { receipts: ['read', 'delivered'], ends: 'read' },
    { receipts: ['read'], ends: 'read' },
    { receipts: ['delivered', 'undelivered'], ends: 'delivered' },
    { receipts: ['read', 'failed'], ends: 'read' },
    { receipts: ['undelivered', 'delivered'], ends: 'undelivered' },
    { receipts: ['failed', 'read'], ends: 'failed' },
    { receipts: ['expired', 'delivered'], ends: 'expired' },
    { receipts: ['rejected', 'delivered', 'read'], ends: 'rejected' },
  ])('$receipts, applied one after the other, lead to $ends', async ({ receipts, ends }) => {
    await message.writer.write(createSentEvent(await claim()));
    for (const status of receipts) await test.deps.receipts.receive([createReceipt(status)]);
    expect(await readStatus()).toBe(ends);
  });

  /** Lists `id status` of the recorded steps and of the steps that the message rows show, both sorted. */
  const readSteps = async (accountId: string) => {
    const eventRows = await test.deps.pool.query<{ step: string }>(
      `SELECT e.id || ' ' || e.status AS step FROM message_changes c CROSS JOIN unnest(c.ids, c.statuses) AS e(id, status)
       WHERE c.account_id = $1 AND c.kind = 'status'`,
      [accountId],
    );
    const rows = await test.deps.prisma.message.findMany({ where: { accountId, sentAt: { not: null } } });
    const rowSteps = rows.flatMap((row) => [
      `${row.id} sent`,
      ...(row.deliveredAt ? [`${row.id} delivered`] : []),
      ...(row.readAt ? [`${row.id} read`] : []),
      ...(row.endedAt ? [`${row.id} ${row.status}`] : []),
    ]);
    return { recorded: eventRows.rows.map(({ step }) => step).sort(), shown: rowSteps.sort() };
  };

  it('a message that two statements mark delivered and read concurrently is reported delivered once', async () => {
    const owner = await createTestAccount(test.deps);
    [message.id] = (await accept(test.deps, owner)) as [string];
    await message.writer.write(createSentEvent(await claim()));
    const appliedAt = new Date();
    const createProgress = (status: 'delivered' | 'read') =>
      foldProgress([
        { type: 'receipt', id: message.id, source: null, status, at: appliedAt, errorCode: null, errorMessage: null },
      ]);
    const firstClient = await test.deps.pool.connect();
    await firstClient.query('BEGIN');
    await applyProgress(firstClient as unknown as pg.Pool, createProgress('delivered'), appliedAt, new Set(), false);
    const secondUpdate = applyProgress(test.deps.pool, createProgress('read'), appliedAt, new Set(), false);
    await waitFor('the second to wait for the row of the first', async () => {
      const { rows } = await test.deps.pool.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE messages%'`,
      );
      return rows.length > 0;
    });
    await firstClient.query('COMMIT');
    firstClient.release();
    expect((await secondUpdate).get(message.id)?.passed).toBeNull();
    const { recorded, shown } = await readSteps(owner.id);
    expect(recorded).toEqual(shown);
    expect(recorded).toHaveLength(3);
  });

  it('many contradicting receipts in several processes report each step once', async () => {
    const owner = await createTestAccount(test.deps);
    const to = Array.from({ length: 60 }, (_, index) => String(15005550100 + index));
    const ids = await accept(test.deps, owner, { to });
    const claimedMessages = await claimMessages(test.deps.pool, ids, new Date());
    await Promise.all(
      claimedMessages.map((claimedMessage) =>
        message.writer.write({ ...createSentEvent(claimedMessage.attempt), id: claimedMessage.id }),
      ),
    );
    const processes = Array.from({ length: 4 }, () => new StatusWriter(test.deps));
    const appliedAt = new Date();
    const reportedStatuses: ReceiptStatus[] = [
      'delivered',
      'read',
      'undelivered',
      'delivered',
      'read',
      'expired',
      'failed',
    ];
    const writeResults = await Promise.all(
      processes.flatMap((process, processIndex) =>
        reportedStatuses.flatMap((_, round) =>
          ids.map((messageId, index) => {
            const status = reportedStatuses[
              (index + round * (processIndex + 1) + processIndex) % reportedStatuses.length
            ] as ReceiptStatus;
            return process.write({
              type: 'receipt',
              id: messageId,
              source: null,
              status,
              at: appliedAt,
              errorCode: null,
              errorMessage: null,
            });
          }),
        ),
      ),
    );
    expect(writeResults.filter(Boolean).length).toBeGreaterThanOrEqual(ids.length);
    const { recorded, shown } = await readSteps(owner.id);
    expect(recorded).toEqual(shown);
    const counts = new Map<string, number>();
    for (const process of processes) {
      const [statuses] = process.tally.metrics();
      if (statuses?.type !== 'counter') throw new Error('the first metric counts statuses');
      for (const { labels, value } of await statuses.read()) {
        const name = labels?.status as string;
        counts.set(name, (counts.get(name) ?? 0) + value);
      }
    }
    const count = (name: string) => shown.filter((step) => step.endsWith(` ${name}`)).length;
    for (const name of ['delivered', 'read', 'undelivered', 'expired', 'failed']) {
      expect([name, counts.get(name)]).toEqual([name, count(name)]);
    }
  });

  describe('receipts with times before the previous step', () => {
    const sentAt = new Date('2027-01-01T00:00:05.700Z');
    const secondOfSend = new Date('2027-01-01T00:00:05.000Z');
    const nextSecond = new Date('2027-01-01T00:00:06.000Z');
    const send = async () => message.writer.write({ ...createSentEvent(await claim()), at: sentAt });
    const receiveReceipt = (status: ReceiptStatus, occurredAt: Date) =>
      test.deps.receipts.receive([createReceipt(status, { occurredAt })]);
    const readTimes = () =>
      test.deps.prisma.message.findUniqueOrThrow({
        where: { id: message.id },
        select: { sentAt: true, deliveredAt: true, readAt: true, endedAt: true },
      });
    const noTimes = { deliveredAt: null, readAt: null, endedAt: null };

    it.each([
      ['delivered', { deliveredAt: sentAt }],
      ['read', { deliveredAt: sentAt, readAt: sentAt }],
      ['failed', { endedAt: sentAt }],
    ] as const)(
      'the status %s within the second of the send does not count as earlier than the send',
      async (status, expected) => {
        await send();
        expect(await readTimes()).toEqual({ ...noTimes, sentAt });
        await receiveReceipt(status, secondOfSend);
        expect(await readTimes()).toEqual({ ...noTimes, sentAt, ...expected });
      },
    );

    it('receipts in the batch of the send are not dated before it, nor a read before its delivery', async () => {
      const attempt = await claim();
      const receiptEvent = {
        type: 'receipt',
        id: message.id,
        source: null,
        status: 'delivered',
        at: secondOfSend,
        errorCode: null,
        errorMessage: null,
      } as const;
      await Promise.all([
        message.writer.write({ ...createSentEvent(attempt), at: sentAt }),
        message.writer.write(receiptEvent),
      ]);
      expect(await readTimes()).toEqual({ ...noTimes, sentAt, deliveredAt: sentAt });
      [message.id] = (await accept(test.deps, message.account)) as [string];
      await send();
      await receiveReceipt('delivered', nextSecond);
      await receiveReceipt('read', secondOfSend);
      expect(await readTimes()).toEqual({ ...noTimes, sentAt, deliveredAt: nextSecond, readAt: nextSecond });
    });

    it('receipts create one event per step, in order, even within one second', async () => {
      const webhook = await test.deps.prisma.webhook.create({
        data: {
          id: newId(),
          accountId: message.account.id,
          url: 'https://example.com/',
          events: ['message.status'],
          secret: 'whsec_eA==',
        },
      });
      const seenIds = new Set<string>();
      // IDs created within the same millisecond are unordered, so each step is checked when it happens.
      const listNewEvents = async () => {
        const deliveries = await test.deps.prisma.webhookDelivery.findMany({ where: { webhookId: webhook.id } });
        const added = deliveries.filter((event) => !seenIds.has(event.id));
        for (const event of added) seenIds.add(event.id);
        return added.map(({ data, occurredAt }) => [(data as { status: string }).status, occurredAt]);
      };
      await send();
      expect(await listNewEvents()).toEqual([['sent', sentAt]]);
      await receiveReceipt('delivered', secondOfSend);
      expect(await listNewEvents()).toEqual([['delivered', sentAt]]);
      await receiveReceipt('read', secondOfSend);
      expect(await listNewEvents()).toEqual([['read', sentAt]]);
    });
  });

  it('several receipts for a message in one batch fold into the furthest status, with the time of each', async () => {
    await message.writer.write(createSentEvent(await claim()));
    const [first, second] = [new Date('2027-01-01T00:00:00.000Z'), new Date('2027-01-01T00:00:05.000Z')];
    await test.deps.receipts.receive([
      createReceipt('delivered', { occurredAt: first }),
      createReceipt('read', { occurredAt: second }),
      createReceipt('undelivered'),
    ]);
    const row = await test.deps.prisma.message.findUniqueOrThrow({ where: { id: message.id } });
    expect(row).toMatchObject({ status: 'read', deliveredAt: first, readAt: second, endedAt: null, errorCode: null });
  });

  it('the response to an attempt that lost its lease is ignored', async () => {
    const firstAttempt = await claim();
    await test.deps.pool.query("UPDATE messages SET lease_until = now() - interval '1 second' WHERE id = $1", [
      message.id,
    ]);
    const secondAttempt = await claim();
    expect([firstAttempt, secondAttempt]).toEqual([1, 2]);
    expect(await message.writer.write(createSentEvent(firstAttempt))).toBe(false);
    expect(await readStatus()).toBe('sending');
    expect(await message.writer.write(createSentEvent(secondAttempt))).toBe(true);
    const row = await test.deps.prisma.message.findUniqueOrThrow({ where: { id: message.id } });
    expect(row).toMatchObject({ status: 'sent', maybeAccepted: true });
  });

  it('the failure of an attempt that lost its lease is ignored: it ends and refunds nothing', async () => {
    const firstAttempt = await claim();
    await test.deps.pool.query("UPDATE messages SET lease_until = now() - interval '1 second' WHERE id = $1", [
      message.id,
    ]);
    const secondAttempt = await claim();
    const createFailedEvent = (attempt: number): EndEvent => ({
      ...{ type: 'end', id: message.id, attempt, status: 'failed', at: new Date() },
      ...{ errorCode: 'NO', errorMessage: 'Refused.', maybeAccepted: false },
    });
    const balance = await readBalance(test.deps, message.account.id);
    expect(await message.writer.write(createFailedEvent(firstAttempt))).toBe(false);
    expect(await readStatus()).toBe('sending');
    expect(await readBalance(test.deps, message.account.id)).toBe(balance);
    expect(await message.writer.write(createFailedEvent(secondAttempt))).toBe(true);
    expect(await readStatus()).toBe('failed');
    // The message is not refunded, because the carrier may have accepted it in the first attempt.
    expect(await readBalance(test.deps, message.account.id)).toBe(balance);
  });

  it('a retry of an attempt that lost its lease is ignored', async () => {
    const firstAttempt = await claim();
    await test.deps.pool.query("UPDATE messages SET lease_until = now() - interval '1 second' WHERE id = $1", [
      message.id,
    ]);
    const secondAttempt = await claim();
    const retry = { type: 'retry', id: message.id, delayMs: 60_000, errorCode: 'BUSY', errorMessage: 'Busy.' } as const;
    expect(await message.writer.write({ ...retry, attempt: firstAttempt, maybeAccepted: false })).toBe(false);
    expect(await readStatus()).toBe('sending');
    expect(await message.writer.write(createSentEvent(secondAttempt))).toBe(true);
  });

  it('a message that a carrier may have accepted ends without a refund, in its row, the balance and the counts', async () => {
    const owner = await createTestAccount(test.deps);
    const ids = await accept(test.deps, owner, { to: ['15005550100', '15005550101'] });
    const balance = await readBalance(test.deps, owner.id);
    await claimMessages(test.deps.pool, ids, new Date());
    const endEvents = ids.map((id, index) =>
      message.writer.write({
        ...{ type: 'end', id, attempt: 1, status: 'failed', at: new Date() },
        ...{ errorCode: 'NO', errorMessage: 'Refused.', maybeAccepted: index === 0 },
      }),
    );
    expect(await Promise.all(endEvents)).toEqual([true, true]);
    const rows = await test.deps.prisma.message.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
    expect(rows.map(({ status, refunded }) => [status, refunded])).toEqual([
      ['failed', false],
      ['failed', true],
    ]);
    expect((await readBalance(test.deps, owner.id)) - balance).toBe(10_000n);
    expect(await readConsistentCounts(test.deps, owner.id)).toMatchObject({ charged: 20_000n, refunded: 10_000n });
    expect(await readConsistentCounts(test.deps, owner.id)).toEqual(await recountFromMessages(test.deps, owner.id));
  });

  it('a message whose response was lost once is not refunded if a later attempt is refused', async () => {
    const sharedFields = { id: message.id, errorMessage: 'A test.' };
    const lostEvent = {
      ...sharedFields,
      type: 'retry',
      attempt: await claim(),
      delayMs: 0,
      errorCode: 'LOST',
    } as const;
    expect(await message.writer.write({ ...lostEvent, maybeAccepted: true })).toBe(true);
    await test.deps.pool.query("UPDATE messages SET not_before = now() - interval '1 second' WHERE id = $1", [
      message.id,
    ]);
    const refusedEvent = {
      ...sharedFields,
      type: 'end',
      attempt: await claim(),
      status: 'failed',
      errorCode: 'NO',
    } as const;
    expect(await message.writer.write({ ...refusedEvent, at: new Date(), maybeAccepted: false })).toBe(true);
    const row = await test.deps.prisma.message.findUniqueOrThrow({ where: { id: message.id } });
    expect(row).toMatchObject({ status: 'failed', errorCode: 'NO', maybeAccepted: true, refunded: false });
  });

  it('carrier texts are stored without characters that PostgreSQL cannot store', async () => {
    await message.writer.write(createSentEvent(await claim()));
    await test.deps.receipts.receive([createReceipt('failed', { errorCode: 'X\0Y', errorMessage: 'bad \ud800 text' })]);
    const row = await test.deps.prisma.message.findUniqueOrThrow({ where: { id: message.id } });
    expect(row).toMatchObject({ status: 'failed', errorCode: 'XY', errorMessage: 'bad \ufffd text' });
  });
});
