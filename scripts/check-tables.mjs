// node scripts/check-tables.mjs [--write]
//
// Checks that docs/tables.md lists the folders of src/ that write each table. --write updates the folders. If several folders
// write a table, a person must add the reason.
import { readFile, writeFile } from 'node:fs/promises';
import { parseCommandLine } from './lib/command-line.mjs';
import { compareTables, findWriters, readTables, writeTables } from './lib/table-owners.mjs';

const PAGE = 'docs/tables.md';
const { values: options } = parseCommandLine(import.meta.url, { options: { write: { type: 'boolean' } } });

const { writers, unresolved } = await findWriters();
const page = await readFile(PAGE, 'utf8');
if (options.write) await writeFile(PAGE, writeTables(page, writers));
const problems = [...unresolved, ...compareTables(readTables(await readFile(PAGE, 'utf8')), writers)];
if (problems.length === 0) {
  console.log(`${PAGE} names the folders that write each of ${writers.size} tables.`);
} else {
  console.error(
    `${problems.join('\n')}\nIf a new writer is intended, record it: node scripts/check-tables.mjs --write`,
  );
  process.exitCode = 1;
}
