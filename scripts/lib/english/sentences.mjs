import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A sentence of a kind of text.
 * @typedef {{file: string, line: number, text: string}} Sentence
 */

/** Turns of phrase that usually need a rewrite (docs/writing.md). */
const TURNS =
  /\b(tell|tells|told|telling|whoever|anew|seldom|thereof|whereof|beside|of before|at the most|of ours|of theirs|is no [a-z]+|are no [a-z]+|stands? (?:in|at|for|there|once|behind|beside)|lies? (?:in|at|there|where|below)|what is (?:due|told|said|known|taken)|who (?:asks|writes|sends|reads|leaves|comes|has no)|begun|as it is|hand(?:s|ed)? (?:over|out)|but for)\b/gi;

/** Turns of phrase in a sentence. @param {Sentence} sentence @returns {string[]} */
export function oddTurns({ text }) {
  return text.match(TURNS) ?? [];
}

/** Kinds of text, with the files that contain them. */
const KINDS = {
  comments: { isIn: (file) => /\.(ts|tsx|mjs)$/.test(file), read: readComments },
  // The writing guide quotes what to avoid.
  docs: { isIn: (file) => /^docs\/.*\.md$/.test(file) && file !== 'docs/writing.md', read: readProse },
  readme: { isIn: (file) => ['README.md', 'CONTRIBUTING.md', 'SECURITY.md'].includes(file), read: readProse },
  changelog: { isIn: (file) => file === 'CHANGELOG.md', read: readProse },
  errors: { isIn: (file) => /^src\/.*\.ts$/.test(file), read: readErrors },
  console: { isIn: (file) => file.startsWith('console/src/text/'), read: readStrings },
  tests: { isIn: (file) => /^test\/.*\.test\.tsx?$/.test(file), read: readTitles },
};

export const KIND_NAMES = Object.keys(KINDS);

/**
 * The sentences of a kind in a file; none where files of its kind have none.
 * @param {string} root the project's folder
 * @param {string} file from there
 * @param {string} kind one of `KIND_NAMES`
 * @returns {Sentence[]}
 */
export function sentencesIn(root, file, kind) {
  const { isIn, read } = KINDS[kind];
  if (!isIn(file)) return [];
  return read(readFileSync(join(root, file), 'utf8')).map((sentence) => ({ file, ...sentence }));
}

/** @returns {string[]} sentences of at least five words */
function split(text) {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?])\s+(?=[A-Z`"“])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.split(' ').length >= 5);
}

const lineAt = (text, index) => text.slice(0, index).split('\n').length;

function readComments(text) {
  const found = text.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?:^|\n)((?:[ \t]*\/\/[^\n]*\n)+)/g);
  return [...found].flatMap((match) => {
    const plain = (match[1] ?? match[2])
      .replace(/^\s*\*\s?/gm, '')
      .replace(/^\s*\/\/\s?/gm, '')
      .replace(/@param \S+|@returns|@throws \{[^}]*\}/g, '');
    return split(plain).map((sentence) => ({ line: lineAt(text, match.index), text: sentence }));
  });
}

function readProse(text) {
  const sentences = [];
  let paragraph = '';
  let start = 1;
  const flush = () => {
    for (const sentence of split(paragraph)) sentences.push({ line: start, text: sentence });
    paragraph = '';
  };
  const withoutCode = text.replace(/```[\s\S]*?```/g, (block) => block.replace(/[^\n]/g, ' '));
  for (const [index, line] of withoutCode.split('\n').entries()) {
    const isItem = /^\s*([-*]|\d+\.)\s/.test(line);
    const isRow = line.startsWith('|');
    const isBreak = !line.trim() || /^#|^\s*\|?-{3}/.test(line);
    if (isItem || isRow || isBreak) flush();
    if (isBreak) continue;
    if (isRow) {
      const cells = line.split('|').flatMap((cell) => split(cell));
      sentences.push(...cells.map((sentence) => ({ line: index + 1, text: sentence })));
      continue;
    }
    if (!paragraph) start = index + 1;
    paragraph += ` ${line.replace(/^\s*([-*]|\d+\.)\s/, '')}`;
  }
  flush();
  return sentences;
}

/** Texts of at least four words, without paths and SQL. */
function readStrings(text) {
  return [...text.matchAll(/(['`])((?:(?!\1)[^\\\n]|\\.){12,}?)\1/g)]
    .filter(([, , content]) => content.split(' ').length >= 4 && !/^\.\.?\/|SELECT|INSERT|UPDATE /.test(content))
    .map((match) => ({ line: lineAt(text, match.index), text: match[2] }));
}

function readErrors(text) {
  return readStrings(text).filter((sentence) => /^[A-Z`]/.test(sentence.text));
}

function readTitles(text) {
  return [...text.matchAll(/\bit(?:\.each\([^)]*\))?(?:\.\w+)*\(\s*(['`])((?:(?!\1)[^\\]|\\.)+)\1/g)].map((match) => ({
    line: lineAt(text, match.index),
    text: match[2],
  }));
}
