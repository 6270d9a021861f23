import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, whyOddName } from './names.mjs';
import { KIND_NAMES, oddTurns, sentencesIn } from './sentences.mjs';

/**
 * Texts or names that were counted together.
 * @typedef {{all: number, odd: {file: string, line: number, text: string, why: string}[]}} Count
 */

/** The project's own files, sorted. @param {string} root @returns {string[]} */
export function ownFiles(root) {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file && !/generated|\.d\.ts$/.test(file) && existsSync(join(root, file)))
    .sort();
}

/** `src/accounts` for a file in a room, else its first folder. @param {string} file */
function roomFor(file) {
  const [first, second, third] = file.split('/');
  if (second === undefined) return 'the root folder';
  return first === 'src' && third !== undefined ? `src/${second}` : first;
}

/**
 * Counts sentences by kind, comments by room too, and declared names by room.
 * @param {string} root the project's folder
 * @returns {Map<string, Count>} by `docs`, `comments src/accounts`, `names src/accounts` …
 */
export function countEnglish(root) {
  /** @type {Map<string, Count>} */
  const counts = new Map();
  const add = (key, each, whys) => {
    const count = counts.get(key) ?? { all: 0, odd: [] };
    counts.set(key, count);
    count.all += 1;
    for (const why of whys) count.odd.push({ file: each.file, line: each.line, text: each.text, why });
  };
  for (const file of ownFiles(root)) {
    for (const kind of KIND_NAMES) {
      const key = kind === 'comments' ? `comments ${roomFor(file)}` : kind;
      for (const sentence of sentencesIn(root, file, kind)) add(key, sentence, oddTurns(sentence));
    }
    if (!/^(src|console\/src|test|bench|chaos|scripts)\/.*\.(ts|tsx|mjs)$/.test(file)) continue;
    for (const name of namesIn(root, file)) add(`names ${roomFor(file)}`, name, [whyOddName(name)].filter(Boolean));
  }
  return counts;
}

/** Odd ones per 1,000, rounded up. @param {Count} count */
export function perThousand({ all, odd }) {
  return Math.ceil((1_000 * odd.length) / all);
}
