// Finds the sources with SQL on tables of accounts, so that sources without a recorded statement can be listed.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseSource } from '@swc/core';
import { readText, tokenize, visit } from '../table-writers.mjs';

const WORDS_BEFORE_TABLE = new Set(['FROM', 'JOIN', 'UPDATE', 'INTO', 'USING']);
const STATEMENT_START = /\b(select|insert\s+into|update|delete\s+from)\b/i;

/**
 * Finds the tables that the SQL of a source uses. Queries of Prisma's client are ignored.
 * @param {string} source TypeScript
 * @param {ReadonlySet<string>} tables
 * @returns {Promise<string[]>}
 */
export async function findTables(source, tables) {
  const texts = [];
  visit(await parseSource(source, { syntax: 'typescript', target: 'es2022' }), (node) => {
    const text = readText(node);
    if (text !== null && STATEMENT_START.test(text)) texts.push(text);
  });
  const usedTables = new Set();
  for (const text of texts) {
    const tokens = (await tokenize(text)).map((token) => token.replaceAll('"', ''));
    tokens.forEach((token, index) => {
      if (tables.has(token) && WORDS_BEFORE_TABLE.has(tokens[index - 1]?.toUpperCase())) usedTables.add(token);
    });
  }
  return [...usedTables].sort();
}

/**
 * Returns the paths of the sources in src/ with SQL on the given tables.
 * @param {string} root the project's folder
 * @param {readonly string[]} tables
 * @returns {Promise<string[]>}
 */
export async function findSources(root, tables) {
  const paths = (await readdir(join(root, 'src'), { recursive: true })).filter(
    (path) => path.endsWith('.ts') && !path.includes('generated'),
  );
  const sources = [];
  for (const path of paths.sort()) {
    const usedTables = await findTables(await readFile(join(root, 'src', path), 'utf8'), new Set(tables));
    if (usedTables.length > 0) sources.push(`src/${path}`);
  }
  return sources;
}
