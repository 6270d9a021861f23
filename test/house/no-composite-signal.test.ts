import { testRule } from '../support/lint-rule.js';

testRule('src/no-composite-signal.grit', {
  subject: 'composite signals',
  scope: 'all of src/',
  refused: [
    'const a = AbortSignal.any([own, signal]);',
    'const b = signal ? AbortSignal.any([own, signal]) : own;',
    'const c = AbortSignal.any;',
  ],
  allowed: [
    'const d = AbortSignal.timeout(5_000);',
    'const e = AbortSignal.abort();',
    'const f = onAbort(signal, stop);',
    'const g = Promise.any([own, other]);',
  ],
  files: ['**/src/**', '!**/console/**', '!**/test/**'],
});
