// node scripts/list-account-statements.mjs [--all]
//
// Which statements on tables of accounts name no account? What docs/scaling.md says of spreading accounts over several
// PostgreSQLs rests on it. With --all each statement is shown.
import { fileURLToPath } from 'node:url';
import { allStatements } from './lib/account-statements.mjs';
import { commandLine } from './lib/command-line.mjs';

const { values: options } = commandLine(import.meta.url, { options: { all: { type: 'boolean' } } });
const statements = await allStatements(fileURLToPath(new URL('..', import.meta.url)));
const lacking = statements.filter(({ hasAccount }) => !hasAccount);
for (const { path, text, tables } of lacking) {
  const words = text.trim().replace(/\s+/g, ' ');
  console.log(`${path}: ${tables.join(', ')}`);
  if (options.all) console.log(`  ${words}`);
}
console.log(`${lacking.length} of ${statements.length} statements on tables of accounts name no account.`);
