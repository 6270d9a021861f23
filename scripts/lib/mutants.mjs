import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * A small mistake that tests must catch.
 * @typedef {object} Mutant
 * @property {string} area name of the list in test/mutants
 * @property {string} file path of the source from the project's folder
 * @property {string} search text that occurs exactly once in the source
 * @property {string} replace the mistake
 * @property {string} why how the mistake would affect a user
 * @property {string} [killedBy] test file that fails because of the mistake
 * @property {string} [survives] why no test is expected to fail
 */

/**
 * Reads all mutants, sorted by area.
 * @param {string} root the project's folder
 * @returns {Mutant[]}
 */
export function readMutants(root) {
  const folder = join(root, 'test/mutants');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => {
      const area = basename(name, '.json');
      return JSON.parse(readFileSync(join(folder, name), 'utf8')).map((mutant) => ({ area, ...mutant }));
    });
}

/**
 * Describes what is wrong with the entry of a mutant, or returns null. The search text must occur exactly once in the source
 * file, so that the replacement is unambiguous.
 * @param {string} root the project's folder
 * @param {Mutant} mutant
 * @returns {string | null}
 */
export function findProblem(root, { file, search, replace, why, killedBy, survives }) {
  if (!existsSync(join(root, file))) return 'the file does not exist';
  const occurrences = readFileSync(join(root, file), 'utf8').split(search).length - 1;
  if (occurrences !== 1) return `the search text occurs ${occurrences} times`;
  if (search === replace) return 'the replacement changes nothing';
  if (!why) return 'the reason is missing';
  if (killedBy && survives) return 'it cannot be both killed and expected to survive';
  if (killedBy && !listNearestTests(root, { file }).includes(killedBy)) {
    return `${killedBy} is not among the tests of ${listMirroredFolders(root, file).join(' and ')}`;
  }
  return null;
}

/** Further test folders of a source folder, for tests that need a surface or several rooms. */
const FURTHER_FOLDERS = {
  'src/accounts/idempotency': ['test/messages/accept'],
  'src/messages/events': ['test/features/erasure'],
  'src/features/contacts/identity': ['test/features/campaigns'],
  'src/accounts/guard': ['test/features/spending'],
  'src/accounts/operators': ['test/surfaces/admin/operators', 'test/surfaces/admin/oidc'],
  'src/messages/accept/guard': ['test/features/spending'],
  'src/features/usage': ['test/surfaces/b'],
  'src/features/overview': ['test/surfaces/admin'],
};

/**
 * Lists the test folders for the mistakes in a source file: the mirrored folder or its nearest existing parent, and those in
 * `FURTHER_FOLDERS`.
 * @param {string} root the project's folder
 * @param {string} file path from the project's folder, below `src/`
 * @returns {string[]} paths from the project's folder
 */
export function listMirroredFolders(root, file) {
  let folder = join('test', dirname(file).replace(/^src\/?/, ''));
  const isRoom = (path) => path.split('/').length <= 2;
  while (!isRoom(folder) && !existsSync(join(root, folder))) folder = dirname(folder);
  const furtherFolders = Object.entries(FURTHER_FOLDERS).flatMap(([source, folders]) =>
    file.startsWith(`${source}/`) ? folders : [],
  );
  return [folder, ...furtherFolders];
}

/** Quick kinds of tests, which run before all other tests and in this order. */
const KINDS = ['unit', 'http', 'flow', 'fault'];

/**
 * Lists the test files of the mirrored folders, starting with the known killer. Leaves out tests in a browser, tests of built
 * servers, which do not contain the mutant, and measurements.
 * @param {string} root the project's folder
 * @param {Mutant} mutant
 * @returns {string[]} paths from the project's folder
 */
export function listNearestTests(root, { file, killedBy }) {
  const source = basename(file, '.ts');
  const slowFiles = readSlowFiles(root);
  const rank = (path) => {
    const [subject, ...kinds] = basename(path).split('.');
    const kind = KINDS.findIndex((name) => kinds.includes(name));
    return [Number(path !== killedBy), Number(subject !== source), kind < 0 ? KINDS.length : kind];
  };
  return listMirroredFolders(root, file)
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((path) => `${folder}/${path}`))
    .filter((path) => path.endsWith('.test.ts') && !path.endsWith('.browser.test.ts') && !slowFiles.includes(path))
    .sort((a, b) => compareRanks(rank(a), rank(b)) || a.localeCompare(b));
}

/** Reads the tests that test/support/run/extent.ts lists, because they start processes, measure time or load the machine. */
function readSlowFiles(root) {
  const text = readFileSync(join(root, 'test/support/run/extent.ts'), 'utf8');
  return [...text.matchAll(/'(test\/[^'*]+\.test\.ts)'/g)].map(([, path]) => path);
}

function compareRanks(a, b) {
  for (const [index, value] of a.entries()) if (value !== b[index]) return value - b[index];
  return 0;
}
