import { expect, it } from 'vitest';
import { listMessages } from '../../../src/messages/search/list-messages.js';
import { createAccountFilter } from '../../../src/messages/search/list-store.js';
import { suiteStore } from '../../support/for-suite.js';
import type { TestStore } from '../../support/open-test-store.js';
import { divideByMonths } from '../../support/store/months.js';
import { insertOldMessages, OLD_ACCOUNT, OLD_NUMBER } from '../../support/store/old-messages.js';

const now = new Date();
const toDay = (monthsAgo: number, day: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, day, 12));

const plainStore: TestStore = suiteStore();
const divided: TestStore = suiteStore();

async function searchAll({ pool, prisma }: TestStore, limit: number) {
  let statementCount = 0;
  const countingPool = {
    query: (query: { text: string; values: unknown[] }) => {
      if (query.text.includes('message_period')) statementCount += 1;
      return pool.query(query.text, query.values);
    },
  } as unknown as typeof pool;
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const filter = { ...createAccountFilter(OLD_ACCOUNT), recipient: OLD_NUMBER };
    const page = await listMessages({ pool: countingPool, prisma }, filter, { before: cursor, limit });
    ids.push(...page.messages.map(({ id }) => id));
    cursor = page.next;
  } while (cursor !== null);
  return { ids, asked: statementCount };
}

it('a search by number finds messages in all months, in the same order and pages as in one table, with few statements', async () => {
  await divideByMonths(divided.url, { daysAgo: 300 });
  const storedIds: string[] = [];
  for (const months of [11, 9, 8, 7, 4, 3, 1]) {
    const from = toDay(months, 1 + months);
    for (const store of [plainStore, divided]) {
      const ids = await insertOldMessages(store, { from, count: 3, isInTransit: months === 3 });
      if (store === plainStore) storedIds.push(...ids);
    }
  }
  storedIds.reverse();
  for (const limit of [4, 50]) {
    expect((await searchAll(plainStore, limit)).ids).toEqual(storedIds);
    expect((await searchAll(divided, limit)).ids).toEqual(storedIds);
  }
  // Successive statements read one, two, four and then the last four of the eleven tables.
  expect((await searchAll(divided, 50)).asked).toBeLessThanOrEqual(4);
  expect((await searchAll(plainStore, 50)).asked).toBe(1);
});
