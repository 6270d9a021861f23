import { describe, expect, it } from 'vitest';
import type { Receipt, ReceiptStatus } from '../../../src/carriers/carrier.js';
import { claimMessages } from '../../../src/messages/send/send-store.js';
import { findRecipients } from '../../../src/messages/status/receipt-store.js';
import { accept } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { messageUnderWay } from './message-under-way.js';

describe('reports about the parts of a message whose parts have no IDs', () => {
  const test = suiteApp({ role: 'api' });
  const { message, status, receipt, noneIsStored, sent } = messageUnderWay(test);

  /** A message of two parts, claimed. */
  const longMessage = async () => {
    [message.id] = (await accept(test.deps, message.account, { body: 'x'.repeat(300) })) as [string];
    const [claimed] = await claimMessages(test.deps.pool, [message.id], new Date());
    return claimed?.attempt ?? 0;
  };
  const partReport = (key: string, reported: ReceiptStatus = 'delivered', more: Partial<Receipt> = {}) =>
    receipt(reported, { part: { key, total: null }, ...more });
  const take = (...receipts: Receipt[]) => test.deps.receipts.take(receipts);
  const endedParts = () =>
    test.deps.prisma.messagePart.count({ where: { messageId: message.id, status: { not: null } } });

  it('deliver the message with the last part, and none of them twice', async () => {
    await message.writer.write(sent(await longMessage()));
    await take(partReport('one'));
    await take(partReport('one'));
    expect([await status(), await endedParts()]).toEqual(['sent', 1]);
    await take(partReport('two'));
    expect(await status()).toBe('delivered');
  });

  it('settle a part each when they come at once', async () => {
    await message.writer.write(sent(await longMessage()));
    await Promise.all([take(partReport('one')), take(partReport('two')), take(partReport('one'))]);
    expect([await status(), await endedParts()]).toEqual(['delivered', 2]);
  });

  it('find their message by the carrier’s ID', async () => {
    await message.writer.write(sent(await longMessage()));
    await take(partReport('one', 'delivered', { messageId: undefined }));
    expect(await status()).toBe('sent');
    await take(partReport('two', 'undelivered', { messageId: undefined, errorCode: '300' }));
    expect(await status()).toBe('undelivered');
    expect(await test.deps.prisma.message.findUnique({ where: { id: message.id } })).toMatchObject({
      errorCode: '300',
    });
  });

  it('wait for as many parts as the carrier counts', async () => {
    await message.writer.write(sent(await longMessage()));
    const ofThree = (key: string) => partReport(key, 'delivered', { part: { key, total: 3 } });
    await take(ofThree('one'), ofThree('two'));
    expect(await status()).toBe('sent');
    await take(ofThree('three'));
    expect(await status()).toBe('delivered');
  });

  it('deliver a message that the carrier did not divide', async () => {
    await message.writer.write(sent(await longMessage()));
    await take(partReport('one', 'delivered', { part: { key: 'one', total: 1 } }));
    expect(await status()).toBe('delivered');
  });

  it.each([{ named: true }, { named: false }])(
    'are kept while the message is not marked sent (it is named: $named)',
    async ({ named }) => {
      const attempt = await longMessage();
      const more = named ? {} : { messageId: undefined };
      await take(partReport('one', 'delivered', more), partReport('two', 'delivered', more));
      expect(await status()).toBe('sending');
      await message.writer.write(sent(attempt));
      await waitFor('the stored reports to be applied', async () => {
        await test.deps.receipts.collect();
        return (await status()) === 'delivered';
      });
      await noneIsStored();
    },
  );

  it('about a message of one part are about the message', async () => {
    const [claimed] = await claimMessages(test.deps.pool, [message.id], new Date());
    await message.writer.write(sent(claimed?.attempt ?? 0));
    await take(partReport('one'));
    expect(await status()).toBe('delivered');
  });

  it('about an attempt that does not own the message fail nothing', async () => {
    await message.writer.write(sent(await longMessage()));
    await take(partReport('one', 'undelivered', { carrierMessageId: `old-${message.id}` }));
    expect(await status()).toBe('sent');
  });
});

describe('the ID of a message in another spelling', () => {
  const test = suiteApp({ role: 'api' });
  const { message, status, receipt, noneIsStored, claim, sent } = messageUnderWay(test);
  const report = (carrierMessageId: string, reported: ReceiptStatus = 'delivered') =>
    test.deps.receipts.take([receipt(reported, { messageId: undefined, carrierMessageId })]);

  it.each([
    ['AB12CD', 'ab12cd'],
    ['ab34cd', 'AB34CD'],
    ['ab56cd', 'Ab56cD'],
    ['04062581461565934000241', '4062581461565934000241'],
    ['4062581461565934000242', '0004062581461565934000242'],
  ])('%s is found by %s, also before the message is marked sent', async (carrierMessageId, reported) => {
    await message.writer.write({ ...sent(await claim()), carrierMessageId });
    await report(reported);
    expect(await status()).toBe('delivered');
    [message.id] = (await accept(test.deps, message.account)) as [string];
    const attempt = await claim();
    await report(`${reported}9`);
    await message.writer.write({ ...sent(attempt), carrierMessageId: `${carrierMessageId}9` });
    await waitFor('the stored receipt to be applied', async () => {
      await test.deps.receipts.collect();
      return (await status()) === 'delivered';
    });
    await noneIsStored();
  });

  it('counts only if no message has the ID as it is written', async () => {
    await message.writer.write({ ...sent(await claim()), carrierMessageId: 'feed1' });
    const lower = message.id;
    [message.id] = (await accept(test.deps, message.account)) as [string];
    await message.writer.write({ ...sent(await claim()), carrierMessageId: 'FEED1' });
    await report('FEED1');
    expect(await status()).toBe('delivered');
    message.id = lower;
    expect(await status()).toBe('sent');
    expect(await findRecipientsOf('Feed1')).toHaveLength(2);
  });

  const findRecipientsOf = (carrierMessageId: string) =>
    findRecipients(test.deps.pool, { carrier: 'other', carrierMessageId });
});
