import { basename, dirname, join } from 'node:path/posix';

/** A higher number of test files would take longer than a minute. */
const MAX_TEST_FILES = 12;

/**
 * Selects the tests that are most likely to fail after a change. Tests are selected by location, because they mirror the rooms
 * of src/. `sources` contains the files under test/ by path.
 * @param {readonly string[]} changed paths from the project's folder
 * @param {ReadonlyMap<string, string>} sources
 * @returns {{ chosen: string[], omitted: number }}
 */
export function selectTests(changed, sources) {
  const tests = [...sources.keys()].filter((path) => path.endsWith('.test.ts'));
  const related = new Set(
    changed.flatMap((path) => findRelatedTests(path, tests, sources)).filter((path) => sources.has(path)),
  );
  const chosen = [...related].slice(0, MAX_TEST_FILES);
  return { chosen, omitted: related.size - chosen.length };
}

function findRelatedTests(path, tests, sources) {
  if (path.endsWith('.test.ts')) return [path];
  if (path.startsWith('test/')) return findImportingTests(path, tests, sources);
  if (path.startsWith('src/')) return findTestsOfSource(path, tests, sources);
  if (path.startsWith('console/')) return findTestsOfPage(path, tests);
  if (path.startsWith('prisma/')) return ['test/house/migrations.test.ts', 'test/platform/store/migrate.unit.test.ts'];
  if (path.startsWith('deploy/')) return tests.filter((test) => test.startsWith('test/house/kubernetes/'));
  if (path.startsWith('docs/examples/')) return ['test/house/api-examples.test.ts'];
  if (path.endsWith('.md')) return ['test/house/documents.test.ts', 'test/house/example-blocks.unit.test.ts'];
  return ['test/house/sources.test.ts'];
}

/** Finds tests that have the name of a file or import the file, or else the tests in the nearest mirrored folder. */
function findTestsOfSource(path, tests, sources) {
  const name = basename(path).replace(/\.ts$/, '');
  const importing = findImportingTests(path, tests, sources);
  const sameName = tests.filter((test) => basename(test).startsWith(`${name}.`) && isInSameRoom(test, path));
  if (importing.length + sameName.length > 0) return [...sameName, ...importing];
  const startsWithName = (test) => Number(basename(test).startsWith(name));
  for (let folder = dirname(path).replace(/^src/, 'test'); folder !== 'test'; folder = dirname(folder)) {
    const nearby = tests.filter((test) => test.startsWith(`${folder}/`));
    if (nearby.length > 0) return nearby.sort((a, b) => startsWithName(b) - startsWithName(a));
  }
  return [];
}

const isInSameRoom = (test, path) => test.split('/')[1] === path.split('/')[1];

/** Returns the tests of a console page, or else the navigation test, which opens every page. */
function findTestsOfPage(path, tests) {
  const segments = path.split('/');
  const pageTests = tests.filter(
    (test) => test.endsWith('.browser.test.ts') && segments.includes(basename(test).split('.')[0]),
  );
  return pageTests.length > 0 ? pageTests : ['test/console/navigation.browser.test.ts'];
}

/** Finds tests that import a file directly or through test helpers, starting with direct importers. */
function findImportingTests(path, tests, sources) {
  const importers = findImporters(sources);
  const reached = new Set([path]);
  for (const file of reached) {
    for (const importer of importers.get(file) ?? []) reached.add(importer);
  }
  return [...reached].filter((file) => tests.includes(file));
}

const importersBySources = new WeakMap();

/** Returns the importers of each file, which are computed only once. */
function findImporters(sources) {
  const importers = importersBySources.get(sources) ?? new Map();
  if (importersBySources.has(sources)) return importers;
  for (const [importer, text] of sources) {
    for (const [, specifier] of text.matchAll(/\bfrom '(\.[^']+)'/g)) {
      const imported = join(dirname(importer), specifier).replace(/\.js$/, '.ts');
      importers.set(imported, [...(importers.get(imported) ?? []), importer]);
    }
  }
  importersBySources.set(sources, importers);
  return importers;
}
