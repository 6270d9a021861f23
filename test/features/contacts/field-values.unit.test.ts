import { describe, expect, it } from 'vitest';
import { readFieldHeading } from '../../../src/features/contacts/custom/columns.js';
import {
  applyValues,
  type FieldType,
  formatValue,
  parseValue,
  toFieldKey,
} from '../../../src/features/contacts/custom/field-values.js';
import { splitTagCell, toTag, toTags } from '../../../src/features/contacts/custom/tag-names.js';

const CHOICES = ['Basic', 'pro'];

describe('values of contact fields', () => {
  it.each<[FieldType, string | number | boolean, string | number | boolean | null]>([
    ['text', ' a ', 'a'],
    ['text', 'x'.repeat(501), null],
    ['text', 'a\nb', null],
    ['text', 7, null],
    ['number', 7, 7],
    ['number', '-3.50', -3.5],
    ['number', '1,000', null],
    ['number', '1e3', null],
    ['number', 1e16, null],
    ['number', true, null],
    ['date', '2024-02-29', '2024-02-29'],
    ['date', '2026-02-29', null],
    ['date', '31.01.2026', null],
    ['boolean', 'NO', false],
    ['boolean', '1', true],
    ['boolean', 'maybe', null],
    ['boolean', 1, null],
    ['choice', 'basic', 'Basic'],
    ['choice', 'gold', null],
  ])('a %s with the value %j is stored as %j', (type, value, expected) => {
    expect(parseValue({ type, choices: CHOICES }, value)).toBe(expected);
  });

  it.each([
    [true, 'yes'],
    [false, 'no'],
    [12.5, '12.5'],
    ['pro', 'pro'],
    [null, ''],
    [undefined, ''],
  ])('people see the value %j as %j', (value, expected) => {
    expect(formatValue(value)).toBe(expected);
  });

  it('changes keep the other values, and clearing the last value leaves none', () => {
    expect(applyValues({ a: 1, b: 2 }, { b: null, c: 3 })).toEqual({ a: 1, c: 3 });
    expect(applyValues({ a: 1 }, { a: null })).toBeNull();
    expect(applyValues(null, {})).toBeNull();
  });

  it.each([
    ['Customer Plan', 'customer_plan'],
    ['Größe (cm)', 'grosse_cm'],
    ['2nd phone', 'nd_phone'],
    ['  ', null],
    ['計画', null],
    ['x'.repeat(50), 'x'.repeat(40)],
  ])('the heading %j becomes the key %j', (heading, expected) => {
    expect(toFieldKey(heading)).toBe(expected);
  });

  it.each([
    ['fields.plan', 'plan'],
    [' Fields.Plan ', 'plan'],
    ['plan', null],
    ['fields.', null],
  ])('the heading %j names the field %j', (heading, expected) => {
    expect(readFieldHeading(heading)).toBe(expected);
  });
});

describe('tags', () => {
  it.each([
    ['  New   Customer ', 'new customer'],
    ['Cafe\u0301', 'caf\u00e9'],
    ['x'.repeat(50), 'x'.repeat(50)],
    ['x'.repeat(51), null],
    ['a,b', null],
    ['a;b', null],
    ['\u200b', null],
    ['a\0', null],
  ])('the tag %j is stored as %j', (text, expected) => {
    expect(toTag(text)).toBe(expected);
  });

  it('tags are sorted and occur once', () => {
    expect(toTags(['b', 'A', 'B '])).toEqual(['a', 'b']);
    expect(toTags(['b', ''])).toBeNull();
  });

  it('a cell of a file contains tags separated by commas or semicolons', () => {
    expect(splitTagCell('vip; berlin,, new ').map(toTag)).toEqual(['vip', 'berlin', 'new']);
  });
});
