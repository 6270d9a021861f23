import { expect, it } from 'vitest';
import { toStorableJson } from '../../../src/platform/store/storable.js';

it('toStorableJson cleans names and values at any depth and keeps everything else', () => {
  const input = { 'a\0b': 'c\0d', list: [{ 'e\ud83d': { 'f\0': 'g\udc00' } }, 1, null, true], '👋': 'ä' };
  expect(toStorableJson(input)).toEqual({
    ab: 'cd',
    list: [{ 'e\ufffd': { f: 'g\ufffd' } }, 1, null, true],
    '👋': 'ä',
  });
});

it('toStorableJson treats __proto__ like any other name', () => {
  const cleaned = toStorableJson(JSON.parse('{"__proto__": {"a\\u0000": 1}, "b\\u0000": 2}'));
  expect(JSON.stringify(cleaned)).toBe('{"__proto__":{"a":1},"b":2}');
});
