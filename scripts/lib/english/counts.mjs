import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { explainOddName, findNames } from './names.mjs';
import { findOddTurns, findSentences, KIND_NAMES } from './sentences.mjs';

/**
 * Sentences or names that are counted together.
 * @typedef {{all: number, odd: {file: string, line: number, text: string, why: string}[]}} Count
 */

/**
 * Lists all files of the project except generated files, sorted by path.
 * @param {string} root
 * @returns {string[]}
 */
export function listProjectFiles(root) {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file && !/generated|\.d\.ts$/.test(file) && existsSync(join(root, file)))
    .sort();
}

/**
 * Returns the room of a file, such as `src/accounts`, or the top-level folder of a file outside the rooms.
 * @param {string} file
 */
function findRoom(file) {
  const [first, second, third] = file.split('/');
  if (second === undefined) return 'the root folder';
  return first === 'src' && third !== undefined ? `src/${second}` : first;
}

/**
 * Counts sentences by kind, and comments and names by room, with keys such as `docs` and `names src/accounts`.
 * @param {string} root the project's folder
 * @returns {Map<string, Count>}
 */
export function countEnglish(root) {
  /** @type {Map<string, Count>} */
  const counts = new Map();
  const add = (key, { file, line, text }, reasons) => {
    const count = counts.get(key) ?? { all: 0, odd: [] };
    counts.set(key, count);
    count.all += 1;
    for (const why of reasons) count.odd.push({ file, line, text, why });
  };
  for (const file of listProjectFiles(root)) {
    for (const kind of KIND_NAMES) {
      const key = kind === 'comments' ? `comments ${findRoom(file)}` : kind;
      for (const sentence of findSentences(root, file, kind)) add(key, sentence, findOddTurns(sentence));
    }
    if (!/^(src|console\/src|test|bench|chaos|scripts)\/.*\.(ts|tsx|mjs)$/.test(file)) continue;
    for (const name of findNames(root, file))
      add(`names ${findRoom(file)}`, name, [explainOddName(name)].filter(Boolean));
  }
  return counts;
}

/**
 * Returns the number of odd texts per 1,000 texts, rounded up.
 * @param {Count} count
 */
export function perThousand({ all, odd }) {
  return Math.ceil((1_000 * odd.length) / all);
}
