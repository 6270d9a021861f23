import { describe, expect, it } from 'vitest';
import {
  guessCustomMapping,
  listCustomColumns,
  NO_CUSTOM_COLUMNS,
  readMarks,
  toFieldColumns,
} from '../../console/src/pages/imports/custom-columns.js';

const HEADER = ['Phone', 'fields.plan', 'Birthday', 'Tags', 'Shoe size', '計画'];
const FIELDS = [
  { key: 'plan', label: 'Current plan' },
  { key: 'born', label: 'Birthday' },
  { key: 'phone', label: 'Second phone' },
];

describe('columns of contact fields in an import', () => {
  it('columns are found by key, label and the heading of an export, unless another field uses them', () => {
    const mapping = guessCustomMapping(HEADER, FIELDS, new Set([0]));
    expect(mapping).toEqual({ fields: { plan: 1, born: 2 }, tags: 3, added: [] });
    expect(listCustomColumns(mapping).sort()).toEqual([1, 2, 3]);
  });

  it('values and tags are read from the cells, and empty cells are left out', () => {
    const mapping = { fields: { plan: 1, born: 2 }, tags: 3, added: [4, 5] };
    expect(readMarks(['1', ' pro ', '', 'VIP; new', '42', 'x'], HEADER, mapping)).toEqual({
      fields: { plan: 'pro', shoe_size: '42', column_6: 'x' },
      tags: ['VIP', ' new'],
    });
    expect(readMarks(['1'], HEADER, mapping)).toEqual({});
    expect(readMarks(['1', 'pro'], HEADER, NO_CUSTOM_COLUMNS)).toEqual({});
  });

  it('new fields get their key and label from the heading', () => {
    expect(toFieldColumns(HEADER, { ...NO_CUSTOM_COLUMNS, added: [4, 5] })).toEqual([
      { column: 'Shoe size', key: 'shoe_size', label: 'Shoe size' },
      { column: '計画', key: 'column_6', label: '計画' },
    ]);
  });
});
