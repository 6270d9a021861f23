import { beforeEach, describe, expect, it } from 'vitest';
import type { AcceptedPart, OutboundMessage, Receipt } from '../../../src/carriers/carrier.js';
import { CarrierError } from '../../../src/carriers/carrier-error.js';
import { vendorCode } from '../../../src/carriers/failure-codes.js';
import { Maintenance } from '../../../src/features/maintenance/maintenance.js';
import { recordPartReceipts } from '../../../src/messages/status/part-store.js';
import { readBalance } from '../../support/accounts.js';
import { suiteOnTwoCarriers } from '../../support/carriers/two-carriers.js';
import { accept, waitForAllMessages } from '../../support/sends.js';
import { waitFor } from '../../support/wait-for.js';

/** A single SMS holds 160 septets, so this text of 307 septets needs three parts of up to 153. */
const THREE_PARTS = 'x'.repeat(2 * 153 + 1);
const toTime = (second: number) => new Date(Date.UTC(2027, 0, 1, 12, 0, second));

describe('an SMS whose parts have their own IDs and receipts', () => {
  const { heliograph, pair } = suiteOnTwoCarriers();

  const createAcceptedParts = ({ id, segmentation }: OutboundMessage): AcceptedPart[] =>
    (segmentation?.parts ?? []).map((_, index) => ({ part: index + 1, carrierMessageId: `${id}/${index + 1}` }));
  const acceptAll = (message: OutboundMessage) => {
    const parts = createAcceptedParts(message);
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
  const createReceipt = (id: string, part: number, overrides: Partial<Receipt> = {}): Receipt => ({
    carrier: pair.first.name,
    carrierMessageId: `${id}/${part}`,
    status: 'delivered',
    occurredAt: toTime(part),
    ...overrides,
  });
  const report = (...receipts: Receipt[]) => heliograph.deps.receipts.receive(receipts);
  const findMessage = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
  const listParts = (id: string) =>
    heliograph.deps.prisma.messagePart.findMany({ where: { messageId: id }, orderBy: { part: 'asc' } });
  /** Waits until all receipts have been applied, because a stored receipt is deleted once its effect is committed. */
  const waitUntilApplied = () =>
    waitFor('no receipt to be stored', async () => (await heliograph.deps.prisma.earlyReceipt.count()) === 0);

  beforeEach(async () => {
    pair.first.script = acceptAll;
  });

  it('a long SMS is sent with a row for each part and no reference', async () => {
    const id = await sendAndWait();
    expect(await findMessage(id)).toMatchObject({ parts: 3, carrierMessageId: `${id}/1` });
    expect((await listParts(id)).map(({ part, carrierMessageId, status }) => [part, carrierMessageId, status])).toEqual(
      [1, 2, 3].map((part) => [part, `${id}/${part}`, null]),
    );
    expect(await heliograph.deps.prisma.carrierReference.count({ where: { messageId: id } })).toBe(0);
  });

  it('a long SMS is delivered at the time of its last part, whatever the order of receipts', async () => {
    const id = await sendAndWait();
    await report(createReceipt(id, 3));
    await report(createReceipt(id, 1), createReceipt(id, 1), createReceipt(id, 3, { occurredAt: toTime(50) }));
    expect(await findMessage(id)).toMatchObject({ status: 'sent' });
    await report(createReceipt(id, 2));
    expect(await findMessage(id)).toMatchObject({ status: 'delivered', deliveredAt: toTime(3) });
    expect((await listParts(id)).map(({ status, endedAt }) => [status, endedAt])).toEqual([
      ['delivered', toTime(1)],
      ['delivered', toTime(2)],
      ['delivered', toTime(3)],
    ]);
  });

  it('a long SMS is delivered by receipts for all parts in one batch', async () => {
    const id = await sendAndWait();
    await Promise.all([report(createReceipt(id, 2), createReceipt(id, 1)), report(createReceipt(id, 3))]);
    expect(await findMessage(id)).toMatchObject({ status: 'delivered', deliveredAt: toTime(3) });
  });

  it('a long SMS fails with its first failed part, keeps that error code, and stays failed', async () => {
    const id = await sendAndWait();
    await report(createReceipt(id, 1));
    await report(createReceipt(id, 2, { status: 'undelivered', errorCode: '99', errorMessage: 'absent' }));
    const expectedFailure = {
      status: 'undelivered',
      endedAt: toTime(2),
      errorCode: '99',
      errorMessage: 'absent',
      refunded: false,
    };
    expect(await findMessage(id)).toMatchObject(expectedFailure);
    await report(createReceipt(id, 3), createReceipt(id, 2));
    expect(await findMessage(id)).toMatchObject(expectedFailure);
    expect((await listParts(id)).map(({ status }) => status)).toEqual(['delivered', 'undelivered', 'delivered']);
    await waitUntilApplied();
  });

  it('a long SMS keeps receipts that overtake the response', async () => {
    pair.first.script = async (message) => {
      await report(createReceipt(message.id, 2), createReceipt(message.id, 1));
      return acceptAll(message);
    };
    const id = await send();
    await waitFor('the stored receipts to be applied', async () => {
      const partsAfter = await listParts(id);
      return partsAfter.length === 3 && partsAfter.filter(({ status }) => status === 'delivered').length === 2;
    });
    expect(await findMessage(id)).toMatchObject({ status: 'sent' });
    await report(createReceipt(id, 3));
    expect(await findMessage(id)).toMatchObject({ status: 'delivered', deliveredAt: toTime(3) });
    await waitUntilApplied();
  });

  it('a long SMS is delivered if all receipts overtake the response', async () => {
    pair.first.script = async (message) => {
      await report(createReceipt(message.id, 1), createReceipt(message.id, 2), createReceipt(message.id, 3));
      return acceptAll(message);
    };
    const id = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'delivered');
    expect(await findMessage(id)).toMatchObject({ deliveredAt: toTime(3) });
    await waitUntilApplied();
  });

  it('a long SMS is delivered by a repeated receipt if the process died after recording the first one', async () => {
    const id = await sendAndWait();
    const receiptFields = { messageId: id, status: 'delivered', errorCode: null, errorMessage: null } as const;
    await recordPartReceipts(
      heliograph.deps.pool,
      [1, 2, 3].map((part) => ({ ...receiptFields, part, at: toTime(part) })),
    );
    expect(await findMessage(id)).toMatchObject({ status: 'sent' });
    await report(createReceipt(id, 2, { occurredAt: toTime(59) }));
    expect(await findMessage(id)).toMatchObject({ status: 'delivered', deliveredAt: toTime(3) });
  });

  it('a long SMS stays with the carrier that accepted a part, which gets only the rest', async () => {
    pair.first.script = (message) => {
      const acceptedParts = createAcceptedParts(message).slice(0, 1);
      throw CarrierError.refused(vendorCode('BUSY'), 'It takes no more.', { retryable: true }).with({ acceptedParts });
    };
    const id = await send();
    await waitFor('the first try to be written down', async () => (await findMessage(id)).errorCode === 'BUSY');
    expect(await findMessage(id)).toMatchObject({ status: 'sending', maybeAccepted: true });
    await report(createReceipt(id, 1));
    pair.first.script = acceptAll;
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    const [first, ...laterParts] = pair.first.submitted.map(({ acceptedParts }) => acceptedParts);
    expect(first).toEqual([]);
    // There are several further attempts if the message was retried before the carrier changed its response.
    expect(laterParts.length).toBeGreaterThan(0);
    for (const acceptedParts of laterParts) expect(acceptedParts).toEqual([{ part: 1, carrierMessageId: `${id}/1` }]);
    expect(pair.second.submitted).toEqual([]);
    await report(createReceipt(id, 3), createReceipt(id, 2));
    await waitFor('the receipts to count together', async () => (await findMessage(id)).status === 'delivered');
    await waitUntilApplied();
  });

  it('a long SMS is not refunded if a part was accepted and the rest is refused', async () => {
    const balanceBefore = await readBalance(heliograph.deps, pair.account.id);
    pair.first.script = (message) => {
      const acceptedParts = createAcceptedParts(message).slice(0, 2);
      throw CarrierError.refused('REFUSED', 'Never.').with({ acceptedParts });
    };
    const id = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'failed');
    expect(await findMessage(id)).toMatchObject({ errorCode: 'REFUSED', refunded: false });
    expect((await listParts(id)).map(({ part }) => part)).toEqual([1, 2]);
    expect(await readBalance(heliograph.deps, pair.account.id)).toBe(balanceBefore - 30_000n);
    await report(createReceipt(id, 1));
    expect((await listParts(id))[0]).toMatchObject({ status: 'delivered' });
    expect(await findMessage(id)).toMatchObject({ status: 'failed' });
    await waitUntilApplied();
  });

  it('a long SMS uses the new IDs after it was sent a second time', async () => {
    pair.first.script = (message) => {
      const acceptedParts = [{ part: 1, carrierMessageId: `${message.id}/old` }];
      throw CarrierError.answerLost('No answer.', { code: vendorCode('LOST') }).with({ acceptedParts });
    };
    const id = await send();
    await waitFor('the first try to be written down', async () => (await findMessage(id)).errorCode === 'LOST');
    pair.first.script = acceptAll;
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    expect((await listParts(id)).map(({ carrierMessageId }) => carrierMessageId)).toEqual(
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
    expect(await listParts(gone)).toEqual([]);
    expect(await listParts(kept)).toHaveLength(3);
  });
});
