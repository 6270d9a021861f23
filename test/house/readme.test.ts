import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

it('README.md names only npm scripts that exist', () => {
  const readme = readFileSync(join(PROJECT_FOLDER, 'README.md'), 'utf8');
  const { scripts } = JSON.parse(readFileSync(join(PROJECT_FOLDER, 'package.json'), 'utf8'));
  const namedScripts = [...readme.matchAll(/npm (?:run )?([a-z][a-z:-]*)/g)].map(([, name]) => String(name));
  const missing = namedScripts.filter(
    (name) => !(name in scripts) && !['ci', 'registry', 'start', 'test'].includes(name),
  );
  expect(missing).toEqual([]);
  expect(namedScripts).toEqual(expect.arrayContaining(['ci', 'start', 'test']));
});
