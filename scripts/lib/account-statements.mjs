// Which statements ask for rows of accounts without naming one? On several PostgreSQLs, each with some of the accounts, those
// would be asked of all.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseSource } from '@swc/core';
import { textOf, tokensOf, visit } from './table-writers.mjs';

const BEFORE_A_TABLE = new Set(['FROM', 'JOIN', 'UPDATE', 'INTO', 'USING']);
const BEGINS = /\b(select|insert\s+into|update|delete\s+from)\b/i;

/**
 * The tables of schema.prisma whose rows name their account, each with whether it is in a key.
 * @param {string} schema the text of it
 * @returns {string[]}
 */
export function tablesOfAccounts(schema) {
  const models = [...schema.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)];
  const ofAccounts = models.filter(([, , body]) => /^\s+accountId\s/m.test(body));
  return ofAccounts.map(([, name, body]) => /@@map\("(\w+)"\)/.exec(body)?.[1] ?? name).sort();
}

/**
 * The statements of a source that ask for such tables. A text that is put together of several is one for each of them that
 * begins a statement.
 * @param {string} source TypeScript
 * @param {ReadonlySet<string>} tables
 * @returns {Promise<{ text: string, tables: string[], hasAccount: boolean }[]>}
 */
export async function statementsOf(source, tables) {
  const texts = [];
  visit(await parseSource(source, { syntax: 'typescript', target: 'es2022' }), (node) => {
    const text = textOf(node);
    if (text !== null && BEGINS.test(text)) texts.push(text);
  });
  const found = [];
  for (const text of texts) {
    const tokens = (await tokensOf(text)).map((token) => token.replaceAll('"', ''));
    const asked = tokens.filter((token, at) => tables.has(token) && BEFORE_A_TABLE.has(tokens[at - 1]?.toUpperCase()));
    if (asked.length === 0) continue;
    const hasAccount = tokens.includes('account_id');
    found.push({ text, tables: [...new Set(asked)].sort(), hasAccount });
  }
  return found;
}

/**
 * Reads all of src/.
 * @param {string} root the project's folder
 * @returns {Promise<{ path: string, text: string, tables: string[], hasAccount: boolean }[]>}
 */
export async function allStatements(root) {
  const tables = new Set(tablesOfAccounts(await readFile(join(root, 'prisma/schema.prisma'), 'utf8')));
  const paths = (await readdir(join(root, 'src'), { recursive: true })).filter(
    (path) => path.endsWith('.ts') && !path.includes('generated'),
  );
  const found = [];
  for (const path of paths.sort()) {
    const statements = await statementsOf(await readFile(join(root, 'src', path), 'utf8'), tables);
    found.push(...statements.map((each) => ({ path: `src/${path}`, ...each })));
  }
  return found;
}
