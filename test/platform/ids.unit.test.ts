import { expect, it } from 'vitest';
import { deriveId, FIRST_ID, isUuid, LAST_ID, lowestIdAt, newId, readIdTime } from '../../src/platform/ids.js';

const time = new Date('2027-01-15T12:34:56.789Z');

it('IDs of one process are ascending, even within a millisecond, and contain their time', () => {
  const startTime = Date.now();
  const ids = Array.from({ length: 5_000 }, newId);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(readIdTime(ids[0] as string).getTime()).toBeGreaterThanOrEqual(startTime);
  expect(readIdTime(ids.at(-1) as string).getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
  expect(ids.every(isUuid)).toBe(true);
});

it('the lowest ID of a moment sorts before all of its IDs and after all earlier ones', () => {
  expect(readIdTime(lowestIdAt(time))).toEqual(time);
  const derived = deriveId(time, 'a name');
  expect(lowestIdAt(time) <= derived).toBe(true);
  expect(derived < lowestIdAt(new Date(time.getTime() + 1))).toBe(true);
  expect(readIdTime(derived)).toEqual(time);
  expect([lowestIdAt(time), derived].every(isUuid)).toBe(true);
});

it('moments outside the range of UUIDv7 are clamped to its limits', () => {
  expect(lowestIdAt(new Date(-1))).toBe(lowestIdAt(new Date(0)));
  const last = lowestIdAt(new Date(8.64e15));
  expect([isUuid(last), last.startsWith('ffffffff-ffff')]).toEqual([true, true]);
  expect([FIRST_ID < lowestIdAt(new Date(0)), last < LAST_ID]).toEqual([true, true]);
});

it('an ID derived from a name is always the same and differs for other names', () => {
  expect(deriveId(time, 'a name')).toBe(deriveId(time, 'a name'));
  expect(deriveId(time, 'a name')).not.toBe(deriveId(time, 'another'));
});

it.each([
  ['01920000-0000-7000-8000-000000000001', true],
  ['01920000-0000-7000-8000-00000000000A', true],
  ['01920000-0000-7000-8000-00000000001', false],
  ['01920000-0000-7000-8000-0000000000011', false],
  ['01920000000070008000000000000001', false],
  ['01920000-0000-7000-8000-00000000000g', false],
  ['01920000-0000-7000-8000-000000000001\n', false],
  ['', false],
])('%j is a UUID: %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});
