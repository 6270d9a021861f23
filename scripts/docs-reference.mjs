// npm run docs:reference [-- --write]
//
// Checks that the generated sections of docs/reference/ match the code, and that pages name only existing error codes and other names in
// capitals. --write rewrites the sections. Reads dist, which must be built.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseCommandLine } from './lib/command-line.mjs';
import { findUnknownCodes } from './lib/docs-reference/codes.mjs';
import { replaceSections } from './lib/docs-reference/markers.mjs';
import { createSections } from './lib/docs-reference/sections.mjs';

const {
  values: { write },
} = parseCommandLine(import.meta.url, { options: { write: { type: 'boolean' } } });
const sections = await createSections();
const stale = [];
for (const [page, sectionsOfPage] of sections) {
  const path = new URL(`../docs/reference/${page}`, import.meta.url);
  const text = readFileSync(path, 'utf8');
  const expected = replaceSections(text, sectionsOfPage, page);
  if (text === expected) continue;
  if (write) writeFileSync(path, expected);
  else stale.push(`docs/reference/${page}`);
}
if (stale.length > 0) {
  console.error(`Out of date: ${stale.join(', ')}. Run \`npm run docs:reference -- --write\` and review the change.`);
  process.exitCode = 1;
}
const unknown = findUnknownCodes();
if (unknown.length > 0) {
  console.error(`These names exist neither in the code nor in an example of their page:\n${unknown.join('\n')}`);
  process.exitCode = 1;
}
