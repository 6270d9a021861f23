// Finds which folders of src/ write each table, and compares these folders with docs/tables.md.
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findWrites, readSchema } from './table-writers.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Restoring a backup writes tables whose names are not in the code, so this folder is exempt. */
const EXEMPT_FOLDERS = ['platform/backup'];

/**
 * Folders below src/ that create rows, and that change or delete rows.
 * @typedef {{ created: string[], changed: string[] }} Writers
 */

/**
 * Finds the writers of each table in src/, and the statements that do not name their table.
 * @returns {Promise<{ writers: Map<string, Writers>, unresolved: string[] }>}
 */
export async function findWriters() {
  const schema = await readSchema(join(ROOT, 'prisma/schema.prisma'));
  const folders = new Map(
    [...schema.tables].sort().map((table) => [table, { created: new Set(), changed: new Set() }]),
  );
  const unresolved = [];
  const paths = await readdir(join(ROOT, 'src'), { recursive: true });
  for (const path of paths.filter((name) => name.endsWith('.ts') && !name.includes('generated')).sort()) {
    const folder = dirname(path);
    const writes = await findWrites(await readFile(join(ROOT, 'src', path), 'utf8'), schema);
    for (const table of writes.created) folders.get(table).created.add(folder);
    for (const table of writes.changed) folders.get(table).changed.add(folder);
    if (EXEMPT_FOLDERS.includes(folder)) continue;
    for (const text of writes.unresolved)
      unresolved.push(`src/${path}: the statement must contain the name of the table it writes: ${text}`);
  }
  const writers = new Map(
    [...folders].map(([table, { created, changed }]) => [
      table,
      { created: omitSubfolders(created), changed: omitSubfolders(changed) },
    ]),
  );
  return { writers, unresolved };
}

/** Omits folders whose parent is also in the list. A room such as `messages` does not count as a parent. */
function omitSubfolders(folders) {
  const contains = (outer, inner) => outer.includes('/') && !relative(outer, inner).startsWith('..') && outer !== inner;
  return [...folders].filter((inner) => ![...folders].some((outer) => contains(outer, inner))).sort();
}

const EMPTY_CELL = '–';
/** The table's rows follow this line of the page. */
const HEADING_RULE = '| --- | --- | --- | --- |';
const ROW = /^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \|$/gm;

/**
 * Reads the rows of the page by table.
 * @returns {Map<string, Writers & { why: string }>}
 */
export function readTables(page) {
  const toFolders = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, folder]) => folder);
  return new Map(
    [...page.matchAll(ROW)].map(([, table, created, changed, why]) => [
      table,
      { created: toFolders(created), changed: toFolders(changed), why: why === EMPTY_CELL ? '' : why },
    ]),
  );
}

/**
 * Returns the page with the folders of `writers` and the previous reasons.
 * @returns {string}
 */
export function writeTables(page, writers) {
  const previous = readTables(page);
  const toCell = (folders) => folders.map((folder) => `\`${folder}\``).join(', ') || EMPTY_CELL;
  const lines = [...writers].map(
    ([table, { created, changed }]) =>
      `| \`${table}\` | ${toCell(created)} | ${toCell(changed)} | ${previous.get(table)?.why || EMPTY_CELL} |`,
  );
  return `${page.slice(0, page.indexOf(HEADING_RULE) + HEADING_RULE.length)}\n${lines.join('\n')}\n`;
}

/**
 * Returns the differences between the page and src/.
 * @param {Map<string, Writers & { why: string }>} documented
 * @param {Map<string, Writers>} writers
 * @returns {string[]}
 */
export function compareTables(documented, writers) {
  const problems = [];
  for (const [table, { created, changed }] of writers) {
    const row = documented.get(table) ?? { created: [], changed: [], why: '' };
    problems.push(...findDifferences(`rows of ${table} are created`, row.created, created));
    problems.push(...findDifferences(`rows of ${table} are changed`, row.changed, changed));
    if (!documented.has(table)) problems.push(`docs/tables.md has no line for ${table}`);
    const folders = new Set([...created, ...changed]);
    if (omitSubfolders(folders).length > 1 && row.why === '') {
      problems.push(
        `${table}: docs/tables.md must give the reason why several folders write it: ${[...folders].join(', ')}`,
      );
    }
  }
  for (const table of documented.keys())
    if (!writers.has(table)) problems.push(`docs/tables.md lists ${table}, which does not exist`);
  return problems;
}

function findDifferences(subject, documented, actual) {
  return [
    ...actual.filter((folder) => !documented.includes(folder)).map((folder) => `${subject} also by src/${folder}`),
    ...documented.filter((folder) => !actual.includes(folder)).map((folder) => `${subject} no longer by src/${folder}`),
  ];
}
