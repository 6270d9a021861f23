// npm run docs:api [-- --write]
//
// Compares the reference pages of the API in docs/reference with the OpenAPI document in dist/openapi.json and the examples in
// docs/examples. --write updates the pages.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readExamples } from './lib/api-examples/files.mjs';
import { renderPages } from './lib/api-pages/pages.mjs';
import { parseCommandLine } from './lib/command-line.mjs';
import { ROOT } from './lib/dist.mjs';

const {
  values: { write },
} = parseCommandLine(import.meta.url, { options: { write: { type: 'boolean' } } });
const document = JSON.parse(readFileSync(join(ROOT, 'dist', 'openapi.json'), 'utf8'));
const pages = renderPages(document, readExamples());

const FOLDER = 'docs/reference/api';
const committed = existsSync(join(ROOT, FOLDER))
  ? readdirSync(join(ROOT, FOLDER)).map((name) => `${FOLDER}/${name}`)
  : [];
const superfluous = committed.filter((path) => !pages.has(path) && !path.endsWith('/README.md'));
const read = (path) => (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : null);
const stale = [...[...pages].filter(([path, text]) => read(path) !== text).map(([path]) => path), ...superfluous];
if (write) {
  for (const path of stale) {
    if (pages.has(path)) {
      mkdirSync(dirname(join(ROOT, path)), { recursive: true });
      writeFileSync(join(ROOT, path), pages.get(path));
    } else rmSync(join(ROOT, path));
  }
  console.log(stale.length > 0 ? `Written: ${stale.join(', ')}` : 'No change.');
} else if (stale.length > 0) {
  console.error(`Out of date: ${stale.join(', ')}. Run \`npm run docs:api -- --write\`.`);
  process.exitCode = 1;
}
