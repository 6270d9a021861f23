// Finds the sources with SQL on tables with accounts. Recorded statements show where their SQL would run.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseSource } from '@swc/core';
import { textOf, tokensOf, visit } from '../table-writers.mjs';

const BEFORE_A_TABLE = new Set(['FROM', 'JOIN', 'UPDATE', 'INTO', 'USING']);
const BEGINS = /\b(select|insert\s+into|update|delete\s+from)\b/i;

/**
 * Tables with accounts in the SQL of a source. Queries of Prisma's client are not included.
 * @param {string} source TypeScript
 * @param {ReadonlySet<string>} tables
 * @returns {Promise<string[]>}
 */
export async function tablesAskedIn(source, tables) {
  const texts = [];
  visit(await parseSource(source, { syntax: 'typescript', target: 'es2022' }), (node) => {
    const text = textOf(node);
    if (text !== null && BEGINS.test(text)) texts.push(text);
  });
  const asked = new Set();
  for (const text of texts) {
    const tokens = (await tokensOf(text)).map((token) => token.replaceAll('"', ''));
    tokens.forEach((token, at) => {
      if (tables.has(token) && BEFORE_A_TABLE.has(tokens[at - 1]?.toUpperCase())) asked.add(token);
    });
  }
  return [...asked].sort();
}

/**
 * Searches all of src/.
 * @param {string} root the project's folder
 * @param {readonly string[]} tables
 * @returns {Promise<string[]>} paths of sources with SQL on these tables
 */
export async function sourcesAsking(root, tables) {
  const paths = (await readdir(join(root, 'src'), { recursive: true })).filter(
    (path) => path.endsWith('.ts') && !path.includes('generated'),
  );
  const found = [];
  for (const path of paths.sort()) {
    const asked = await tablesAskedIn(await readFile(join(root, 'src', path), 'utf8'), new Set(tables));
    if (asked.length > 0) found.push(`src/${path}`);
  }
  return found;
}
