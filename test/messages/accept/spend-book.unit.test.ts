import { describe, expect, it } from 'vitest';
import type { OwnedLimit } from '../../../src/accounts/guard/guard.js';
import { SpendBook, type SpendKey } from '../../../src/messages/accept/guard/limits.js';
import { readSpendAmounts, recordSpend } from '../../../src/messages/accept/guard/spend-store.js';
import type { PendingRequest } from '../../../src/messages/accept/pending-request.js';
import { newId } from '../../../src/platform/ids.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { createTestAccount } from '../../support/accounts.js';
import { suiteStore } from '../../support/for-suite.js';

const now = new Date('2027-01-15T12:00:00Z');
const PRICE = 10_000n;

function createLimit(
  scope: OwnedLimit['scope'],
  most: string,
  measure: OwnedLimit['measure'] = 'messages',
): OwnedLimit {
  return { scope, most, measure, span: 'day', keyId: null } as OwnedLimit;
}

function requestWith(limits: OwnedLimit[], { recipients = ['15005550100'], sender = 'Shop' } = {}): PendingRequest {
  return {
    request: { account: { id: 'account' }, sender, recipients: recipients.map((digits) => ({ digits })) },
    ids: recipients.map(() => newId()),
    prices: recipients.map(() => PRICE),
    charge: PRICE * BigInt(recipients.length),
    limits,
    watch: null,
  } as unknown as PendingRequest;
}

describe('SpendBook', () => {
  it('counts a message once where a limit of messages and a limit of money share a count', () => {
    const book = new SpendBook(now);
    const pending = requestWith([createLimit('total', '10'), createLimit('total', '1000000', 'money')]);
    book.add(pending);
    expect(book.added.map(({ spent }) => spent)).toEqual([{ messages: 1n, micros: PRICE }]);
  });

  it('counts a recipient for each time that a request names it', () => {
    const book = new SpendBook(now);
    const twice = requestWith([createLimit('recipient', '1')], { recipients: ['15005550100', '15005550100'] });
    expect(book.findOverrun(twice)?.recipients).toEqual(['15005550100']);
    expect(book.findOverrun(requestWith([createLimit('recipient', '1')]))).toBeNull();
  });

  it('counts a sender ID however its number is written', () => {
    const book = new SpendBook(now);
    const limits = [createLimit('sender', '1')];
    book.add(requestWith(limits, { sender: '+1 (500) 555-0100' }));
    expect(book.findOverrun(requestWith(limits, { sender: '15005550100' }))).not.toBeNull();
  });
});

describe('stored counts of a limit', () => {
  const store = suiteStore();

  it('are separate for each key and for the account', async () => {
    const { id: accountId } = await createTestAccount(store);
    const [first, second] = [newId(), newId()];
    const keyFor = (keyId: string | null): SpendKey => ({
      ...{ accountId, keyId, scope: 'total', subject: '', span: 'day', endsAt: new Date('2027-01-16T00:00:00Z') },
    });
    const keys = [keyFor(null), keyFor(first), keyFor(second)];
    const spent = await inTransaction(store.pool, async (client) => {
      await recordSpend(client, [{ key: keyFor(first), spent: { messages: 5n, micros: PRICE } }]);
      return readSpendAmounts(client, keys);
    });
    expect(spent).toEqual([null, { messages: 5n, micros: PRICE }, null]);
  });
});
