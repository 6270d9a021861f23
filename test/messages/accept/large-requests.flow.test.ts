import { describe, expect, it } from 'vitest';
import { createTestAccount, readBalance } from '../../support/accounts.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { accept, readComparableRows, sendRequest } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const PART = 10_000n;
const CREDIT = 100_000_000n;
/** Number of recipients, more than a batch of small requests can have. */
const RECIPIENTS = 1_200;
const to = Array.from({ length: RECIPIENTS }, (_, index) => String(15005560000 + index));

describe('a large request', () => {
  const faults = new ControlledFaults();
  const test = suiteApp({ role: 'api', faults });
  const countMessages = (accountId: string) => test.deps.prisma.message.count({ where: { accountId } });

  it('a large request stores the same rows as small ones, with one debit and one ledger line', async () => {
    const account = await createTestAccount(test.deps);
    const send = { body: 'Quotes " and \\, commas, {braces} and é', priority: 3 };
    const largeRows = await readComparableRows(test.deps, await accept(test.deps, account, { ...send, to }));
    const smallRows = await readComparableRows(
      test.deps,
      await accept(test.deps, account, { ...send, to: to.slice(0, 3) }),
    );
    expect(largeRows.map(({ recipient }) => recipient)).toEqual(to);
    expect(largeRows.slice(0, 3)).toEqual(smallRows);
    const [line] = await test.deps.prisma.ledgerEntry.findMany({
      where: { accountId: account.id, kind: 'charge' },
      orderBy: { id: 'asc' },
    });
    expect(line).toMatchObject({
      amountMicros: -BigInt(RECIPIENTS) * PART,
      balanceAfterMicros: CREDIT - BigInt(RECIPIENTS) * PART,
      messageCount: RECIPIENTS,
    });
  });

  it('a large request leaves nothing behind if the account cannot pay', async () => {
    const creditMicros = BigInt(RECIPIENTS) * PART - 1n;
    const account = await createTestAccount(test.deps, { creditMicros });
    await expect(accept(test.deps, account, { to, key: 'poor' })).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
    });
    expect(await countMessages(account.id)).toBe(0);
    expect(await readBalance(test.deps, account.id)).toBe(creditMicros);
    expect(await accept(test.deps, account, { key: 'poor' })).toHaveLength(1);
  });

  it('a large request is rolled back if the balance is used up before its debit', async () => {
    const account = await createTestAccount(test.deps, { creditMicros: BigInt(RECIPIENTS) * PART });
    const spend = `UPDATE accounts SET balance_micros = balance_micros - 1 WHERE id = '${account.id}'`;
    const startSend = async () => {
      const sending = accept(test.deps, account, { to }).then(
        () => 'accepted',
        ({ code }) => code,
      );
      await findWaitingCommit();
      return { sending };
    };
    const { sending } = await runWhileLocked(account.id, startSend, spend);
    expect(await sending).toBe('INSUFFICIENT_BALANCE');
    expect(await countMessages(account.id)).toBe(0);
  });

  it('a large request does not delay the sends of others while it commits', async () => {
    const [account, otherAccount] = [await createTestAccount(test.deps), await createTestAccount(test.deps)];
    const outcome = await runWhileLocked(account.id, async () => {
      const sending = accept(test.deps, account, { to });
      await findWaitingCommit();
      expect(await accept(test.deps, otherAccount)).toHaveLength(1);
      return { sending };
    });
    expect(await outcome.sending).toHaveLength(RECIPIENTS);
  });

  it('a large request is committed once if its connection breaks in the middle', async () => {
    const account = await createTestAccount(test.deps);
    const outcome = await runWhileLocked(account.id, async () => {
      const sending = accept(test.deps, account, { to });
      await test.deps.pool.query('SELECT pg_terminate_backend($1)', [await findWaitingCommit()]);
      return { sending };
    });
    expect(await outcome.sending).toHaveLength(RECIPIENTS);
    expect(await countMessages(account.id)).toBe(RECIPIENTS);
    expect(await readBalance(test.deps, account.id)).toBe(CREDIT - BigInt(RECIPIENTS) * PART);
  });

  it('a large request is found and charged once if the response to its commit is lost', async () => {
    const account = await createTestAccount(test.deps);
    faults.fail('accept:answer', new Error('the connection broke'));
    const ids = await accept(test.deps, account, { to, key: 'lost' });
    expect(await countMessages(account.id)).toBe(RECIPIENTS);
    expect(await readBalance(test.deps, account.id)).toBe(CREDIT - BigInt(RECIPIENTS) * PART);
    expect(await accept(test.deps, account, { to, key: 'lost' })).toEqual(ids);
  });

  it('a large request without a key is charged once if the response to its commit is lost', async () => {
    const account = await createTestAccount(test.deps);
    faults.fail('accept:answer', new Error('the connection broke'));
    expect(await accept(test.deps, account, { to })).toHaveLength(RECIPIENTS);
    expect(await countMessages(account.id)).toBe(RECIPIENTS);
    expect(await readBalance(test.deps, account.id)).toBe(CREDIT - BigInt(RECIPIENTS) * PART);
  });

  it('a request with few messages and long texts counts as large', async () => {
    const account = await createTestAccount(test.deps);
    const request = { ...sendRequest(account, { to: to.slice(0, 20), body: 'я'.repeat(100_000) }), channelId: null };
    const { messages } = await test.deps.acceptor.accept({ ...request, kind: 'whatsapp' });
    expect(messages).toHaveLength(20);
    expect(await countMessages(account.id)).toBe(20);
  });

  /** Locks an account's row until `work` has started, and executes `statement` before unlocking the row. */
  async function runWhileLocked<T>(accountId: string, work: () => Promise<T>, statement?: string): Promise<T> {
    const client = await test.deps.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [accountId]);
      const result = await work();
      if (statement) await client.query(statement);
      await client.query('COMMIT');
      return result;
    } finally {
      client.release();
    }
  }

  function findWaitingCommit(): Promise<number> {
    return waitFor('a commit that waits for its account', async () => {
      const { rows } = await test.deps.pool.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%accounts%'`,
      );
      return rows[0]?.pid;
    });
  }
});
