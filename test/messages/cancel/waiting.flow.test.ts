import { beforeEach, describe, expect, it } from 'vitest';
import { cancelMessage } from '../../../src/messages/cancel/cancel.js';
import { requestCancellationSql } from '../../../src/messages/cancel/cancel-store.js';
import { claimMessages } from '../../../src/messages/send/send-store.js';
import type { Prisma } from '../../../src/platform/generated/prisma/client.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { accept } from '../../support/sends.js';
import { sharedApp } from '../../support/suite.js';

const CREDIT = 100_000_000n;
const PART = 10_000n;

describe('canceling a message', () => {
  const heliograph = sharedApp({ role: 'api' });
  let account: TestAccount;
  let id: string;
  beforeEach(async () => {
    account = await createTestAccount(heliograph.deps);
    [id] = (await accept(heliograph.deps, account)) as [string];
  });
  const findMessage = () => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
  const updateMessage = (data: Prisma.MessageUpdateInput) =>
    heliograph.deps.prisma.message.update({ where: { id }, data });
  const cancel = (accountId = account.id, messageId = id) =>
    cancelMessage(heliograph.deps, { id: messageId, accountId });
  const readOwnBalance = () => readBalance(heliograph.deps, account.id);

  it('a message that was never claimed is canceled and refunded, once, and no other message', async () => {
    const [other] = await accept(heliograph.deps, account);
    expect([await cancel(), await cancel()]).toEqual([true, false]);
    expect(await findMessage()).toMatchObject({
      status: 'canceled',
      refunded: true,
      nextLook: null,
      errorCode: 'CANCELED',
    });
    expect(await readOwnBalance()).toBe(CREDIT - PART);
    expect(await claimMessages(heliograph.deps.pool, [id], new Date())).toEqual([]);
    expect(await claimMessages(heliograph.deps.pool, [other as string], new Date())).toHaveLength(1);
    const ledgerLines = await heliograph.deps.prisma.ledgerEntry.findMany({
      where: { accountId: account.id, kind: 'refund' },
    });
    expect(ledgerLines).toMatchObject([{ amountMicros: PART, messageCount: 1, balanceAfterMicros: CREDIT - PART }]);
  });

  it('a message that waits for a retry is canceled if no carrier can have accepted it', async () => {
    await claimMessages(heliograph.deps.pool, [id], new Date());
    await updateMessage({ leaseUntil: null });
    expect(await cancel()).toBe(true);
    expect(await readOwnBalance()).toBe(CREDIT);
  });

  it.each<[string, Prisma.MessageUpdateInput]>([
    ['a worker holds', { status: 'sending', leaseUntil: new Date(Date.now() + 30_000) }],
    ['a carrier may have accepted', { status: 'sending', maybeAccepted: true }],
    ['was sent', { status: 'sent' }],
    ['was delivered', { status: 'delivered' }],
    ['failed', { status: 'failed' }],
    ['another surface sent', { surface: 'b' }],
  ])('a message that %s is not canceled', async (_, data) => {
    const messageBefore = await updateMessage(data);
    expect(await cancel()).toBe(false);
    expect(await findMessage()).toEqual(messageBefore);
    expect(await readOwnBalance()).toBe(CREDIT - PART);
  });

  it('canceling does nothing if the message belongs to another account or does not exist', async () => {
    const otherAccount = await createTestAccount(heliograph.deps);
    expect(await cancel(otherAccount.id)).toBe(false);
    expect(await cancel(account.id, newId())).toBe(false);
    expect(await findMessage()).toMatchObject({ status: 'queued' });
    expect(await readBalance(heliograph.deps, otherAccount.id)).toBe(CREDIT);
  });

  it('canceling is requested for messages that a worker holds, unless a carrier may have accepted them', async () => {
    const [perhaps] = (await accept(heliograph.deps, account)) as [string];
    const otherAccount = await createTestAccount(heliograph.deps);
    const [foreign] = (await accept(heliograph.deps, otherAccount)) as [string];
    await heliograph.deps.prisma.message.update({ where: { id: perhaps }, data: { maybeAccepted: true } });
    const ids = [id, perhaps, foreign];
    await heliograph.deps.pool.query(requestCancellationSql('id = ANY($1::uuid[])'), [ids, account.id, 'Stopped.']);
    const rows = await heliograph.deps.prisma.message.findMany({ where: { id: { in: ids } } });
    const reasons = new Map(rows.map(({ id, cancelReason }) => [id, cancelReason]));
    expect(ids.map((messageId) => reasons.get(messageId))).toEqual(['Stopped.', null, null]);
    expect(await claimMessages(heliograph.deps.pool, [id], new Date())).toMatchObject([{ cancelReason: 'Stopped.' }]);
  });
});
