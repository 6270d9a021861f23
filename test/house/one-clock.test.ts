import { expect, it } from 'vitest';
import { filesOf, refusedBy } from '../support/lint-rule.js';

const RULE = 'src/one-clock.grit';

const REFUSED = [
  'const a = new Date();',
  'const b = new Date;',
  'const c = Date.now();',
  'const d = (now = Date.now) => now();',
  'const e = Date();',
  'const f = { at: given ?? new Date() };',
  'const g = new globalThis.Date();',
];

const ALLOWED = [
  'const h = clock.now();',
  'const i = new Date(milliseconds);',
  'const j = new Date(clock.now().getTime() + 1_000);',
  "const k = Date.parse('2026-01-01');",
  'const l = Date.UTC(2026, 0);',
  'const m = performance.now();',
  'const n = row.at instanceof Date;',
];

it('refuses whatever asks the machine for the time, and nothing else', () => {
  expect(refusedBy(RULE, [...REFUSED, ...ALLOWED])).toEqual(REFUSED);
});

it('is a rule of all of src/, but for the one file that has the time', () => {
  expect(filesOf(RULE)).toEqual(['**/src/**', '!**/console/**', '!**/test/**', '!**/platform/system-clock.ts']);
});
