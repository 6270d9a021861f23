// npm run docs:api [-- --write]
//
// Compares the reference pages of the API in docs/reference with the OpenAPI document in dist/openapi.json and the examples in
// docs/examples. --write updates the pages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readExamples } from './lib/api-examples/files.mjs';
import { renderPages } from './lib/api-pages/pages.mjs';
import { parseCommandLine } from './lib/command-line.mjs';
import { ROOT } from './lib/dist.mjs';
import { compareGeneratedFiles } from './lib/generated-files.mjs';

const {
  values: { write },
} = parseCommandLine(import.meta.url, { options: { write: { type: 'boolean' } } });
const document = JSON.parse(readFileSync(join(ROOT, 'dist', 'openapi.json'), 'utf8'));
const pages = renderPages(document, readExamples());
compareGeneratedFiles(pages, { folder: 'docs/reference/api', command: 'docs:api', write });
