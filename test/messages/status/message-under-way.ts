import { beforeAll, beforeEach } from 'vitest';
import type { Receipt, ReceiptStatus } from '../../../src/carriers/carrier.js';
import { claimMessages } from '../../../src/messages/send/send-store.js';
import type { SentEvent } from '../../../src/messages/status/events.js';
import type { StatusWriter } from '../../../src/messages/status/status-writer.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { accept } from '../../support/sends.js';
import { createStatusWriter } from '../../support/status-writer.js';
import type { TestApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

/** Accepts one message before each test, with an application that sends nothing. */
export function setUpMessage(test: TestApp) {
  const message = { id: '', account: {} as TestAccount, writer: {} as StatusWriter };
  beforeAll(async () => {
    message.account = await createTestAccount(test.deps);
    message.writer = createStatusWriter(test);
  });
  beforeEach(async () => {
    [message.id] = (await accept(test.deps, message.account)) as [string];
  });

  const readStatus = async () =>
    (await test.deps.prisma.message.findUniqueOrThrow({ where: { id: message.id } })).status;
  const createReceipt = (status: ReceiptStatus, overrides: Partial<Receipt> = {}): Receipt => ({
    carrier: 'other',
    carrierMessageId: `other-${message.id}`,
    messageId: message.id,
    status,
    occurredAt: new Date(),
    ...overrides,
  });
  /** Waits until all receipts have been applied, because a stored receipt is deleted once its effect is committed. */
  const waitUntilNoneStored = () =>
    waitFor('no receipt to be stored', async () => (await test.deps.prisma.earlyReceipt.count()) === 0);
  /** Returns the number of the attempt, or 0 if the message could not be claimed. */
  const claim = async () => {
    const [claimed] = await claimMessages(test.deps.pool, [message.id], new Date());
    return claimed?.attempt ?? 0;
  };
  const createSentEvent = (attempt: number): SentEvent => ({
    type: 'sent',
    id: message.id,
    attempt,
    carrier: 'other',
    carrierMessageId: `other-${message.id}`,
    needsReference: true,
    replacesCarrier: true,
    at: new Date(),
  });
  return { message, readStatus, createReceipt, waitUntilNoneStored, claim, createSentEvent };
}
