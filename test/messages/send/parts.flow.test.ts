import { beforeEach, describe, expect, it } from 'vitest';
import type { AcceptedPart, OutboundMessage, Receipt } from '../../../src/carriers/carrier.js';
import { CarrierError } from '../../../src/carriers/carrier-error.js';
import { Maintenance } from '../../../src/features/maintenance/maintenance.js';
import { recordPartReceipts } from '../../../src/messages/status/part-store.js';
import { readBalance } from '../../support/accounts.js';
import { suiteOnTwoCarriers } from '../../support/carriers/two-carriers.js';
import { accept, waitForAllMessages } from '../../support/sends.js';
import { waitFor } from '../../support/wait-for.js';

/** A single SMS holds 160 septets; this text takes three parts of 153. */
const THREE_PARTS = 'x'.repeat(2 * 153 + 1);
const at = (second: number) => new Date(Date.UTC(2027, 0, 1, 12, 0, second));

describe('an SMS whose parts have their own IDs and receipts', () => {
  const { heliograph, pair } = suiteOnTwoCarriers();

  const carrierParts = ({ id, segmentation }: OutboundMessage): AcceptedPart[] =>
    (segmentation?.parts ?? []).map((_, index) => ({ part: index + 1, carrierMessageId: `${id}/${index + 1}` }));
  const takeAll = (message: OutboundMessage) => {
    const parts = carrierParts(message);
    return { carrierMessageId: parts[0]?.carrierMessageId as string, parts };
  };
  const send = async (): Promise<string> => {
    const [id] = await accept(heliograph.deps, pair.account, { body: THREE_PARTS });
    return id as string;
  };
  const sendAndWait = async (): Promise<string> => {
    const id = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    return id;
  };
  const receipt = (id: string, part: number, more: Partial<Receipt> = {}): Receipt => ({
    carrier: pair.first.name,
    carrierMessageId: `${id}/${part}`,
    status: 'delivered',
    occurredAt: at(part),
    ...more,
  });
  const report = (...receipts: Receipt[]) => heliograph.deps.receipts.receive(receipts);
  const row = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
  const rows = (id: string) =>
    heliograph.deps.prisma.messagePart.findMany({ where: { messageId: id }, orderBy: { part: 'asc' } });
  /** A stored receipt is deleted after its effect is committed. */
  const noneWaits = () =>
    waitFor('no receipt to be stored', async () => (await heliograph.deps.prisma.earlyReceipt.count()) === 0);

  beforeEach(async () => {
    pair.first.script = takeAll;
  });

  it('a long SMS is sent with a row for each part and no reference', async () => {
    const id = await sendAndWait();
    expect(await row(id)).toMatchObject({ parts: 3, carrierMessageId: `${id}/1` });
    expect((await rows(id)).map(({ part, carrierMessageId, status }) => [part, carrierMessageId, status])).toEqual(
      [1, 2, 3].map((part) => [part, `${id}/${part}`, null]),
    );
    expect(await heliograph.deps.prisma.carrierReference.count({ where: { messageId: id } })).toBe(0);
  });

  it('a long SMS is delivered at the time of its last part, whatever the order of receipts', async () => {
    const id = await sendAndWait();
    await report(receipt(id, 3));
    await report(receipt(id, 1), receipt(id, 1), receipt(id, 3, { occurredAt: at(50) }));
    expect(await row(id)).toMatchObject({ status: 'sent' });
    await report(receipt(id, 2));
    expect(await row(id)).toMatchObject({ status: 'delivered', deliveredAt: at(3) });
    expect((await rows(id)).map(({ status, endedAt }) => [status, endedAt])).toEqual([
      ['delivered', at(1)],
      ['delivered', at(2)],
      ['delivered', at(3)],
    ]);
  });

  it('a long SMS is delivered by receipts for all parts in one batch', async () => {
    const id = await sendAndWait();
    await Promise.all([report(receipt(id, 2), receipt(id, 1)), report(receipt(id, 3))]);
    expect(await row(id)).toMatchObject({ status: 'delivered', deliveredAt: at(3) });
  });

  it('a long SMS fails with its first failed part, keeps that error code, and stays failed', async () => {
    const id = await sendAndWait();
    await report(receipt(id, 1));
    await report(receipt(id, 2, { status: 'undelivered', errorCode: '99', errorMessage: 'absent' }));
    const failed = { status: 'undelivered', endedAt: at(2), errorCode: '99', errorMessage: 'absent', refunded: false };
    expect(await row(id)).toMatchObject(failed);
    await report(receipt(id, 3), receipt(id, 2));
    expect(await row(id)).toMatchObject(failed);
    expect((await rows(id)).map(({ status }) => status)).toEqual(['delivered', 'undelivered', 'delivered']);
    await noneWaits();
  });

  it('a long SMS keeps receipts that overtake the response', async () => {
    pair.first.script = async (message) => {
      await report(receipt(message.id, 2), receipt(message.id, 1));
      return takeAll(message);
    };
    const id = await send();
    await waitFor('the stored receipts to be applied', async () => {
      const settled = await rows(id);
      return settled.length === 3 && settled.filter(({ status }) => status === 'delivered').length === 2;
    });
    expect(await row(id)).toMatchObject({ status: 'sent' });
    await report(receipt(id, 3));
    expect(await row(id)).toMatchObject({ status: 'delivered', deliveredAt: at(3) });
    await noneWaits();
  });

  it('a long SMS is delivered if all receipts overtake the response', async () => {
    pair.first.script = async (message) => {
      await report(receipt(message.id, 1), receipt(message.id, 2), receipt(message.id, 3));
      return takeAll(message);
    };
    const id = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'delivered');
    expect(await row(id)).toMatchObject({ deliveredAt: at(3) });
    await noneWaits();
  });

  it('a long SMS is delivered by a repeated receipt if the process died after recording the first one', async () => {
    const id = await sendAndWait();
    const settled = { messageId: id, status: 'delivered', errorCode: null, errorMessage: null } as const;
    await recordPartReceipts(
      heliograph.deps.pool,
      [1, 2, 3].map((part) => ({ ...settled, part, at: at(part) })),
    );
    expect(await row(id)).toMatchObject({ status: 'sent' });
    await report(receipt(id, 2, { occurredAt: at(59) }));
    expect(await row(id)).toMatchObject({ status: 'delivered', deliveredAt: at(3) });
  });

  it('a long SMS stays with the carrier that accepted a part, which gets only the rest', async () => {
    pair.first.script = (message) => {
      const acceptedParts = carrierParts(message).slice(0, 1);
      throw CarrierError.refused('BUSY', 'It takes no more.', { retryable: true }).with({ acceptedParts });
    };
    const id = await send();
    await waitFor('the first try to be written down', async () => (await row(id)).errorCode === 'BUSY');
    expect(await row(id)).toMatchObject({ status: 'sending', maybeAccepted: true });
    await report(receipt(id, 1));
    pair.first.script = takeAll;
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    const [first, ...later] = pair.first.submitted.map(({ acceptedParts }) => acceptedParts);
    expect(first).toEqual([]);
    // More than one if it was retried before the carrier changed its response.
    expect(later.length).toBeGreaterThan(0);
    for (const each of later) expect(each).toEqual([{ part: 1, carrierMessageId: `${id}/1` }]);
    expect(pair.second.submitted).toEqual([]);
    await report(receipt(id, 3), receipt(id, 2));
    await waitFor('the receipts to count together', async () => (await row(id)).status === 'delivered');
    await noneWaits();
  });

  it('a long SMS is not refunded if a part was accepted and the rest is refused', async () => {
    const before = await readBalance(heliograph.deps, pair.account.id);
    pair.first.script = (message) => {
      const acceptedParts = carrierParts(message).slice(0, 2);
      throw CarrierError.refused('REFUSED', 'Never.').with({ acceptedParts });
    };
    const id = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'failed');
    expect(await row(id)).toMatchObject({ errorCode: 'REFUSED', refunded: false });
    expect((await rows(id)).map(({ part }) => part)).toEqual([1, 2]);
    expect(await readBalance(heliograph.deps, pair.account.id)).toBe(before - 30_000n);
    await report(receipt(id, 1));
    expect((await rows(id))[0]).toMatchObject({ status: 'delivered' });
    expect(await row(id)).toMatchObject({ status: 'failed' });
    await noneWaits();
  });

  it('a long SMS uses the new IDs after it was sent a second time', async () => {
    pair.first.script = (message) => {
      const acceptedParts = [{ part: 1, carrierMessageId: `${message.id}/old` }];
      throw CarrierError.answerLost('No answer.', { code: 'LOST' }).with({ acceptedParts });
    };
    const id = await send();
    await waitFor('the first try to be written down', async () => (await row(id)).errorCode === 'LOST');
    pair.first.script = takeAll;
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    expect((await rows(id)).map(({ carrierMessageId }) => carrierMessageId)).toEqual(
      [1, 2, 3].map((n) => `${id}/${n}`),
    );
  });

  it('a long SMS is deleted together with its parts', async () => {
    const [gone, kept] = [await sendAndWait(), await sendAndWait()];
    await heliograph.deps.prisma.message.deleteMany({ where: { id: gone } });
    const maintenance = new Maintenance({
      ...heliograph.deps,
      clock: { now: () => new Date(Date.now() + 2 * 86_400_000) },
      retentionDays: 1,
    });
    await maintenance.sweep();
    expect(await rows(gone)).toEqual([]);
    expect(await rows(kept)).toHaveLength(3);
  });
});
