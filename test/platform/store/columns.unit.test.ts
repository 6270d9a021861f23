import { expect, it } from 'vitest';
import { columnsOf } from '../../../src/platform/store/columns.js';

it('turns rows into columns, in the order of both', () => {
  const rows = [
    { id: 'a', part: 1 },
    { id: 'b', part: null },
  ];
  expect(columnsOf(rows, ({ id, part }) => [id, part])).toEqual([
    ['a', 'b'],
    [1, null],
  ]);
});
