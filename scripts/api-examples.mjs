// npm run docs:api-examples [-- --write]
//
// Records an example request and response of every operation of the API from a real server, and compares them with docs/examples.
// --write updates docs/examples. Afterwards build again, and run `npm run docs:api -- --write`.
import { readFileSync } from 'node:fs';
import { listMissing, listStaleFiles, toFiles, writeFiles } from './lib/api-examples/files.mjs';
import { recordExamples } from './lib/api-examples/record.mjs';
import { parseCommandLine } from './lib/command-line.mjs';

const {
  values: { write },
} = parseCommandLine(import.meta.url, { options: { write: { type: 'boolean' } } });
const document = JSON.parse(readFileSync(new URL('../dist/openapi.json', import.meta.url), 'utf8'));
const examples = await recordExamples(document);
const missing = listMissing(document, Object.fromEntries(examples));
const files = toFiles(document, examples);
const stale = listStaleFiles(files);
if (missing.length > 0) {
  console.error(`These operations have no example in scripts/lib/api-examples/scenario: ${missing.join(', ')}`);
  process.exitCode = 1;
}
if (write) {
  writeFiles(files);
  console.log(stale.length > 0 ? `Written: ${stale.map((name) => `docs/examples/${name}`).join(', ')}` : 'No change.');
} else if (stale.length > 0) {
  console.error(
    `Out of date: ${stale.map((name) => `docs/examples/${name}`).join(', ')}. Run \`npm run docs:api-examples -- --write\`.`,
  );
  process.exitCode = 1;
}
