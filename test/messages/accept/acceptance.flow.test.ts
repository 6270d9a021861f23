import { describe, expect, it } from 'vitest';
import { createTestAccount, readBalance } from '../../support/accounts.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { accept, readComparableRows, sendRequest } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';

const PART = 10_000n;

describe('accepting a message', () => {
  const faults = new ControlledFaults();
  const test = suiteApp({ role: 'api', faults });

  it('the message, the charge and one ledger line are committed in one transaction', async () => {
    const account = await createTestAccount(test.deps);
    const ids = await accept(test.deps, account, { to: ['15005550100', '4915112345678'], body: 'x'.repeat(161) });

    const rows = await test.deps.prisma.message.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
    expect(
      rows.map(({ recipient, parts, priceMicros, status }) => ({ recipient, parts, priceMicros, status })),
    ).toEqual([
      { recipient: '15005550100', parts: 2, priceMicros: 2n * PART, status: 'queued' },
      { recipient: '4915112345678', parts: 2, priceMicros: 2n * PART, status: 'queued' },
    ]);
    expect(await readBalance(test.deps, account.id)).toBe(100_000_000n - 4n * PART);
    const [line, ...more] = await test.deps.prisma.ledgerEntry.findMany({
      where: { accountId: account.id, kind: 'charge' },
    });
    expect(more).toEqual([]);
    expect(line).toMatchObject({
      amountMicros: -4n * PART,
      balanceAfterMicros: 100_000_000n - 4n * PART,
      messageCount: 2,
    });
  });

  it('the statement for plain SMS stores the same row as the general statement', async () => {
    const account = await createTestAccount(test.deps);
    const send = { to: ['15005550100', '15005550101'], body: 'Quotes " and \\, commas, {braces} and é', priority: 3 };
    const plainRows = await readComparableRows(test.deps, await accept(test.deps, account, send));
    expect(plainRows).toHaveLength(2);
    expect(plainRows).toEqual(
      await readComparableRows(test.deps, await accept(test.deps, account, { ...send, key: 'a key' })),
    );
    const ledger = await test.deps.prisma.ledgerEntry.findMany({ where: { accountId: account.id, kind: 'charge' } });
    expect(ledger.map(({ amountMicros, messageCount }) => ({ amountMicros, messageCount }))).toEqual([
      { amountMicros: -2n * PART, messageCount: 2 },
      { amountMicros: -2n * PART, messageCount: 2 },
    ]);
  });

  it('requests that arrive together share a commit, and each gets its own outcome', async () => {
    const richAccount = await createTestAccount(test.deps);
    const poor = await createTestAccount(test.deps, { creditMicros: 3n * PART });
    const commitsBefore = faults.count('accept:committed');
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 40 }, () => accept(test.deps, richAccount)),
      ...Array.from({ length: 5 }, () => accept(test.deps, poor)),
    ]);

    expect(outcomes.slice(0, 40).every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(outcomes.slice(40).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(faults.count('accept:committed') - commitsBefore).toBeLessThan(20);
    expect(await readBalance(test.deps, poor.id)).toBe(0n);
    expect(await readBalance(test.deps, richAccount.id)).toBe(100_000_000n - 40n * PART);
  });

  it('concurrent sends never make a balance negative and charge exactly what was accepted', async () => {
    const account = await createTestAccount(test.deps, { creditMicros: 7n * PART });
    const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => accept(test.deps, account)));

    const acceptedCount = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(acceptedCount).toBe(7);
    expect(await readBalance(test.deps, account.id)).toBe(0n);
    expect(await test.deps.prisma.message.count({ where: { accountId: account.id } })).toBe(7);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    }
  });

  it('two processes never make a balance negative', async () => {
    const otherServer = await testApp({ role: 'api', sharesWith: test });
    try {
      const account = await createTestAccount(test.deps, { creditMicros: 50n * PART });
      const outcomes = await Promise.allSettled(
        Array.from({ length: 200 }, (_, index) => accept(index % 2 ? test.deps : otherServer.deps, account)),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
      expect(await readBalance(test.deps, account.id)).toBe(0n);
    } finally {
      await otherServer.close();
    }
  });

  it('a request that PostgreSQL rejects fails only for its own caller', async () => {
    const account = await createTestAccount(test.deps);
    const brokenRequest = { ...sendRequest(account), sender: 'NUL \0' };
    const outcomes = await Promise.allSettled([
      accept(test.deps, account),
      test.deps.acceptor.accept(brokenRequest),
      accept(test.deps, account),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await readBalance(test.deps, account.id)).toBe(100_000_000n - 2n * PART);
  });

  it.each([
    ['with a key', { key: 'lost-answer' }],
    ['without a key', {}],
  ])('the messages are found and charged once if the response to a commit %s is lost', async (_, key) => {
    const account = await createTestAccount(test.deps);
    faults.fail('accept:answer', new Error('the connection broke'));
    const ids = await accept(test.deps, account, { to: ['15005550100', '15005550101'], ...key });

    expect(await test.deps.prisma.message.count({ where: { id: { in: ids } } })).toBe(2);
    expect(await test.deps.prisma.message.count({ where: { accountId: account.id } })).toBe(2);
    expect(await readBalance(test.deps, account.id)).toBe(100_000_000n - 2n * PART);
    if (!('key' in key)) return;
    expect(await accept(test.deps, account, { to: ['15005550100', '15005550101'], ...key })).toEqual(ids);
  });

  it('requests are refused with UNAVAILABLE while too many wait, and accepted again afterwards', async () => {
    const smallServer = await testApp({ role: 'api', sharesWith: test, settings: { ACCEPT_WAITING_LIMIT: '10' } });
    try {
      const account = await createTestAccount(test.deps);
      const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => accept(smallServer.deps, account)));
      const acceptedCount = outcomes.filter(({ status }) => status === 'fulfilled').length;
      expect(acceptedCount).toBeGreaterThanOrEqual(10);
      expect(acceptedCount).toBeLessThan(100);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'UNAVAILABLE' });
      }
      expect(await readBalance(test.deps, account.id)).toBe(100_000_000n - BigInt(acceptedCount) * PART);
      expect(await accept(smallServer.deps, account)).toHaveLength(1);
    } finally {
      await smallServer.close();
    }
  });
});
