import { expect, it } from 'vitest';
import type { Submission } from '../../../src/carriers/carrier.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { describeEachBackend } from '../../support/backends.js';
import { createScriptedType } from '../../support/carriers/scripted-carrier.js';
import { createAccountOnTwoCarriers } from '../../support/carriers/two-carriers.js';
import { atScale } from '../../support/run/extent.js';
import { accept, countStatuses, ORDINARY_NUMBER, waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const ACCOUNTS = 10;
const SINGLES = 4;
const WAITING = atScale({ full: 2_000, quick: 500 });

describeEachBackend(`with backlogs of ${WAITING} messages in each of ${ACCOUNTS} accounts`, (backend) => {
  const api = suiteApp({ backend, role: 'api' });

  it('a single message is sent at once despite ten backlogs, from the accepting process and from another one', async () => {
    const bulk: TestAccount[] = [];
    for (let index = 0; index < ACCOUNTS; index++) {
      const account = await createTestAccount(api.deps, { creditMicros: BigInt(WAITING) * 10_000n });
      await accept(api.deps, account, { to: Array(WAITING).fill(ORDINARY_NUMBER) });
      bulk.push(account);
    }
    const single = await createTestAccount(api.deps);
    // One of several attempts must be fast, because on a slow machine an addition to the queue may time out and be lost.
    const acceptSome = async (deps: typeof api.deps) =>
      (await Promise.all(Array.from({ length: SINGLES }, () => accept(deps, single)))).flat();
    const firstIds = await acceptSome(api.deps);
    const worker = await testApp({ role: 'worker', sharesWith: api });
    try {
      await waitFor('the backlogs to be under way', async () => (await countSent(bulk)) >= WAITING);
      const laterIds = [await acceptSome(api.deps), await acceptSome(worker.deps)];
      await waitFor('the single messages to be sent', async () => (await countSent([single])) === 3 * SINGLES);

      expect(await findLeastOvertaken(firstIds)).toBeLessThan((ACCOUNTS * WAITING) / 10);
      for (const ids of laterIds) expect(await findLeastOvertaken(ids)).toBeLessThan((ACCOUNTS * WAITING) / 5);
      expect(await countSent(bulk)).toBeLessThan(ACCOUNTS * WAITING);
    } finally {
      await worker.close();
    }
  });

  async function countSent(accounts: readonly TestAccount[]): Promise<number> {
    return api.deps.prisma.message.count({
      where: { accountId: { in: accounts.map(({ id }) => id) }, sentAt: { not: null } },
    });
  }

  const findLeastOvertaken = async (ids: readonly string[]) =>
    Math.min(...(await Promise.all(ids.map(countOvertaken))));

  async function countOvertaken(id: string): Promise<number> {
    const { createdAt, sendingAt } = await api.deps.prisma.message.findUniqueOrThrow({ where: { id } });
    return api.deps.prisma.message.count({
      where: { id: { not: id }, sendingAt: { gt: createdAt, lt: sendingAt ?? new Date() } },
    });
  }
});

describeEachBackend('a carrier that does not answer', (backend) => {
  const type = createScriptedType();
  const heliograph = suiteApp({ backend, carrierTypes: [type], settings: { WORKER_CONCURRENCY: '1' } });

  it('a hung carrier occupies only its share of the lane, and messages for other carriers are sent', async () => {
    const { account: stuck, first } = await createAccountOnTwoCarriers(heliograph, type);
    const pendingAnswers: ((submission: Submission) => void)[] = [];
    first.script = () => new Promise((resolve) => pendingAnswers.push(resolve));
    await accept(heliograph.deps, stuck, { to: Array(2_500).fill(ORDINARY_NUMBER) });
    await waitFor('the carrier to hang', () => pendingAnswers.length >= 100);

    const otherAccount = await createTestAccount(heliograph.deps);
    await accept(heliograph.deps, otherAccount, { to: Array(1_000).fill(ORDINARY_NUMBER) });
    expect(await waitForAllMessages(heliograph.deps, otherAccount.id, 'delivered')).toBe(1_000);
    expect(pendingAnswers).toHaveLength(100);
    expect(await countStatuses(heliograph.deps, stuck.id)).toEqual({ sending: 100, queued: 2_400 });

    first.script = ({ id }) => ({ carrierMessageId: id });
    for (const [no, answer] of pendingAnswers.entries()) answer({ carrierMessageId: `late ${no}` });
    const hasSentMore = async () => ((await countStatuses(heliograph.deps, stuck.id)).sent ?? 0) > 200;
    await waitFor('others of its messages to be sent', hasSentMore);
  });
});
