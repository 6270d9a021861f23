// Which sources have statements on tables of accounts in their texts? Of those, what ran tells where they go.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseSource } from '@swc/core';
import { textOf, tokensOf, visit } from '../table-writers.mjs';

const BEFORE_A_TABLE = new Set(['FROM', 'JOIN', 'UPDATE', 'INTO', 'USING']);
const BEGINS = /\b(select|insert\s+into|update|delete\s+from)\b/i;

/**
 * Such tables in the statements of a source. What Prisma's client asks is not among them.
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
 * Reads all of src/.
 * @param {string} root the project's folder
 * @param {readonly string[]} tables
 * @returns {Promise<string[]>} the paths of the sources with statements on them
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
