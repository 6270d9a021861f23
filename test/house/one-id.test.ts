import { testRule } from '../support/lint-rule.js';

testRule('src/one-id.grit', {
  subject: "storing a carrier's message ID without hashing it",
  scope: 'all of src/ except the file that hashes long IDs',
  refused: [
    'const a = toStorable(carrierMessageId);',
    'const b = toStorable(report.carrierMessageId);',
    'const c = rows.map((r) => toStorable(r.carrierMessageId));',
    'const d = toStorable(event.inner.carrierMessageId);',
  ],
  allowed: ['const e = toStorableId(report.carrierMessageId);', 'const f = toStorable(report.body);'],
  files: ['**/src/**', '!**/src/carriers/carrier-message-id.ts', '!**/console/**', '!**/test/**'],
});
