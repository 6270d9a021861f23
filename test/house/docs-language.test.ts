import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProse } from '../../scripts/lib/english/sentences.mjs';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const MAX_AVERAGE = 14;
const LONG_SENTENCE = 30;
const MAX_LONG_SHARE = 0.02;
const MAX_PARAGRAPH = 100;

const readPage = (page: string) => readFileSync(join(PROJECT_FOLDER, page), 'utf8');

/** The pages of docs/README.md, except those for contributors, and README.md. */
function listUserPages(): string[] {
  const sections = readPage('docs/README.md').split(/^## /m).slice(1);
  const pages = sections
    .filter((section) => !section.startsWith('Change it'))
    .flatMap((section) => [...section.matchAll(/^- \[[^\]]+\]\(([^)]+\.md)\)/gm)])
    .map(([, target = '']) => posix.join('docs', target));
  return ['README.md', ...pages];
}

/** Without generated sections, whose texts are in the code. */
const readOwnText = (page: string) =>
  readPage(page)
    .replace(/^<!-- generated: [\s\S]*?^<!-- \/generated -->/gm, '')
    .replace(/^<!--[\s\S]*?-->/gm, '');

/** Replaces code by one word, and drops the targets of links. */
const toPlain = (text: string) => text.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/`[^`]+`/g, 'code');

const countWords = (text: string) =>
  toPlain(text)
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

interface Page {
  page: string;
  sentences: { line: number; text: string; words: number }[];
  paragraphs: { text: string; words: number }[];
}

function measure(page: string): Page {
  const text = readOwnText(page);
  const blocks = text.replace(/^```[\s\S]*?^```$/gm, '').split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/);
  return {
    page,
    sentences: readProse(text).map((sentence) => ({ ...sentence, words: countWords(sentence.text) })),
    paragraphs: blocks
      .filter((block) => !/^\s*[|#]/.test(block))
      .map((block) => ({ text: block.trim(), words: countWords(block) })),
  };
}

const average = (sentences: Page['sentences']) =>
  sentences.reduce((sum, { words }) => sum + words, 0) / Math.max(1, sentences.length);

describe('the language of the pages for users', () => {
  const pages = listUserPages().map(measure);
  const sentences = pages.flatMap(({ page, sentences }) => sentences.map((sentence) => ({ page, ...sentence })));

  it(`has at most ${MAX_AVERAGE} words in a sentence on average`, () => {
    const worst = [...pages]
      .sort((a, b) => average(b.sentences) - average(a.sentences))
      .slice(0, 10)
      .map(({ page, sentences }) => `${average(sentences).toFixed(1)} ${page}`);
    expect(sentences.length).toBeGreaterThan(1_000);
    expect(average(sentences), `worst pages:\n${worst.join('\n')}`).toBeLessThanOrEqual(MAX_AVERAGE);
  });

  it(`has at most ${MAX_LONG_SHARE * 100} % of sentences over ${LONG_SENTENCE} words`, () => {
    const long = sentences.filter(({ words }) => words > LONG_SENTENCE).sort((a, b) => b.words - a.words);
    const worst = long.slice(0, 20).map(({ page, line, text, words }) => `${words} ${page}:${line} ${text}`);
    expect(long.length / sentences.length, `longest:\n${worst.join('\n')}`).toBeLessThanOrEqual(MAX_LONG_SHARE);
  });

  it(`has no paragraph over ${MAX_PARAGRAPH} words`, () => {
    const long = pages.flatMap(({ page, paragraphs }) =>
      paragraphs
        .filter(({ words }) => words > MAX_PARAGRAPH)
        .map(({ text, words }) => `${words} ${page}: ${text.slice(0, 80)}`),
    );
    expect(long).toEqual([]);
  });
});
