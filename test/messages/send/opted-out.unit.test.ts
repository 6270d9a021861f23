import { expect, it } from 'vitest';
import { toSmsOptOutSender } from '../../../src/messages/send/checks/opted-out.js';
import { suiteStore } from '../../support/for-suite.js';

const store = suiteStore();

it.each([
  ['15005550100', '15005550100'],
  ['+15005550100', '15005550100'],
  ['+1 (500) 555-0100', '15005550100'],
  ['My-Shop', 'MyShop'],
  ['ACME', 'ACME'],
  ['Ünï😀', 'Ünï😀'],
])('the opt-out key of sender %s is %s, in code and in PostgreSQL', async (sender, expectedKey) => {
  expect(toSmsOptOutSender(sender)).toBe(expectedKey);
  const rows = await store.prisma.$queryRaw`SELECT opt_out_sender(${sender}) AS known`;
  expect(rows).toEqual([{ known: expectedKey }]);
});
