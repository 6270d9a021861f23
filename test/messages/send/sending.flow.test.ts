import { expect, it } from 'vitest';
import { createTestAccount, readBalance } from '../../support/accounts.js';
import { describeEachBackend } from '../../support/backends.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { checkUntil } from '../../support/messages.js';
import { atScale } from '../../support/run/extent.js';
import { accept, countStatuses, type TestSend, waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const PART = 10_000n;
const CREDIT = 100_000_000n;
const RECIPIENTS = atScale({ full: 10_000, quick: 1_500 });
const BACKLOG = atScale({ full: 5_000, quick: 1_500 });

describeEachBackend('sending: from acceptance to a final status', (backend) => {
  const clock = new ShiftedClock();
  const test = suiteApp({ backend, clock });
  const acceptOne = async (send?: TestSend) => {
    const account = await createTestAccount(test.deps);
    const [id] = await accept(test.deps, account, send);
    return { account, id };
  };
  const findMessage = (id: string | undefined) => test.deps.prisma.message.findUniqueOrThrow({ where: { id } });
  const waitForStatus = (id: string | undefined, status: string) =>
    waitFor(`the message to be ${status}`, async () => {
      const row = await findMessage(id);
      return row.status === status ? row : null;
    });

  it('a message to an ordinary number is queued, sending, sent and delivered, each with its time', async () => {
    const { id } = await acceptOne();
    const row = await waitForStatus(id, 'delivered');

    const times = [row.createdAt, row.sendingAt, row.sentAt, row.deliveredAt].map((time) => time?.getTime());
    expect(times.every((time) => time !== undefined)).toBe(true);
    expect([...times].sort()).toEqual(times);
    expect(row).toMatchObject({ attempts: 1, nextLook: null, leaseUntil: null, errorCode: null, refunded: false });
    expect(row.carrierMessageId).toBe(`sim-${id}`);
  });

  it('15005550001 is refused: the message fails with the reason and is refunded once', async () => {
    const { account, id } = await acceptOne({ to: '15005550001', body: 'z'.repeat(161) });
    const row = await waitForStatus(id, 'failed');

    expect(row).toMatchObject({ errorCode: 'REFUSED', refunded: true, attempts: 1, nextLook: null, sentAt: null });
    expect(row.endedAt).not.toBeNull();
    expect(await readBalance(test.deps, account.id)).toBe(CREDIT);
    const refunds = await test.deps.prisma.ledgerEntry.findMany({ where: { accountId: account.id, kind: 'refund' } });
    expect(refunds).toMatchObject([{ amountMicros: 2n * PART, balanceAfterMicros: CREDIT, messageCount: 1 }]);
  });

  it('15005550002 becomes undelivered with the reason and is not refunded', async () => {
    const { account, id } = await acceptOne({ to: '15005550002' });
    expect(await waitForStatus(id, 'undelivered')).toMatchObject({ errorCode: 'UNREACHABLE', refunded: false });
    expect(await readBalance(test.deps, account.id)).toBe(CREDIT - PART);
  });

  it('15005550003 is throttled twice, retried and delivered', async () => {
    const { account, id } = await acceptOne({ to: '15005550003' });
    const waitingMessage = await waitFor('the first try to be throttled', async () => {
      const row = await findMessage(id);
      return row.errorCode === 'THROTTLED' ? row : null;
    });
    expect(waitingMessage.status).toBe('sending');
    expect(waitingMessage.notBefore).not.toBeNull();
    expect(await waitForStatus(id, 'delivered')).toMatchObject({ attempts: 3, errorCode: null, maybeAccepted: false });
    expect(await readBalance(test.deps, account.id)).toBe(CREDIT - PART);
  });

  it('15005550004 loses its first response, is sent again, and the second attempt counts', async () => {
    const { account, id } = await acceptOne({ to: '15005550004' });
    expect(await waitForStatus(id, 'delivered')).toMatchObject({ attempts: 2, maybeAccepted: true });
    expect(await readBalance(test.deps, account.id)).toBe(CREDIT - PART);
  });

  it('15005550005 stays sent, expires an hour after its validity, and is not refunded', async () => {
    const { account, id } = await acceptOne({ to: '15005550005' });
    const sentMessage = await waitForStatus(id, 'sent');
    expect(sentMessage.nextLook).not.toBeNull();

    const receiptTimeout = sentMessage.validUntil.getTime() + 3_600_000 - clock.now().getTime();
    clock.advance(receiptTimeout + 1_000);
    await checkUntil(test, id as string, 'expired');
    expect(await waitForStatus(id, 'expired')).toMatchObject({
      errorCode: 'NO_RECEIPT',
      refunded: false,
      nextLook: null,
    });
    expect(await readBalance(test.deps, account.id)).toBe(CREDIT - PART);
  });

  it('15005550006 is read, with the time of its delivery', async () => {
    const { id } = await acceptOne({ to: '15005550006' });
    const row = await waitForStatus(id, 'read');
    expect(row.deliveredAt).not.toBeNull();
    expect(row.readAt).not.toBeNull();
  });

  it('15005550009 is expired by its receipt', async () => {
    const { id } = await acceptOne({ to: '15005550009' });
    expect(await waitForStatus(id, 'expired')).toMatchObject({ errorCode: 'EXPIRED', refunded: false });
  });

  it('a message whose validity ends before a carrier accepts it is expired and refunded', async () => {
    const { account, id } = await acceptOne({ to: '15005550003' });
    const waitingMessage = await waitFor('the first try to be throttled', async () => {
      const row = await findMessage(id);
      return row.errorCode === 'THROTTLED' ? row : null;
    });
    clock.advance(waitingMessage.validUntil.getTime() - clock.now().getTime());
    const { attempts } = waitingMessage;
    expect(await waitForStatus(id, 'expired')).toMatchObject({
      errorCode: 'EXPIRED',
      refunded: true,
      attempts: attempts + 1,
    });
    expect(await readBalance(test.deps, account.id)).toBe(CREDIT);
  });

  it(`all ${RECIPIENTS} recipients of one request are delivered and charged once`, async () => {
    const account = await createTestAccount(test.deps, { creditMicros: BigInt(RECIPIENTS) * PART });
    const to = Array.from({ length: RECIPIENTS }, (_, index) => `1500555${String(index + 1_000_000).slice(1)}0`);
    const ids = await accept(test.deps, account, { to });
    expect(new Set(ids).size).toBe(RECIPIENTS);
    expect(await readBalance(test.deps, account.id)).toBe(0n);
    expect(await waitForAllMessages(test.deps, account.id, 'delivered')).toBe(RECIPIENTS);
  });

  it('priority 3 overtakes a backlog of priority 0', async () => {
    const account = await createTestAccount(test.deps);
    const urgentAccount = await createTestAccount(test.deps);
    await accept(test.deps, account, { to: Array.from({ length: BACKLOG }, () => '15005550100'), priority: 0 });
    await accept(test.deps, urgentAccount, { priority: 3 });
    await waitForAllMessages(test.deps, urgentAccount.id, 'delivered');

    const { delivered = 0 } = await countStatuses(test.deps, account.id);
    expect(delivered).toBeLessThan(BACKLOG);
    await waitForAllMessages(test.deps, account.id, 'delivered');
  });
});
