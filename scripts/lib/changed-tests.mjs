import { basename, dirname, join } from 'node:path/posix';

/** More test files would take longer than a minute. */
const AT_MOST = 12;

/**
 * Selects the tests that are most likely to fail after a change, by location: tests mirror the rooms of src/.
 * @param {readonly string[]} changed paths from the project's folder
 * @param {ReadonlyMap<string, string>} sources the sources under test/, by path from the project's folder
 * @returns {{ chosen: string[], left: number }} the files to run, and the number of files left out
 */
export function testsFor(changed, sources) {
  const tests = [...sources.keys()].filter((path) => path.endsWith('.test.ts'));
  const found = new Set(changed.flatMap((path) => testsOf(path, tests, sources)).filter((path) => sources.has(path)));
  const chosen = [...found].slice(0, AT_MOST);
  return { chosen, left: found.size - chosen.length };
}

function testsOf(path, tests, sources) {
  if (path.endsWith('.test.ts')) return [path];
  if (path.startsWith('test/')) return importersOf(path, tests, sources);
  if (path.startsWith('src/')) return ofSource(path, tests, sources);
  if (path.startsWith('console/')) return ofPage(path, tests);
  if (path.startsWith('prisma/')) return ['test/house/migrations.test.ts', 'test/platform/store/migrate.unit.test.ts'];
  if (path.startsWith('deploy/')) return tests.filter((test) => test.startsWith('test/house/kubernetes/'));
  if (path.endsWith('.md')) return ['test/house/documents.test.ts'];
  return ['test/house/sources.test.ts'];
}

/** Tests that import the file, then those with its name, otherwise those in the nearest mirrored folder. */
function ofSource(path, tests, sources) {
  const name = basename(path).replace(/\.ts$/, '');
  const direct = importersOf(path, tests, sources);
  const named = tests.filter((test) => basename(test).startsWith(`${name}.`) && nameable(test, path));
  if (direct.length + named.length > 0) return [...named, ...direct];
  const begins = (test) => Number(basename(test).startsWith(name));
  for (let folder = dirname(path).replace(/^src/, 'test'); folder !== 'test'; folder = dirname(folder)) {
    const near = tests.filter((test) => test.startsWith(`${folder}/`));
    if (near.length > 0) return near.sort((one, other) => begins(other) - begins(one));
  }
  return [];
}

const nameable = (test, path) => test.split('/')[1] === path.split('/')[1];

/** The page's own test if there is one, otherwise the front page's, through which every page is reached. */
function ofPage(path, tests) {
  const words = path.split('/');
  const own = tests.filter((test) => test.endsWith('.browser.test.ts') && words.includes(basename(test).split('.')[0]));
  return own.length > 0 ? own : ['test/console/navigation.browser.test.ts'];
}

/** Tests that import a file directly or through a test helper, the nearest first. */
function importersOf(path, tests, sources) {
  const importers = importersIn(sources);
  const reached = new Set([path]);
  for (const each of reached) {
    for (const importer of importers.get(each) ?? []) reached.add(importer);
  }
  return [...reached].filter((each) => tests.includes(each));
}

const known = new WeakMap();

/** Computed once. */
function importersIn(sources) {
  const importers = known.get(sources) ?? new Map();
  if (known.has(sources)) return importers;
  for (const [importer, text] of sources) {
    for (const [, specifier] of text.matchAll(/\bfrom '(\.[^']+)'/g)) {
      const imported = join(dirname(importer), specifier).replace(/\.js$/, '.ts');
      importers.set(imported, [...(importers.get(imported) ?? []), importer]);
    }
  }
  known.set(sources, importers);
  return importers;
}
