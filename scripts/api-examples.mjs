// npm run docs:api-examples [-- --write]
//
// Records an example request and response of every operation of the API from a real server, and compares them with docs/examples.
// --write updates docs/examples. Afterwards build again, and run `npm run docs:api -- --write`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES_FOLDER, listMissing, toFiles } from './lib/api-examples/files.mjs';
import { recordExamples } from './lib/api-examples/record.mjs';
import { parseCommandLine } from './lib/command-line.mjs';
import { ROOT } from './lib/dist.mjs';
import { compareGeneratedFiles } from './lib/generated-files.mjs';

const {
  values: { write },
} = parseCommandLine(import.meta.url, { options: { write: { type: 'boolean' } } });
const document = JSON.parse(readFileSync(join(ROOT, 'dist', 'openapi.json'), 'utf8'));
const examples = await recordExamples(document);
const missing = listMissing(document, Object.fromEntries(examples));
if (missing.length > 0) {
  console.error(`These operations have no example in scripts/lib/api-examples/scenario: ${missing.join(', ')}`);
  process.exitCode = 1;
}
compareGeneratedFiles(toFiles(document, examples), { folder: EXAMPLES_FOLDER, command: 'docs:api-examples', write });
