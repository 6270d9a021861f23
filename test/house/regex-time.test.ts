import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseSync } from '@swc/core';
import { describe, expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

/**
 * Hostile texts must not block the event loop, so the time of a regular expression must not grow with the square of the
 * text's length. The test runs each regular expression of the sources on texts made of its own parts.
 */

interface Expression {
  path: string;
  pattern: string;
  flags: string;
}

/** Code whose regular expressions read only settings, command lines, and output of PostgreSQL and Redis. */
const TRUSTED = [
  'src/cli/',
  'src/platform/embedded/',
  'src/platform/redis/',
  'src/platform/store/servers/',
  'src/process/settings/',
  // exact-json.ts reads only text that JSON.parse has accepted, so every quote is closed.
  'src/carriers/http-api/answer/exact-json.ts',
];

const LENGTH = 25_000;
/** At LENGTH characters, a linear expression takes well below 1 ms, and a quadratic one over 50 ms. */
const MAX_MS = 20;
const PREFIXES = ['', '+1', 'x'];
const SUFFIXES = ['', '\u0000', '\n!'];
/** One character of each common character class. */
const COMMON = [
  '0',
  'a',
  'A',
  '_',
  ' ',
  '\n',
  '-',
  '.',
  '+',
  '@',
  ':',
  '/',
  ',',
  ';',
  '"',
  "'",
  '(',
  '{',
  '\\',
  '*',
  '=',
  '&',
];

function listExpressions(folder: string): Expression[] {
  return readdirSync(join(PROJECT_FOLDER, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes(join('platform', 'generated')))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      const expressions: Expression[] = [];
      collect(parseSync(text, { syntax: 'typescript', tsx: path.endsWith('x') }), (pattern, flags) =>
        expressions.push({ path: relative(PROJECT_FOLDER, path), pattern, flags }),
      );
      return expressions;
    })
    .filter(({ path }) => !TRUSTED.some((folder) => path.startsWith(folder)));
}

function collect(node: unknown, onExpression: (pattern: string, flags: string) => void): void {
  if (typeof node !== 'object' || node === null) return;
  const { type, pattern, flags } = node as Record<string, unknown>;
  if (type === 'RegExpLiteral') onExpression(String(pattern), String(flags));
  for (const value of Object.values(node)) collect(value, onExpression);
}

function listRepeatedParts(pattern: string): string[] {
  const plain = pattern.replace(/\\u[0-9A-F]{4}|\\[dswbDSWBpPu]|\(\?<?[:=!]/g, ' ').replace(/\\(.)/g, '$1');
  const words = plain.match(/[\w.:@{}"/\\-]+|[^\w\s]/g) ?? [];
  const parts = [
    ...new Set([...COMMON, ...words, ...words.filter((word) => word.length < 12).map((word) => word + word)]),
  ];
  return [...parts, ...words.flatMap((word) => [`${word} `, `${word}a`, ` ${word}`])];
}

function measureMs(expression: RegExp, text: string): number {
  const start = performance.now();
  // `replace` is global, so that the time of searches after the first match is also measured.
  text.replace(expression, '');
  return performance.now() - start;
}

/** Finds a part of the expression whose repetition makes the expression slow, or returns null. */
function findSlowPart({ pattern, flags }: Expression): string | null {
  if (!/[*+]|\{\d*,\}/.test(pattern)) return null;
  const expression = new RegExp(pattern, flags.includes('g') || flags.includes('y') ? flags : `${flags}g`);
  for (const part of listRepeatedParts(pattern)) {
    const body = part.repeat(Math.ceil(LENGTH / part.length));
    for (const prefix of PREFIXES) {
      for (const suffix of SUFFIXES) {
        const text = prefix + body + suffix;
        const isSlow = () => measureMs(expression, text) > MAX_MS;
        // Three runs must be slow, because other programs on the machine may delay a single run.
        if (isSlow() && isSlow() && isSlow()) return part;
      }
    }
  }
  return null;
}

describe('the run time of regular expressions', () => {
  it('is detected if it grows with the square', () => {
    for (const pattern of [
      String.raw`^(?=.*\d)[\d\s()+.\-/]*[\s()+.\-/][\d\s()+.\-/]*$`,
      String.raw`\s+$`,
      String.raw`\bcontact\.[^{}]*\}\}`,
      String.raw`\{\{.*?\}\}`,
    ]) {
      expect(findSlowPart({ path: '', pattern, flags: '' }), pattern).not.toBeNull();
    }
  });

  it.each(['src', 'console/src'])('does not grow with the square in %s', (folder) => {
    const expressions = listExpressions(folder);
    expect(expressions.length).toBeGreaterThan(20);
    const slow = expressions.flatMap((expression) => {
      const part = findSlowPart(expression);
      return part === null ? [] : [`${expression.path}: /${expression.pattern}/ over ${JSON.stringify(part)}`];
    });
    expect(slow).toEqual([]);
  });
});
