import { expect, it } from 'vitest';
import { toColumns } from '../../../src/platform/store/columns.js';

it('toColumns transposes rows into columns', () => {
  const rows = [
    { id: 'a', part: 1 },
    { id: 'b', part: null },
  ];
  expect(toColumns(rows, ({ id, part }) => [id, part])).toEqual([
    ['a', 'b'],
    [1, null],
  ]);
});
