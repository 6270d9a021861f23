import { describe, expect, it } from 'vitest';
import type { Receipt, ReceiptStatus } from '../../../src/carriers/carrier.js';
import { claimMessages } from '../../../src/messages/send/send-store.js';
import { findRecipients } from '../../../src/messages/status/receipt-store.js';
import { accept } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { setUpMessage } from './message-under-way.js';

describe('reports about parts without IDs', () => {
  const test = suiteApp({ role: 'api' });
  const { message, readStatus, createReceipt, waitUntilNoneStored, createSentEvent } = setUpMessage(test);

  const sendLongMessage = async () => {
    [message.id] = (await accept(test.deps, message.account, { body: 'x'.repeat(300) })) as [string];
    const [claimed] = await claimMessages(test.deps.pool, [message.id], new Date());
    return claimed?.attempt ?? 0;
  };
  const createPartReport = (key: string, status: ReceiptStatus = 'delivered', overrides: Partial<Receipt> = {}) =>
    createReceipt(status, { part: { key, total: null }, ...overrides });
  const receiveReceipts = (...receipts: Receipt[]) => test.deps.receipts.receive(receipts);
  const listEndedParts = () =>
    test.deps.prisma.messagePart.count({ where: { messageId: message.id, status: { not: null } } });

  it('part reports deliver the message with the last part, and count no report twice', async () => {
    await message.writer.write(createSentEvent(await sendLongMessage()));
    await receiveReceipts(createPartReport('one'));
    await receiveReceipts(createPartReport('one'));
    expect([await readStatus(), await listEndedParts()]).toEqual(['sent', 1]);
    await receiveReceipts(createPartReport('two'));
    expect(await readStatus()).toBe('delivered');
  });

  it('concurrent part reports settle one part each', async () => {
    await message.writer.write(createSentEvent(await sendLongMessage()));
    await Promise.all([
      receiveReceipts(createPartReport('one')),
      receiveReceipts(createPartReport('two')),
      receiveReceipts(createPartReport('one')),
    ]);
    expect([await readStatus(), await listEndedParts()]).toEqual(['delivered', 2]);
  });

  it("part reports find their message by the carrier's ID", async () => {
    await message.writer.write(createSentEvent(await sendLongMessage()));
    await receiveReceipts(createPartReport('one', 'delivered', { messageId: undefined }));
    expect(await readStatus()).toBe('sent');
    await receiveReceipts(createPartReport('two', 'undelivered', { messageId: undefined, errorCode: '300' }));
    expect(await readStatus()).toBe('undelivered');
    expect(await test.deps.prisma.message.findUnique({ where: { id: message.id } })).toMatchObject({
      errorCode: '300',
    });
  });

  it('part reports wait for as many parts as the carrier counts', async () => {
    await message.writer.write(createSentEvent(await sendLongMessage()));
    const reportOfThree = (key: string) => createPartReport(key, 'delivered', { part: { key, total: 3 } });
    await receiveReceipts(reportOfThree('one'), reportOfThree('two'));
    expect(await readStatus()).toBe('sent');
    await receiveReceipts(reportOfThree('three'));
    expect(await readStatus()).toBe('delivered');
  });

  it('part reports deliver a message that the carrier did not split', async () => {
    await message.writer.write(createSentEvent(await sendLongMessage()));
    await receiveReceipts(createPartReport('one', 'delivered', { part: { key: 'one', total: 1 } }));
    expect(await readStatus()).toBe('delivered');
  });

  it.each([{ named: true }, { named: false }])(
    'part reports are stored until the message is marked sent (they name it: $named)',
    async ({ named }) => {
      const attempt = await sendLongMessage();
      const overrides = named ? {} : { messageId: undefined };
      await receiveReceipts(
        createPartReport('one', 'delivered', overrides),
        createPartReport('two', 'delivered', overrides),
      );
      expect(await readStatus()).toBe('sending');
      await message.writer.write(createSentEvent(attempt));
      await waitFor('the stored reports to be applied', async () => {
        await test.deps.receipts.sweep();
        return (await readStatus()) === 'delivered';
      });
      await waitUntilNoneStored();
    },
  );

  it('a part report about a message of one part is about the message', async () => {
    const [claimed] = await claimMessages(test.deps.pool, [message.id], new Date());
    await message.writer.write(createSentEvent(claimed?.attempt ?? 0));
    await receiveReceipts(createPartReport('one'));
    expect(await readStatus()).toBe('delivered');
  });

  it('a part report about an attempt that does not own the message fails nothing', async () => {
    await message.writer.write(createSentEvent(await sendLongMessage()));
    await receiveReceipts(createPartReport('one', 'undelivered', { carrierMessageId: `old-${message.id}` }));
    expect(await readStatus()).toBe('sent');
  });
});

describe('a carrier ID in another spelling', () => {
  const test = suiteApp({ role: 'api' });
  const { message, readStatus, createReceipt, waitUntilNoneStored, claim, createSentEvent } = setUpMessage(test);
  const report = (carrierMessageId: string, status: ReceiptStatus = 'delivered') =>
    test.deps.receipts.receive([createReceipt(status, { messageId: undefined, carrierMessageId })]);

  it.each([
    ['AB12CD', 'ab12cd'],
    ['ab34cd', 'AB34CD'],
    ['ab56cd', 'Ab56cD'],
    ['04062581461565934000241', '4062581461565934000241'],
    ['4062581461565934000242', '0004062581461565934000242'],
  ])(
    'the carrier ID %s is found by %s, also before the message is marked sent',
    async (carrierMessageId, reportedId) => {
      await message.writer.write({ ...createSentEvent(await claim()), carrierMessageId });
      await report(reportedId);
      expect(await readStatus()).toBe('delivered');
      [message.id] = (await accept(test.deps, message.account)) as [string];
      const attempt = await claim();
      await report(`${reportedId}9`);
      await message.writer.write({ ...createSentEvent(attempt), carrierMessageId: `${carrierMessageId}9` });
      await waitFor('the stored receipt to be applied', async () => {
        await test.deps.receipts.sweep();
        return (await readStatus()) === 'delivered';
      });
      await waitUntilNoneStored();
    },
  );

  it('another spelling of a carrier ID counts only if no message has the exact ID', async () => {
    await message.writer.write({ ...createSentEvent(await claim()), carrierMessageId: 'feed1' });
    const lower = message.id;
    [message.id] = (await accept(test.deps, message.account)) as [string];
    await message.writer.write({ ...createSentEvent(await claim()), carrierMessageId: 'FEED1' });
    await report('FEED1');
    expect(await readStatus()).toBe('delivered');
    message.id = lower;
    expect(await readStatus()).toBe('sent');
    expect(await findByCarrierId('Feed1')).toHaveLength(2);
  });

  const findByCarrierId = (carrierMessageId: string) =>
    findRecipients(test.deps.pool, { carrier: 'other', carrierMessageId });
});
