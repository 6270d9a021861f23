import { testRule } from '../support/lint-rule.js';

testRule('src/one-id.grit', {
  what: "a carrier's id of a message that is stored as it came",
  where: 'all of src/ but the file that makes it storable',
  refused: [
    'const a = storable(carrierMessageId);',
    'const b = storable(report.carrierMessageId);',
    'const c = rows.map((r) => storable(r.carrierMessageId));',
    'const d = storable(event.inner.carrierMessageId);',
  ],
  allowed: ['const e = toStorableId(report.carrierMessageId);', 'const f = storable(report.body);'],
  files: ['**/src/**', '!**/src/carriers/carrier-message-id.ts', '!**/console/**', '!**/test/**'],
});
