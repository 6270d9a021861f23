import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * A small mistake that tests must catch.
 * @typedef {object} Mutant
 * @property {string} area name of the file in test/mutants that lists it
 * @property {string} file source file, from the project's folder
 * @property {string} search text that occurs exactly once in that file
 * @property {string} replace the mistake
 * @property {string} why what a user would suffer from it
 * @property {string} [killedBy] test file that fails because of it
 * @property {string} [survives] why no test is expected to fail
 */

/**
 * Reads all mutants.
 * @param {string} root the project's folder
 * @returns {Mutant[]} by area, in the order of their files
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
 * What is wrong with the entry of a mutant. The search text must occur exactly once, or nobody knows what was planted.
 * @param {string} root the project's folder
 * @param {Mutant} mutant
 * @returns {string | null} null if it can be planted
 */
export function findFault(root, { file, search, replace, why, killedBy, survives }) {
  if (!existsSync(join(root, file))) return 'the file does not exist';
  const occurrences = readFileSync(join(root, file), 'utf8').split(search).length - 1;
  if (occurrences !== 1) return `the search text occurs ${occurrences} times`;
  if (search === replace) return 'the replacement changes nothing';
  if (!why) return 'the reason is missing';
  if (killedBy && survives) return 'it cannot be both killed and expected to survive';
  if (killedBy && !existsSync(join(root, killedBy))) return `${killedBy} does not exist`;
  if (killedBy && !killedBy.startsWith(`${mirroredFolder(root, file)}/`)) {
    return `${killedBy} is outside ${mirroredFolder(root, file)}, which mirrors the folder of the file`;
  }
  return null;
}

/**
 * The folder under `test/` that mirrors the folder of a source file: the same path, or the nearest parent that exists there.
 * @param {string} root the project's folder
 * @param {string} file path from the project's folder, below `src/`
 * @returns {string} path from the project's folder
 */
export function mirroredFolder(root, file) {
  let folder = join('test', dirname(file).replace(/^src\/?/, ''));
  while (folder !== 'test' && !existsSync(join(root, folder))) folder = dirname(folder);
  return folder;
}

/** Fast tests first: of these kinds, in this order, then all others. */
const KINDS = ['unit', 'http', 'flow', 'fault'];

/**
 * The test files that must kill a mutant, those that are known to first.
 * @param {string} root the project's folder
 * @param {Mutant} mutant
 * @returns {string[]} paths from the project's folder
 */
export function nearestTests(root, { file, killedBy }) {
  const folder = mirroredFolder(root, file);
  const source = basename(file, '.ts');
  const rank = (path) => {
    const [subject, ...kinds] = basename(path).split('.');
    const kind = KINDS.findIndex((each) => kinds.includes(each));
    return [Number(path !== killedBy), Number(subject !== source), kind < 0 ? KINDS.length : kind];
  };
  return readdirSync(join(root, folder), { recursive: true })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `${folder}/${path}`)
    .sort((one, other) => compare(rank(one), rank(other)) || one.localeCompare(other));
}

function compare(one, other) {
  for (const [index, value] of one.entries()) if (value !== other[index]) return value - other[index];
  return 0;
}
