import { basename, dirname, join } from 'node:path/posix';

/** Beyond so many files that a change is seen in, a minute would not do. */
const AT_MOST = 12;

/**
 * The tests that tell the most of a change, by where things lie: tests mirror the rooms of src/.
 * @param {readonly string[]} changed paths from the project's folder
 * @param {ReadonlyMap<string, string>} sources the sources below test/, by path from the project's folder
 * @returns {{ chosen: string[], left: number }} the files to run, and how many more there would be
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

/** Those that import the file, then those of its name, and otherwise those of the nearest folder that mirrors its own. */
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

/** Whether a test lies in the room of a source. */
const nameable = (test, path) => test.split('/')[1] === path.split('/')[1];

/** A page's own test, where there is one; otherwise the front, which is on the way to every page. */
function ofPage(path, tests) {
  const words = path.split('/');
  const own = tests.filter((test) => test.endsWith('.browser.test.ts') && words.includes(basename(test).split('.')[0]));
  return own.length > 0 ? own : ['test/console/front.browser.test.ts'];
}

/** The tests that import a file, by themselves or through a helper of the tests; the nearest first. */
function importersOf(path, tests, sources) {
  const importers = importersIn(sources);
  const reached = new Set([path]);
  for (const each of reached) {
    for (const importer of importers.get(each) ?? []) reached.add(importer);
  }
  return [...reached].filter((each) => tests.includes(each));
}

const known = new WeakMap();

/** Who imports what, of all the sources; worked out once. */
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
