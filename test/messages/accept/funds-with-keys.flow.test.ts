import { expect, it } from 'vitest';
import { createTestAccount, readBalance } from '../../support/accounts.js';
import { accept } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';

const PART = 10_000n;
const test = suiteApp({ role: 'api' });

it('sends with idempotency keys that arrive together never spend more than the balance', async () => {
  const account = await createTestAccount(test.deps, { creditMicros: 7n * PART });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, (_, index) => accept(test.deps, account, { key: `order ${index}` })),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
  const codes = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
  expect(new Set(codes)).toEqual(new Set(['INSUFFICIENT_BALANCE']));
  expect(await readBalance(test.deps, account.id)).toBe(0n);
});
