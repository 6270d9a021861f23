import { beforeAll, describe, expect, it } from 'vitest';
import { sweepVerifications } from '../../../src/features/verifications/sweep-store.js';
import { CodeSeal } from '../../../src/messages/sign-in-codes/code-seal.js';
import { verificationKeys } from '../../../src/process/settings/report-keys.js';
import { runJson } from '../../cli/run.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { post } from '../../surfaces/a/requests.js';

// With the role `api`, the application only accepts messages, which are sent once a test starts a worker.
const heliograph = suiteApp({ role: 'api' });
let account: TestAccount;
let balanceBefore: bigint;
let number = 0;
const nextNumber = () => `1500555${String(5000 + number++)}`;

beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
  balanceBefore = await readBalance(heliograph.deps, account.id);
});

async function send(to: string): Promise<{ id: string; messageId: string; code: string }> {
  const response = await post(heliograph.app, '/v2/verifications', account, { to, from: 'Acme', app_name: 'Acme' });
  expect(response.statusCode, response.body).toBe(200);
  const { id, message_id: messageId } = response.json().data;
  const { sealedCode } = await heliograph.deps.prisma.verification.findUniqueOrThrow({ where: { id } });
  return {
    id,
    messageId,
    code: new CodeSeal(verificationKeys(heliograph.config)).open(Buffer.from(sealedCode as Uint8Array), id) as string,
  };
}
const check = (to: string, code: string) => post(heliograph.app, '/v2/verifications/check', account, { to, code });
const findMessage = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });

async function runWorkerUntilEnded(
  messageIds: readonly string[],
  settings: Record<string, string> = {},
): Promise<void> {
  const worker = await testApp({ sharesWith: heliograph, role: 'worker', settings });
  try {
    await waitFor('the messages to end', async () => {
      const rows = await Promise.all(messageIds.map(findMessage));
      return rows.every(({ status }) => !['queued', 'sending'].includes(status));
    });
  } finally {
    await worker.close();
  }
}

describe('a sign-in code', () => {
  it('a used sign-in code cancels and refunds its unsent messages', async () => {
    const to = nextNumber();
    const { messageId, code } = await send(to);
    const secondSend = await send(to);
    expect(secondSend.code).toBe(code);
    expect((await check(to, code)).json().data.valid).toBe(true);
    await runWorkerUntilEnded([messageId, secondSend.messageId]);
    for (const id of [messageId, secondSend.messageId]) {
      expect(await findMessage(id)).toMatchObject({
        status: 'expired',
        errorCode: 'CODE_ENDED',
        refunded: true,
        attempts: 1,
      });
    }
    expect(await readBalance(heliograph.deps, account.id)).toBe(balanceBefore);
  });

  it('a sign-in code fails and is refunded if the worker does not have its secret, without sending the mask', async () => {
    const { messageId } = await send(nextNumber());
    await runWorkerUntilEnded([messageId], { VERIFICATION_SECRET: 'another secret of the tests for sign-in codes' });
    const endedMessage = await findMessage(messageId);
    expect(endedMessage).toMatchObject({
      status: 'failed',
      errorCode: 'CODE_UNREADABLE',
      refunded: true,
      sentAt: null,
    });
    expect(await readBalance(heliograph.deps, account.id)).toBe(balanceBefore);
  });

  it('a sign-in code is erased with its person', async () => {
    const to = nextNumber();
    const { id, code } = await send(to);
    const env = { DATABASE_URL: heliograph.databaseUrl, DATA_DIR: heliograph.config.dataDir };
    await runJson(env, 'erase', to, '--yes');
    expect((await check(to, code)).statusCode).toBe(404);
    const { verification, verificationRecipient } = heliograph.deps.prisma;
    expect(await verification.findUnique({ where: { id } })).toMatchObject({
      recipient: '1',
      sealedCode: null,
      codeHash: null,
    });
    expect(await verificationRecipient.count({ where: { recipient: to } })).toBe(0);
  });

  it('a sign-in code is erased once it expired, and its row is deleted with old messages', async () => {
    const to = nextNumber();
    const { id } = await send(to);
    const { pool, prisma } = heliograph.deps;
    const { expiresAt } = await prisma.verification.findUniqueOrThrow({ where: { id } });
    const sweepOptionsAt = (milliseconds: number) => ({
      pool,
      now: new Date(expiresAt.getTime() + milliseconds),
      retentionDays: 30,
      step: 100,
      isStopped: () => false,
    });
    await sweepVerifications(sweepOptionsAt(-1));
    expect(await prisma.verification.findUnique({ where: { id } })).not.toMatchObject({ sealedCode: null });
    await sweepVerifications(sweepOptionsAt(1_000));
    expect(await prisma.verification.findUnique({ where: { id } })).toMatchObject({
      recipient: to,
      sealedCode: null,
      codeHash: null,
      status: 'pending',
    });
    expect(await prisma.verificationRecipient.count({ where: { recipient: to } })).toBe(0);
    await sweepVerifications(sweepOptionsAt(31 * 86_400_000));
    expect(await prisma.verification.findUnique({ where: { id } })).toBeNull();
  });
});
