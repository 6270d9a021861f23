import { testRule } from '../support/lint-rule.js';

testRule('src/one-id.grit', {
  what: "a carrier's id of a message that is stored as it came",
  where: 'all of src/ but the file that makes it storable',
  refused: [
    'const a = toStorable(carrierMessageId);',
    'const b = toStorable(report.carrierMessageId);',
    'const c = rows.map((r) => toStorable(r.carrierMessageId));',
    'const d = toStorable(event.inner.carrierMessageId);',
  ],
  allowed: ['const e = toStorableId(report.carrierMessageId);', 'const f = toStorable(report.body);'],
  files: ['**/src/**', '!**/src/carriers/carrier-message-id.ts', '!**/console/**', '!**/test/**'],
});
