import { testRule } from '../support/lint-rule.js';

testRule('src/one-clock.grit', {
  subject: 'reading the time of the machine',
  scope: 'all of src/ except the file that reads the clock',
  refused: [
    'const a = new Date();',
    'const b = new Date;',
    'const c = Date.now();',
    'const d = (now = Date.now) => now();',
    'const e = Date();',
    'const f = { at: given ?? new Date() };',
    'const g = new globalThis.Date();',
  ],
  allowed: [
    'const h = clock.now();',
    'const i = new Date(milliseconds);',
    'const j = new Date(clock.now().getTime() + 1_000);',
    "const k = Date.parse('2026-01-01');",
    'const l = Date.UTC(2026, 0);',
    'const m = performance.now();',
    'const n = row.at instanceof Date;',
  ],
  files: ['**/src/**', '!**/console/**', '!**/test/**', '!**/platform/system-clock.ts'],
});
