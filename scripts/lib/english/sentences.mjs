import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';

/**
 * A sentence, with the file and line where the comment, paragraph or string of the sentence begins.
 * @typedef {{file: string, line: number, text: string}} Sentence
 */

/** Turns of phrase that usually need a rewrite (docs/writing.md). */
const TURNS =
  /\b(tell|tells|told|telling|whoever|anew|seldom|thereof|whereof|beside|of before|at the most|of ours|of theirs|is no [a-z]+|are no [a-z]+|stands? (?:in|at|for|there|once|behind|beside)|lies? (?:in|at|there|where|below)|what is (?:due|told|said|known|taken)|who (?:asks|writes|sends|reads|leaves|comes|has no)|begun|as it is|hand(?:s|ed)? (?:over|out)|but for)\b/gi;

/** @param {Sentence} sentence @returns {string[]} */
export function findOddTurns({ text }) {
  return text.match(TURNS) ?? [];
}

/** Kinds of text, with the files that contain them. */
const KINDS = {
  comments: { isIn: (file) => /\.(ts|tsx|mjs)$/.test(file), read: readComments },
  // The writing guide is left out, because it quotes phrases to avoid.
  docs: { isIn: (file) => /^docs\/.*\.md$/.test(file) && file !== 'docs/writing.md', read: readProse },
  readme: { isIn: (file) => ['README.md', 'CONTRIBUTING.md', 'SECURITY.md'].includes(file), read: readProse },
  changelog: { isIn: (file) => file === 'CHANGELOG.md', read: readProse },
  errors: { isIn: (file) => /^src\/.*\.ts$/.test(file), read: readErrors },
  console: { isIn: (file) => file.startsWith('console/src/text/'), read: readStrings },
  tests: { isIn: (file) => /^test\/.*\.test\.tsx?$/.test(file), read: readTitles },
};

export const KIND_NAMES = Object.keys(KINDS);

/**
 * Finds the sentences of a kind in a file.
 * @param {string} root the project's folder
 * @param {string} file path from the root
 * @param {string} kind one of `KIND_NAMES`
 * @returns {Sentence[]}
 */
export function findSentences(root, file, kind) {
  const { isIn, read } = KINDS[kind];
  if (!isIn(file)) return [];
  return read(readFileSync(join(root, file), 'utf8'), file).map((sentence) => ({ file, ...sentence }));
}

/**
 * Returns the sentences that have at least five words.
 * @returns {string[]}
 */
function splitSentences(text) {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?])\s+(?=[A-Z`"“])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.split(' ').length >= 5);
}

const findLine = (text, index) => text.slice(0, index).split('\n').length;

/**
 * Finds the sentences of the comments in a source. Consecutive lines that start with `//` are one comment. Comments after code
 * on the same line are left out.
 * @param {string} text
 * @param {string} file name, whose extension selects the language
 * @returns {{line: number, text: string}[]}
 */
export function readComments(text, file) {
  const comments = [];
  let previousEnd = null;
  for (const { type, value, start, end } of parseSync(file, text).comments) {
    const isLine = type === 'Line';
    const lineStart = text.lastIndexOf('\n', start - 1) + 1;
    if (isLine && text.slice(lineStart, start).trim()) continue;
    if (isLine && previousEnd !== null && lineStart === previousEnd + 1) comments.at(-1).value += `\n${value}`;
    else comments.push({ line: findLine(text, start), value });
    previousEnd = isLine ? end : null;
  }
  return comments.flatMap(({ line, value }) => {
    const plain = value.replace(/^\s*\*\s?/gm, '').replace(/@param \S+|@returns|@throws \{[^}]*\}/g, '');
    return splitSentences(plain).map((sentence) => ({ line, text: sentence }));
  });
}

/**
 * Finds the sentences of a page in Markdown, without code blocks. Each cell of a table counts by itself.
 * @param {string} text
 * @returns {{line: number, text: string}[]}
 */
export function readProse(text) {
  const sentences = [];
  let paragraph = '';
  let start = 1;
  const flush = () => {
    for (const sentence of splitSentences(paragraph)) sentences.push({ line: start, text: sentence });
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
      const cells = line.split('|').flatMap((cell) => splitSentences(cell));
      sentences.push(...cells.map((sentence) => ({ line: index + 1, text: sentence })));
      continue;
    }
    if (!paragraph) start = index + 1;
    paragraph += ` ${line.replace(/^\s*([-*]|\d+\.)\s/, '')}`;
  }
  flush();
  return sentences;
}

/** Finds strings of at least four words, except paths and SQL. */
function readStrings(text) {
  return [...text.matchAll(/(['`])((?:(?!\1)[^\\\n]|\\.){12,}?)\1/g)]
    .filter(([, , content]) => content.split(' ').length >= 4 && !/^\.\.?\/|SELECT|INSERT|UPDATE /.test(content))
    .map((match) => ({ line: findLine(text, match.index), text: match[2] }));
}

function readErrors(text) {
  return readStrings(text).filter((sentence) => /^[A-Z`]/.test(sentence.text));
}

function readTitles(text) {
  return [...text.matchAll(/\bit(?:\.each\([^)]*\))?(?:\.\w+)*\(\s*(['`])((?:(?!\1)[^\\]|\\.)+)\1/g)].map((match) => ({
    line: findLine(text, match.index),
    text: match[2],
  }));
}
