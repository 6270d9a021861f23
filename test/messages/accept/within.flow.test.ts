import { beforeEach, describe, expect, it } from 'vitest';
import { changing } from '../../../src/accounts/audit/change.js';
import type { AcceptingTransaction } from '../../../src/messages/accept/within.js';
import type { Sample } from '../../../src/platform/metrics/metric.js';
import { balanceOf, createTestAccount, type TestAccount } from '../../support/accounts.js';
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

/** Messages that the queue was told of since the start. */
const told = () => {
  const samples = heliograph.deps.acceptor.tally.metrics().flatMap((metric) => [...(metric.read() as Sample[])]);
  return samples.reduce((sum, { value }) => sum + value, 0);
};
const written = () => heliograph.deps.prisma.message.count({ where: { accountId: account.id } });
const plan = { payers: () => [account.id] };
const send = async ({ prepare, commit }: AcceptingTransaction, options = {}) =>
  commit([await prepare(sendRequest(account, options))]);

describe('sends that are accepted in a transaction of the caller', () => {
  it('are told to the queue once they are committed, and not before', async () => {
    const { acceptor, pool } = heliograph.deps;
    const before = told();
    faults.on('within:committed', async () => {
      expect([told(), await written()]).toEqual([before, 1]);
    });
    const result = await acceptor.within(pool, { ...plan, faultPoint: 'within:committed' }, async (transaction) => {
      expect(await send(transaction)).toEqual(['accepted']);
      return 'done';
    });
    expect([result, told(), faults.count('within:committed')]).toEqual(['done', before + 1, 1]);
    expect(await balanceOf(heliograph.deps, account.id)).toBe(CREDIT - PART);
  });

  it('are neither there nor told of where the work fails after them', async () => {
    const { acceptor, pool } = heliograph.deps;
    const before = told();
    const failing = acceptor.within(pool, plan, async (transaction) => {
      await send(transaction);
      throw new Error('overtaken');
    });
    await expect(failing).rejects.toThrow('overtaken');
    expect([told(), await written()]).toEqual([before, 0]);
    expect(await balanceOf(heliograph.deps, account.id)).toBe(CREDIT);
  });

  it('are told of without those that the account cannot pay for, or whose key is taken', async () => {
    const { acceptor, pool } = heliograph.deps;
    const before = told();
    await acceptor.within(pool, plan, async (transaction) => {
      const dear = { ...(await transaction.prepare(sendRequest(account))), charge: CREDIT + 1n };
      expect(await transaction.commit([dear])).toEqual(['unfunded']);
      expect(await transaction.commit([])).toEqual([]);
      expect(await send(transaction, { key: 'once' })).toEqual(['accepted']);
      expect(await send(transaction, { key: 'once' })).toEqual(['conflict']);
    });
    expect([told(), await written()]).toEqual([before + 1, 1]);
  });

  it('have their payer locked before the work begins, and after what one worker alone takes', async () => {
    const { acceptor, pool } = heliograph.deps;
    const lock = 'SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED';
    const isFree = async () => (await pool.query(lock, [account.id])).rowCount === 1;
    const [taking, working] = [faults.hold('within:taking'), faults.hold('within:working')];
    const running = acceptor.within(
      pool,
      {
        take: async () => {
          await faults.hit('within:taking');
          return account.id;
        },
        payers: (taken: string) => [taken],
      },
      () => Promise.resolve(faults.hit('within:working')),
    );
    await taking.reached;
    expect(await isFree()).toBe(true);
    taking.release();
    await working.reached;
    expect(await isFree()).toBe(false);
    working.release();
    await running;
    expect(await isFree()).toBe(true);
  });

  it('are refused where who pays was not locked', async () => {
    const { acceptor, pool } = heliograph.deps;
    const forgotten = acceptor.within(pool, { payers: () => [] }, (transaction) => send(transaction));
    await expect(forgotten).rejects.toThrow(`account ${account.id} is to pay, but is not locked`);
    expect(await written()).toBe(0);
  });
});

describe('sends that are accepted with a change', () => {
  const change = (fails: boolean) =>
    changing(heliograph.deps, { actor: { kind: 'cli', name: 'test' }, accountId: account.id }, async (made) => {
      const before = told();
      await heliograph.deps.acceptor.within(made, plan, (transaction) => send(transaction));
      expect(told()).toBe(before);
      if (fails) throw new Error('its line could not be written');
      return { result: before, told: null };
    });

  it('are told once the change is committed', async () => {
    const before = await change(false);
    expect([told(), await written()]).toEqual([before + 1, 1]);
  });

  it('are rolled back with it, and nobody is told', async () => {
    const before = told();
    await expect(change(true)).rejects.toThrow('its line could not be written');
    expect([told(), await written()]).toEqual([before, 0]);
  });
});
