import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { toPlainArray, toTextArray } from '../../../src/platform/store/array-literals.js';
import { type TestApp, testApp } from '../../support/test-app.js';

let test: TestApp;
beforeAll(async () => {
  test = await testApp({ role: 'api' });
});
afterAll(() => test.close());

const readBack = async (literal: string, type: string): Promise<unknown> =>
  (await test.deps.pool.query(`SELECT $1::${type}[] AS read`, [literal])).rows[0].read;

it('PostgreSQL reads back any text from toTextArray', async () => {
  const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
  const value = fc.oneof(text, fc.constantFrom(null, '', 'NULL', 'null', '"', '\\', '\\"', '{}', ',', ' a ', '\r\n'));
  await fc.assert(
    fc.asyncProperty(fc.array(value), async (values) => {
      expect(await readBack(toTextArray(values), 'text')).toEqual(values);
    }),
    { numRuns: 200 },
  );
});

it('PostgreSQL reads back values from toPlainArray', async () => {
  const ids = [newId(), null, newId()];
  expect(await readBack(toPlainArray(ids), 'uuid')).toEqual(ids);
  expect(await readBack(toPlainArray([1, -2, null]), 'int')).toEqual([1, -2, null]);
  expect(await readBack(toPlainArray([2n ** 60n]), 'bigint')).toEqual([String(2n ** 60n)]);
  expect(await readBack(toPlainArray([true, false, null]), 'boolean')).toEqual([true, false, null]);
  const times = [new Date(0), new Date('2026-11-21T12:00:00.123Z')];
  expect(await readBack(toPlainArray(times.map((time) => time.toISOString())), 'timestamptz')).toEqual(times);
  expect(await readBack(toPlainArray([]), 'uuid')).toEqual([]);
});
