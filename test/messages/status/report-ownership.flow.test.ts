import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toAttemptId } from '../../../src/carriers/attempt-id.js';
import type { Receipt, ReceiptStatus } from '../../../src/carriers/carrier.js';
import { findHistory } from '../../../src/features/message-history/history.js';
import { claimMessages } from '../../../src/messages/send/send-store.js';
import type { SentEvent } from '../../../src/messages/status/events.js';
import type { StatusWriter } from '../../../src/messages/status/status-writer.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { accept } from '../../support/sends.js';
import { createStatusWriter } from '../../support/status-writer.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

type Attempt = 1 | 2;

interface ReportMatch {
  carriers: readonly [string, string];
  carrierMessageId(id: string, attempt: Attempt): string;
  names(id: string, attempt: Attempt): Pick<Receipt, 'messageId' | 'attempt'>;
}

const toReference = (id: string, attempt: Attempt) => toAttemptId({ id, attempt });
const REPORT_MATCHES: readonly [string, ReportMatch][] = [
  [
    'by IDs of two carriers, such as over SMPP',
    { carriers: ['a', 'b'], carrierMessageId: (id, attempt) => `${attempt}00-${id.slice(-8)}`, names: () => ({}) },
  ],
  [
    'by IDs of one carrier',
    { carriers: ['a', 'a'], carrierMessageId: (id, attempt) => `${attempt}01-${id.slice(-8)}`, names: () => ({}) },
  ],
  [
    'by our ID of the attempt at two carriers',
    {
      carriers: ['a', 'b'],
      carrierMessageId: toReference,
      names: (messageId, attempt) => ({ messageId, ...(attempt > 1 && { attempt }) }),
    },
  ],
  [
    'by our ID of the attempt at one carrier, such as Kannel',
    {
      carriers: ['a', 'a'],
      carrierMessageId: toReference,
      names: (messageId, attempt) => ({ messageId, ...(attempt > 1 && { attempt }) }),
    },
  ],
  [
    'by our ID of the message at two carriers, as before attempts were numbered',
    { carriers: ['a', 'b'], carrierMessageId: (id) => id, names: (messageId) => ({ messageId }) },
  ],
  [
    "by our ID in addition to the carrier's own, such as Meta's",
    {
      carriers: ['a', 'a'],
      carrierMessageId: (id, attempt) => `wamid.${attempt}${id.slice(-8)}`,
      names: (messageId, attempt) => ({ messageId, ...(attempt > 1 && { attempt }) }),
    },
  ],
];

const test = suiteApp({ role: 'api' });

/** Tests every row of the table in docs/develop/reliability.md. */
describe.each(REPORT_MATCHES)('whose report counts: %s', (_way, carrierKind) => {
  let account: TestAccount;
  let writer: StatusWriter;
  let id: string;

  const findMessage = () => test.deps.prisma.message.findUniqueOrThrow({ where: { id } });
  /**
   * Waits for the claim, because stored times are rounded to milliseconds, so a returned message may be due half a millisecond
   * later.
   */
  const claim = () =>
    waitFor('the claim', async () => (await claimMessages(test.deps.pool, [id], new Date())).length === 1, {
      intervalMs: 1,
    });
  const createSentEvent = (attempt: Attempt): SentEvent => ({
    type: 'sent',
    id,
    attempt,
    carrier: carrierKind.carriers[attempt - 1] as string,
    carrierMessageId: carrierKind.carrierMessageId(id, attempt),
    needsReference: !carrierKind.names(id, attempt).messageId,
    replacesCarrier: true,
    at: new Date(),
  });
  const retry = (maybeAccepted: boolean) =>
    writer.write({
      ...{ type: 'retry', id, attempt: 1, delayMs: 0, errorCode: 'TRY', errorMessage: 'Again.', maybeAccepted },
    });
  const report = (attempt: Attempt, status: ReceiptStatus): Receipt => ({
    carrier: carrierKind.carriers[attempt - 1] as string,
    carrierMessageId: carrierKind.carrierMessageId(id, attempt),
    ...carrierKind.names(id, attempt),
    status,
    occurredAt: new Date(),
    ...(status === 'undelivered' && { errorCode: `OF_${attempt}`, errorMessage: 'Unreachable.' }),
  });
  const receiveReports = (...reports: Receipt[]) => test.deps.receipts.receive(reports);
  const sweep = async () => {
    await test.deps.receipts.idle();
    await test.deps.pool.query("UPDATE early_receipts SET next_look = now() - interval '1 second'");
    await test.deps.receipts.sweep();
  };
  const readHistory = async () => {
    const foundHistory = await findHistory(test.deps, account.id, id);
    return (foundHistory?.timeline ?? [])
      .filter(({ type }) => type === 'superseded_receipt')
      .map(({ status, carrier, error }) => ({ status, carrier, code: error?.code ?? null }));
  };
  /** Simulates a stalled process: the response to the first attempt arrives after the second attempt has taken over. */
  const expectSecondOwns = async ({ maybeAccepted = true } = {}) => {
    await claim();
    await retry(maybeAccepted);
    await claim();
    expect(await writer.write(createSentEvent(1))).toBe(false);
    expect(await writer.write(createSentEvent(2))).toBe(true);
  };

  beforeAll(async () => {
    account = await createTestAccount(test.deps);
    writer = createStatusWriter(test);
  });
  beforeEach(async () => {
    await test.deps.prisma.earlyReceipt.deleteMany({});
    [id] = (await accept(test.deps, account)) as [string];
  });

  it.each<ReceiptStatus>(['delivered', 'read', 'undelivered'])(
    'the status %s reported for the owning attempt counts',
    async (status) => {
      await expectSecondOwns();
      await receiveReports(report(2, status));
      expect(await findMessage()).toMatchObject({ status, errorCode: status === 'undelivered' ? 'OF_2' : null });
      await sweep();
      expect(await readHistory()).toEqual([]);
    },
  );

  it('a failure of an earlier attempt is recorded in the history, and the owning attempt still decides', async () => {
    await expectSecondOwns();
    await receiveReports(report(1, 'undelivered'), report(1, 'undelivered'));
    await sweep();
    expect(await findMessage()).toMatchObject({ status: 'sent', errorCode: null, refunded: false });
    const expectedHistory = [{ status: 'undelivered', carrier: carrierKind.carriers[0], code: 'OF_1' }];
    expect(await readHistory()).toEqual(expectedHistory);
    expect(await test.deps.prisma.earlyReceipt.count()).toBe(0);
    await receiveReports(report(2, 'delivered'));
    expect(await findMessage()).toMatchObject({ status: 'delivered' });
    expect(await readHistory()).toEqual(expectedHistory);
  });

  it.each([[[1, 2]], [[2, 1]]] as [Attempt[]][])(
    'failures of both attempts in one batch do not cancel each other (%s)',
    async (order) => {
      await expectSecondOwns();
      await receiveReports(...order.map((attempt) => report(attempt, 'undelivered')));
      expect(await findMessage()).toMatchObject({ status: 'undelivered', errorCode: 'OF_2' });
      await sweep();
      expect(await readHistory()).toEqual([{ status: 'undelivered', carrier: carrierKind.carriers[0], code: 'OF_1' }]);
    },
  );

  it('a failure of an earlier attempt and a delivery by the owner in one batch end as delivered', async () => {
    await expectSecondOwns();
    await receiveReports(report(1, 'undelivered'), report(2, 'delivered'));
    expect(await findMessage()).toMatchObject({ status: 'delivered', errorCode: null });
  });

  it('a failure of an earlier attempt in the batch that marks the message sent does not end it', async () => {
    await claim();
    await retry(true);
    await claim();
    await writer.write(createSentEvent(1));
    await Promise.all([receiveReports(report(1, 'undelivered')), writer.write(createSentEvent(2))]);
    await sweep();
    expect(await findMessage()).toMatchObject({ status: 'sent', errorCode: null });
    expect(await readHistory()).toHaveLength(1);
  });

  it.each<ReceiptStatus>(['delivered', 'read'])(
    'the status %s of an earlier attempt counts if its response was lost',
    async (status) => {
      await expectSecondOwns({ maybeAccepted: true });
      await receiveReports(report(1, status));
      expect(await findMessage()).toMatchObject({ status, carrier: carrierKind.carriers[1] });
      await receiveReports(report(2, 'undelivered'));
      await sweep();
      expect(await findMessage()).toMatchObject({ status, errorCode: null });
    },
  );

  it('a delivery reported for a refused earlier attempt is recorded in the history', async () => {
    await expectSecondOwns({ maybeAccepted: false });
    await receiveReports(report(1, 'delivered'));
    await sweep();
    expect(await findMessage()).toMatchObject({ status: 'sent', deliveredAt: null });
    expect(await readHistory()).toEqual([{ status: 'delivered', carrier: carrierKind.carriers[0], code: null }]);
  });

  it('a failure and then a delivery of an earlier attempt with a lost response count as a delivery', async () => {
    await expectSecondOwns({ maybeAccepted: true });
    await receiveReports(report(1, 'undelivered'), report(1, 'delivered'));
    await sweep();
    await sweep();
    expect(await findMessage()).toMatchObject({ status: 'delivered', errorCode: null });
  });

  it('reports wait until an attempt owns the message', async () => {
    await claim();
    await retry(true);
    await claim();
    await writer.write(createSentEvent(1));
    await receiveReports(report(1, 'undelivered'), report(2, 'delivered'));
    await sweep();
    expect(await findMessage()).toMatchObject({ status: 'sending' });
    expect(await readHistory()).toEqual([]);
    expect(await test.deps.prisma.earlyReceipt.count()).toBe(2);
    await writer.write(createSentEvent(2));
    await sweep();
    expect(await findMessage()).toMatchObject({ status: 'delivered', errorCode: null });
    expect(await readHistory()).toEqual([{ status: 'undelivered', carrier: carrierKind.carriers[0], code: 'OF_1' }]);
    expect(await test.deps.prisma.earlyReceipt.count()).toBe(0);
  });

  it('a report about a message that ended without an owner is recorded in the history', async () => {
    await claim();
    await retry(true);
    await claim();
    await writer.write(createSentEvent(1));
    const endEvent = {
      errorCode: 'NO',
      errorMessage: 'Refused.',
      status: 'failed',
      at: new Date(),
      maybeAccepted: false,
    } as const;
    await writer.write({ type: 'end', id, attempt: 2, ...endEvent });
    await receiveReports(report(1, 'delivered'));
    await sweep();
    expect(await findMessage()).toMatchObject({ status: 'failed', errorCode: 'NO', refunded: false });
    expect(await readHistory()).toEqual([{ status: 'delivered', carrier: carrierKind.carriers[0], code: null }]);
  });
});
