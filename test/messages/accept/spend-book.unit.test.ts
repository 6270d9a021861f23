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
  maximum: string,
  measure: OwnedLimit['measure'] = 'messages',
): OwnedLimit {
  return { scope, most: maximum, measure, span: 'day', keyId: null } as OwnedLimit;
}

function createRequest(limits: OwnedLimit[], { recipients = ['15005550100'], sender = 'Shop' } = {}): PendingRequest {
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
  it('the spend book counts a message once where a limit of messages and a limit of money share a count', () => {
    const spendBook = new SpendBook(now);
    const pending = createRequest([createLimit('total', '10'), createLimit('total', '1000000', 'money')]);
    spendBook.add(pending);
    expect(spendBook.added.map(({ spent }) => spent)).toEqual([{ messages: 1n, micros: PRICE }]);
  });

  it('the spend book counts a recipient for each time that a request names it', () => {
    const spendBook = new SpendBook(now);
    const repeatedRecipient = createRequest([createLimit('recipient', '1')], {
      recipients: ['15005550100', '15005550100'],
    });
    expect(spendBook.findOverrun(repeatedRecipient)?.recipients).toEqual(['15005550100']);
    expect(spendBook.findOverrun(createRequest([createLimit('recipient', '1')]))).toBeNull();
  });

  it('the spend book counts a sender ID however its number is written', () => {
    const spendBook = new SpendBook(now);
    const limits = [createLimit('sender', '1')];
    spendBook.add(createRequest(limits, { sender: '+1 (500) 555-0100' }));
    expect(spendBook.findOverrun(createRequest(limits, { sender: '15005550100' }))).not.toBeNull();
  });
});

describe('stored counts of a limit', () => {
  const store = suiteStore();

  it('stored counts of a limit are separate for each key and for the account', async () => {
    const { id: accountId } = await createTestAccount(store);
    const [first, second] = [newId(), newId()];
    const createKey = (keyId: string | null): SpendKey => ({
      ...{ accountId, keyId, scope: 'total', subject: '', span: 'day', endsAt: new Date('2027-01-16T00:00:00Z') },
    });
    const keys = [createKey(null), createKey(first), createKey(second)];
    const spendResult = await inTransaction(store.pool, async (client) => {
      await recordSpend(client, [{ key: createKey(first), spent: { messages: 5n, micros: PRICE } }]);
      return readSpendAmounts(client, keys);
    });
    expect(spendResult).toEqual([null, { messages: 5n, micros: PRICE }, null]);
  });
});
