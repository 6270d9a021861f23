import { afterAll, beforeAll, expect, it } from 'vitest';
import { smsSenderOf } from '../../../src/messages/send/opted-out.js';
import { openTestStore, type TestStore } from '../../support/open-test-store.js';

let store: TestStore;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store?.close());

it.each([
  ['15005550100', '15005550100'],
  ['+15005550100', '15005550100'],
  ['+1 (500) 555-0100', '15005550100'],
  ['My-Shop', 'MyShop'],
  ['ACME', 'ACME'],
  ['Ünï😀', 'Ünï😀'],
])('the sender %s is %s, here and in PostgreSQL', async (sender, known) => {
  expect(smsSenderOf(sender)).toBe(known);
  const rows = await store.prisma.$queryRaw`SELECT opt_out_sender(${sender}) AS known`;
  expect(rows).toEqual([{ known }]);
});
