import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

/** Imports from the built server in .mjs files, which no compiler checks. */
const imports = ['bench', 'scripts', 'test'].flatMap((folder) =>
  readdirSync(join(PROJECT_FOLDER, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => join(PROJECT_FOLDER, folder, name))
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/^import \{([^}]*)\} from '(\.[^']*\/dist\/[^']+)';$/gm)].map(
        ([, names = '', specifier = '']) => ({
          script: path.slice(PROJECT_FOLDER.length),
          target: resolve(dirname(path), specifier),
          names: names.split(',').flatMap((name) => name.trim().split(' as ')[0] || []),
        }),
      ),
    ),
);

it('scripts and benchmarks import only what the built server exports', async () => {
  expect(imports.length).toBeGreaterThan(10);
  const missing: string[] = [];
  for (const { script, target, names } of imports) {
    const exported = (await import(pathToFileURL(target).href)) as Record<string, unknown>;
    for (const name of names) if (!(name in exported)) missing.push(`${script}: ${name}`);
  }
  expect(missing).toEqual([]);
});
