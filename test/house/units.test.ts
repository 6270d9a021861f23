import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const TESTS = join(PROJECT_FOLDER, 'test');
/** Imports the whole server. */
const APPLICATION = join(TESTS, 'support/test-app.ts');

/** Finds the test files that a file imports for their values, directly or indirectly. */
function findImportedFiles(file: string): Set<string> {
  const importedFiles = new Set([file]);
  for (const importedFile of importedFiles) {
    const imports = readFileSync(importedFile, 'utf8').matchAll(
      /^(?:import|export)\b(?! type\b)[^'";]*?'(\.[^']+)\.js';/gms,
    );
    for (const [, path] of imports) {
      const source = join(dirname(importedFile), `${path}.ts`);
      if (source.startsWith(TESTS) && existsSync(source)) importedFiles.add(source);
    }
  }
  return importedFiles;
}

const units = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.unit.test.ts'),
);

it('no unit test loads the application', () => {
  expect(units.length).toBeGreaterThan(100);
  expect(units.filter((path) => findImportedFiles(join(TESTS, path)).has(APPLICATION))).toEqual([]);
});

it('detects that a flow test loads the application', () => {
  expect(findImportedFiles(join(TESTS, 'messages/send/sending.flow.test.ts'))).toContain(APPLICATION);
});
