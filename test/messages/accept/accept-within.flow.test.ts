import { beforeEach, describe, expect, it } from 'vitest';
import { makeChange } from '../../../src/accounts/audit/change.js';
import type { AcceptingTransaction } from '../../../src/messages/accept/accept-within.js';
import type { Sample } from '../../../src/platform/metrics/metric.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { sendRequest } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';

const CREDIT = 100_000_000n;
const PART = 10_000n;

const faults = new ControlledFaults();
const heliograph = suiteApp({ role: 'api', faults });
let account: TestAccount;
beforeEach(async () => {
  account = await createTestAccount(heliograph.deps);
});

const countQueued = () => {
  const samples = heliograph.deps.acceptor.tally.metrics().flatMap((metric) => [...(metric.read() as Sample[])]);
  return samples.reduce((sum, { value }) => sum + value, 0);
};
const countStored = () => heliograph.deps.prisma.message.count({ where: { accountId: account.id } });
const plan = { listPayers: () => [account.id] };
const send = async ({ prepare, commit }: AcceptingTransaction, options = {}) =>
  commit([await prepare(sendRequest(account, options))]);

describe("sends accepted in the caller's transaction", () => {
  it("sends in the caller's transaction reach the queue after the commit, not before", async () => {
    const { acceptor, pool } = heliograph.deps;
    const queuedBefore = countQueued();
    faults.on('within:committed', async () => {
      expect([countQueued(), await countStored()]).toEqual([queuedBefore, 1]);
    });
    const result = await acceptor.acceptWithin(
      pool,
      { ...plan, faultPoint: 'within:committed' },
      async (transaction) => {
        expect(await send(transaction)).toEqual(['accepted']);
        return 'done';
      },
    );
    expect([result, countQueued(), faults.count('within:committed')]).toEqual(['done', queuedBefore + 1, 1]);
    expect(await readBalance(heliograph.deps, account.id)).toBe(CREDIT - PART);
  });

  it("sends leave no trace if the caller's work fails after accepting them", async () => {
    const { acceptor, pool } = heliograph.deps;
    const queuedBefore = countQueued();
    const failedWork = acceptor.acceptWithin(pool, plan, async (transaction) => {
      await send(transaction);
      throw new Error('overtaken');
    });
    await expect(failedWork).rejects.toThrow('overtaken');
    expect([countQueued(), await countStored()]).toEqual([queuedBefore, 0]);
    expect(await readBalance(heliograph.deps, account.id)).toBe(CREDIT);
  });

  it('only sends that are paid for and have an unused key reach the queue', async () => {
    const { acceptor, pool } = heliograph.deps;
    const queuedBefore = countQueued();
    await acceptor.acceptWithin(pool, plan, async (transaction) => {
      const unaffordable = { ...(await transaction.prepare(sendRequest(account))), charge: CREDIT + 1n };
      expect(await transaction.commit([unaffordable])).toEqual(['unfunded']);
      expect(await transaction.commit([])).toEqual([]);
      expect(await send(transaction, { key: 'once' })).toEqual(['accepted']);
      expect(await send(transaction, { key: 'once' })).toEqual(['conflict']);
    });
    expect([countQueued(), await countStored()]).toEqual([queuedBefore + 1, 1]);
  });

  it('the paying account is locked before the work starts, but after the rows that `claim` locks', async () => {
    const { acceptor, pool } = heliograph.deps;
    const lock = 'SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED';
    const isFree = async () => (await pool.query(lock, [account.id])).rowCount === 1;
    const [taking, working] = [faults.hold('within:taking'), faults.hold('within:working')];
    const workInTransaction = acceptor.acceptWithin(
      pool,
      {
        claim: async () => {
          await faults.hit('within:taking');
          return account.id;
        },
        listPayers: (claimedId: string) => [claimedId],
      },
      () => Promise.resolve(faults.hit('within:working')),
    );
    await taking.reached;
    expect(await isFree()).toBe(true);
    taking.release();
    await working.reached;
    expect(await isFree()).toBe(false);
    working.release();
    await workInTransaction;
    expect(await isFree()).toBe(true);
  });

  it('sends are refused if the paying account is not locked', async () => {
    const { acceptor, pool } = heliograph.deps;
    const unlockedSend = acceptor.acceptWithin(pool, { listPayers: () => [] }, (transaction) => send(transaction));
    await expect(unlockedSend).rejects.toThrow(`account ${account.id} pays for a send, but was not locked as a payer`);
    expect(await countStored()).toBe(0);
  });
});

describe('sends accepted with an audited change', () => {
  const makeAuditedSend = (fails: boolean) =>
    makeChange(heliograph.deps, { actor: { kind: 'cli', name: 'test' }, accountId: account.id }, async (outcomes) => {
      const queuedBefore = countQueued();
      await heliograph.deps.acceptor.acceptWithin(outcomes, plan, (transaction) => send(transaction));
      expect(countQueued()).toBe(queuedBefore);
      if (fails) throw new Error('its line could not be written');
      return { result: queuedBefore, audit: null };
    });

  it('sends reach the queue once the change is committed', async () => {
    const queuedBefore = await makeAuditedSend(false);
    expect([countQueued(), await countStored()]).toEqual([queuedBefore + 1, 1]);
  });

  it('sends are rolled back with the change and never reach the queue', async () => {
    const queuedBefore = countQueued();
    await expect(makeAuditedSend(true)).rejects.toThrow('its line could not be written');
    expect([countQueued(), await countStored()]).toEqual([queuedBefore, 0]);
  });
});
