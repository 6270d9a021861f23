import { describe, expect, it } from 'vitest';
import type { Receipt, ReceiptStatus } from '../../../src/carriers/carrier.js';
import { claimMessages } from '../../../src/messages/send/send-store.js';
import { findRecipients } from '../../../src/messages/status/receipt-store.js';
import { accept } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { messageUnderWay } from './message-under-way.js';

describe('reports about parts without IDs', () => {
  const test = suiteApp({ role: 'api' });
  const { message, status, receipt, noneIsStored, sent } = messageUnderWay(test);

  const longMessage = async () => {
    [message.id] = (await accept(test.deps, message.account, { body: 'x'.repeat(300) })) as [string];
    const [claimed] = await claimMessages(test.deps.pool, [message.id], new Date());
    return claimed?.attempt ?? 0;
  };
  const partReport = (key: string, reported: ReceiptStatus = 'delivered', more: Partial<Receipt> = {}) =>
    receipt(reported, { part: { key, total: null }, ...more });
  const take = (...receipts: Receipt[]) => test.deps.receipts.receive(receipts);
  const endedParts = () =>
    test.deps.prisma.messagePart.count({ where: { messageId: message.id, status: { not: null } } });

  it('part reports deliver the message with the last part, and count no report twice', async () => {
    await message.writer.write(sent(await longMessage()));
    await take(partReport('one'));
    await take(partReport('one'));
    expect([await status(), await endedParts()]).toEqual(['sent', 1]);
    await take(partReport('two'));
    expect(await status()).toBe('delivered');
  });

  it('concurrent part reports settle one part each', async () => {
    await message.writer.write(sent(await longMessage()));
    await Promise.all([take(partReport('one')), take(partReport('two')), take(partReport('one'))]);
    expect([await status(), await endedParts()]).toEqual(['delivered', 2]);
  });

  it("part reports find their message by the carrier's ID", async () => {
    await message.writer.write(sent(await longMessage()));
    await take(partReport('one', 'delivered', { messageId: undefined }));
    expect(await status()).toBe('sent');
    await take(partReport('two', 'undelivered', { messageId: undefined, errorCode: '300' }));
    expect(await status()).toBe('undelivered');
    expect(await test.deps.prisma.message.findUnique({ where: { id: message.id } })).toMatchObject({
      errorCode: '300',
    });
  });

  it('part reports wait for as many parts as the carrier counts', async () => {
    await message.writer.write(sent(await longMessage()));
    const reportOfThree = (key: string) => partReport(key, 'delivered', { part: { key, total: 3 } });
    await take(reportOfThree('one'), reportOfThree('two'));
    expect(await status()).toBe('sent');
    await take(reportOfThree('three'));
    expect(await status()).toBe('delivered');
  });

  it('part reports deliver a message that the carrier did not split', async () => {
    await message.writer.write(sent(await longMessage()));
    await take(partReport('one', 'delivered', { part: { key: 'one', total: 1 } }));
    expect(await status()).toBe('delivered');
  });

  it.each([{ named: true }, { named: false }])(
    'part reports are stored until the message is marked sent (they name it: $named)',
    async ({ named }) => {
      const attempt = await longMessage();
      const more = named ? {} : { messageId: undefined };
      await take(partReport('one', 'delivered', more), partReport('two', 'delivered', more));
      expect(await status()).toBe('sending');
      await message.writer.write(sent(attempt));
      await waitFor('the stored reports to be applied', async () => {
        await test.deps.receipts.sweep();
        return (await status()) === 'delivered';
      });
      await noneIsStored();
    },
  );

  it('a part report about a message of one part is about the message', async () => {
    const [claimed] = await claimMessages(test.deps.pool, [message.id], new Date());
    await message.writer.write(sent(claimed?.attempt ?? 0));
    await take(partReport('one'));
    expect(await status()).toBe('delivered');
  });

  it('a part report about an attempt that does not own the message fails nothing', async () => {
    await message.writer.write(sent(await longMessage()));
    await take(partReport('one', 'undelivered', { carrierMessageId: `old-${message.id}` }));
    expect(await status()).toBe('sent');
  });
});

describe('a carrier ID in another spelling', () => {
  const test = suiteApp({ role: 'api' });
  const { message, status, receipt, noneIsStored, claim, sent } = messageUnderWay(test);
  const report = (carrierMessageId: string, reported: ReceiptStatus = 'delivered') =>
    test.deps.receipts.receive([receipt(reported, { messageId: undefined, carrierMessageId })]);

  it.each([
    ['AB12CD', 'ab12cd'],
    ['ab34cd', 'AB34CD'],
    ['ab56cd', 'Ab56cD'],
    ['04062581461565934000241', '4062581461565934000241'],
    ['4062581461565934000242', '0004062581461565934000242'],
  ])('the carrier ID %s is found by %s, also before the message is marked sent', async (carrierMessageId, reported) => {
    await message.writer.write({ ...sent(await claim()), carrierMessageId });
    await report(reported);
    expect(await status()).toBe('delivered');
    [message.id] = (await accept(test.deps, message.account)) as [string];
    const attempt = await claim();
    await report(`${reported}9`);
    await message.writer.write({ ...sent(attempt), carrierMessageId: `${carrierMessageId}9` });
    await waitFor('the stored receipt to be applied', async () => {
      await test.deps.receipts.sweep();
      return (await status()) === 'delivered';
    });
    await noneIsStored();
  });

  it('another spelling of a carrier ID counts only if no message has the exact ID', async () => {
    await message.writer.write({ ...sent(await claim()), carrierMessageId: 'feed1' });
    const lower = message.id;
    [message.id] = (await accept(test.deps, message.account)) as [string];
    await message.writer.write({ ...sent(await claim()), carrierMessageId: 'FEED1' });
    await report('FEED1');
    expect(await status()).toBe('delivered');
    message.id = lower;
    expect(await status()).toBe('sent');
    expect(await findByCarrierId('Feed1')).toHaveLength(2);
  });

  const findByCarrierId = (carrierMessageId: string) =>
    findRecipients(test.deps.pool, { carrier: 'other', carrierMessageId });
});
