import { expect, it } from 'vitest';
import { smsSenderOf } from '../../../src/messages/send/checks/opted-out.js';
import { suiteStore } from '../../support/for-suite.js';

const store = suiteStore();

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
