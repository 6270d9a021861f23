import { describe, expect, it } from 'vitest';
import { claimMessages } from '../../../src/messages/send/send-store.js';
import type { SentEvent } from '../../../src/messages/status/events.js';
import { ReceiptDesk } from '../../../src/messages/status/receipt-desk.js';
import { insertReferences } from '../../../src/messages/status/status-store.js';
import { accept } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

import { setUpMessage } from './message-under-way.js';

describe('a receipt before its message is marked sent, or for an unknown message', () => {
  const test = suiteApp({ role: 'api' });
  const { message, readStatus, createReceipt, waitUntilNoneStored, claim, createSentEvent } = setUpMessage(test);

  it('an early receipt is applied once its message is marked sent', async () => {
    const attempt = await claim();
    await test.deps.receipts.receive([createReceipt('delivered')]);
    expect(await readStatus()).toBe('sending');
    await message.writer.write(createSentEvent(attempt));
    await waitFor('the stored receipt to be applied', async () => (await readStatus()) === 'delivered');
    await waitUntilNoneStored();
  });

  it('a receipt with only a carrier ID finds its message, before and after it is marked sent', async () => {
    const attempt = await claim();
    await test.deps.receipts.receive([createReceipt('delivered', { messageId: undefined })]);
    await message.writer.write(createSentEvent(attempt));
    await waitFor('the stored receipt to be applied', async () => (await readStatus()) === 'delivered');
    await test.deps.receipts.receive([createReceipt('read', { messageId: undefined })]);
    expect(await readStatus()).toBe('read');
  });

  it('a receipt for an unknown message is stored and does not affect other receipts', async () => {
    await message.writer.write(createSentEvent(await claim()));
    await test.deps.receipts.receive([
      createReceipt('delivered', { messageId: undefined, carrierMessageId: 'nobody-knows' }),
      createReceipt('delivered'),
    ]);
    expect(await readStatus()).toBe('delivered');
    expect(await test.deps.prisma.earlyReceipt.count({ where: { carrierMessageId: 'nobody-knows' } })).toBe(1);
    await test.deps.prisma.earlyReceipt.deleteMany({});
  });

  it.each<{ messageId: 'known' | 'unknown' }>([{ messageId: 'known' }, { messageId: 'unknown' }])(
    'a receipt is applied if its message is marked sent just after the receipt was first tried ($messageId message id)',
    async ({ messageId }) => {
      const attempt = await claim();
      let writeCount = 0;
      const desk = new ReceiptDesk({
        ...test.deps,
        // Simulates another process that marks the message as sent after the receipt could not be applied and before the status
        // is checked.
        writer: {
          write: async (event) => {
            const wasMoved = await message.writer.write(event);
            if (writeCount++ === 0) await message.writer.write(createSentEvent(attempt));
            return wasMoved;
          },
        },
      });
      if (messageId === 'unknown') await insertReferences(test.deps.pool, [createSentEvent(attempt)]);
      await desk.receive([createReceipt('delivered', messageId === 'unknown' ? { messageId: undefined } : {})]);
      await desk.idle();
      expect(await readStatus()).toBe('delivered');
      await waitUntilNoneStored();
    },
  );

  it('an early receipt is not applied to an earlier message with the same ID', async () => {
    const createSentWithId = (attempt: number, carrierMessageId: string): SentEvent => ({
      ...createSentEvent(attempt),
      carrierMessageId,
    });
    const reusedId = `reused-${message.id}`;
    const createReusedReceipt = () => createReceipt('delivered', { messageId: undefined, carrierMessageId: reusedId });
    const firstSent = createSentWithId(await claim(), reusedId);
    await insertReferences(test.deps.pool, [firstSent]);
    await message.writer.write(firstSent);
    await test.deps.receipts.receive([createReusedReceipt()]);
    expect(await readStatus()).toBe('delivered');

    [message.id] = (await accept(test.deps, message.account)) as [string];
    const secondSent = createSentWithId(await claim(), reusedId);
    await test.deps.receipts.receive([createReusedReceipt()]);
    await insertReferences(test.deps.pool, [secondSent]);
    await message.writer.write(secondSent);
    await test.deps.receipts.idle();
    expect(await readStatus()).toBe('delivered');
  });

  it('a stored receipt is found by the relay if nobody looked for it after its message was sent', async () => {
    await message.writer.write(createSentEvent(await claim()));
    await test.deps.receipts.idle();
    const row = { carrier: 'other', carrierMessageId: `other-${message.id}`, messageId: null, occurredAt: new Date() };
    await test.deps.prisma.earlyReceipt.create({ data: { ...row, status: 'delivered' } });
    await test.deps.receipts.sweep();
    expect(await readStatus()).toBe('delivered');
    await waitUntilNoneStored();
  });

  it('a stored receipt is deleted once it is applied, and stays if it cannot be', async () => {
    const ids = [message.id, ...(await accept(test.deps, message.account))];
    for (const messageId of ids) {
      const [claimed] = await claimMessages(test.deps.pool, [messageId], new Date());
      await message.writer.write({
        ...createSentEvent(claimed?.attempt ?? 0),
        id: messageId,
        carrierMessageId: `other-${messageId}`,
      });
    }
    await test.deps.receipts.idle();
    await test.deps.prisma.earlyReceipt.createMany({
      data: ids.map((messageId) => ({
        ...{
          carrier: 'other',
          carrierMessageId: `other-${messageId}`,
          status: 'delivered' as const,
          occurredAt: new Date(),
        },
        messageId,
      })),
    });
    const storedCounts: number[] = [];
    const desk = new ReceiptDesk({
      ...test.deps,
      writer: {
        write: async (event) => {
          storedCounts.push(await test.deps.prisma.earlyReceipt.count({ where: { messageId: event.id } }));
          if (event.id === message.id) throw new Error('it cannot be written');
          return message.writer.write(event);
        },
      },
    });
    await expect(desk.sweep()).rejects.toThrow('it cannot be written');
    expect(storedCounts).toEqual([1, 1]);
    const remaining = await test.deps.prisma.earlyReceipt.findMany({});
    expect(remaining.map(({ messageId }) => messageId)).toEqual([message.id]);
    const rows = await test.deps.prisma.message.findMany({ where: { id: { in: ids } } });
    expect(new Map(rows.map((row) => [row.id, row.status]))).toEqual(
      new Map([
        [ids[0], 'sent'],
        [ids[1], 'delivered'],
      ]),
    );
    await test.deps.prisma.earlyReceipt.deleteMany({});
  });

  it('a receipt that may be about a new message with the same ID is stored before it is acknowledged', async () => {
    const repeatedReceipt = createReceipt('delivered', { messageId: undefined });
    await insertReferences(test.deps.pool, [createSentEvent(1)]);
    await message.writer.write(createSentEvent(await claim()));
    await test.deps.receipts.receive([repeatedReceipt]);
    await test.deps.receipts.receive([repeatedReceipt]);
    const [stored, ...others] = await test.deps.prisma.earlyReceipt.findMany({});
    expect(others).toEqual([]);
    expect(stored?.nextLook.getTime()).toBeGreaterThan(stored?.receivedAt.getTime() ?? 0);
    // The stored receipt turns out to be a repetition, so it is deleted.
    await test.deps.pool.query("UPDATE early_receipts SET next_look = now() - interval '1 second'");
    await test.deps.receipts.sweep();
    expect(await test.deps.prisma.earlyReceipt.count()).toBe(0);
    expect(await readStatus()).toBe('delivered');
  });

  it('a stored receipt for an unknown message is tried less and less often', async () => {
    const { prisma } = test.deps;
    const hour = 3_600_000;
    const row = {
      carrier: 'other',
      carrierMessageId: 'of-nobody',
      status: 'delivered',
      occurredAt: new Date(),
    } as const;
    const storedReceipt = await prisma.earlyReceipt.create({
      data: { ...row, receivedAt: new Date(Date.now() - hour) },
    });
    await test.deps.receipts.sweep();
    const { nextLook } = await prisma.earlyReceipt.findUniqueOrThrow({ where: { id: storedReceipt.id } });
    expect(Math.abs(nextLook.getTime() - Date.now() - hour)).toBeLessThan(hour / 60);
    await test.deps.receipts.sweep();
    expect((await prisma.earlyReceipt.findUniqueOrThrow({ where: { id: storedReceipt.id } })).nextLook).toEqual(
      nextLook,
    );
    await prisma.earlyReceipt.deleteMany({});
  });
});
