import { expect, it } from 'vitest';
import { listMessages } from '../../../src/messages/search/list-messages.js';
import { createAccountFilter } from '../../../src/messages/search/list-store.js';
import { suiteStore } from '../../support/for-suite.js';
import type { TestStore } from '../../support/open-test-store.js';
import { divideByMonths } from '../../support/store/months.js';
import { insertOldMessages, OLD_ACCOUNT, OLD_NUMBER } from '../../support/store/old-messages.js';

const now = new Date();
const dayInMonth = (monthsAgo: number, day: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, day, 12));

const plain: TestStore = suiteStore();
const divided: TestStore = suiteStore();

async function searchAll({ pool, prisma }: TestStore, limit: number) {
  let statementCount = 0;
  const counting = {
    query: (query: { text: string; values: unknown[] }) => {
      if (query.text.includes('message_period')) statementCount += 1;
      return pool.query(query.text, query.values);
    },
  } as unknown as typeof pool;
  const ids: string[] = [];
  let before: string | null = null;
  do {
    const filter = { ...createAccountFilter(OLD_ACCOUNT), recipient: OLD_NUMBER };
    const page = await listMessages({ pool: counting, prisma }, filter, { before, limit });
    ids.push(...page.messages.map(({ id }) => id));
    before = page.next;
  } while (before !== null);
  return { ids, asked: statementCount };
}

it('a search by number finds messages in all months, in the same order and pages as in one table, with few statements', async () => {
  await divideByMonths(divided.url, { daysAgo: 300 });
  const stored: string[] = [];
  for (const months of [11, 9, 8, 7, 4, 3, 1]) {
    const from = dayInMonth(months, 1 + months);
    for (const store of [plain, divided]) {
      const ids = await insertOldMessages(store, { from, count: 3, isInTransit: months === 3 });
      if (store === plain) stored.push(...ids);
    }
  }
  stored.reverse();
  for (const limit of [4, 50]) {
    expect((await searchAll(plain, limit)).ids).toEqual(stored);
    expect((await searchAll(divided, limit)).ids).toEqual(stored);
  }
  // One, two, four, and the rest of eleven tables.
  expect((await searchAll(divided, 50)).asked).toBeLessThanOrEqual(4);
  expect((await searchAll(plain, 50)).asked).toBe(1);
});
