import { expect, it } from 'vitest';
import { storableJson } from '../../../src/platform/store/storable.js';

it('frees names and values from what PostgreSQL cannot store, at any depth, and leaves all else as it is', () => {
  const given = { 'a\0b': 'c\0d', list: [{ 'e\ud83d': { 'f\0': 'g\udc00' } }, 1, null, true], '👋': 'ä' };
  expect(storableJson(given)).toEqual({ ab: 'cd', list: [{ 'e\ufffd': { f: 'g\ufffd' } }, 1, null, true], '👋': 'ä' });
});

it('takes __proto__ for a name like any other', () => {
  const cleaned = storableJson(JSON.parse('{"__proto__": {"a\\u0000": 1}, "b\\u0000": 2}'));
  expect(JSON.stringify(cleaned)).toBe('{"__proto__":{"a":1},"b":2}');
});
