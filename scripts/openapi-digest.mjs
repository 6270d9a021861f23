// node scripts/openapi-digest.mjs [--write]
//
// Compares docs/openapi-digest.txt with the OpenAPI document in dist/openapi.json. --write updates docs/openapi-digest.txt.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseCommandLine } from './lib/command-line.mjs';
import { digestOpenApi } from './lib/openapi-digest.mjs';

const DOCUMENT = new URL('../dist/openapi.json', import.meta.url);
const DIGEST = new URL('../docs/openapi-digest.txt', import.meta.url);

const {
  values: { write },
} = parseCommandLine(import.meta.url, { options: { write: { type: 'boolean' } } });
const digest = digestOpenApi(JSON.parse(readFileSync(DOCUMENT, 'utf8')));
if (write) {
  writeFileSync(DIGEST, digest);
  console.log('Written: docs/openapi-digest.txt. The document itself is dist/openapi.json.');
} else if (readFileSync(DIGEST, 'utf8') !== digest) {
  console.error('docs/openapi-digest.txt is out of date. Run `npm run openapi` and review the changed lines.');
  process.exitCode = 1;
}
