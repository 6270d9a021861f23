// Compares the writers of each table in src/ with docs/tables.md.
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findWrites, readSchema } from './table-writers.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** A backup writes tables of any name. */
const WRITES_ANY = ['platform/backup'];

/** @typedef {{ made: string[], changed: string[] }} Writers folders below src/ that make rows, and that change or delete them */

/**
 * Reads all of src/.
 * @returns {Promise<{ writers: Map<string, Writers>, unread: string[] }>} by table, and texts that do not name their table
 */
export async function findWriters() {
  const schema = await readSchema(join(ROOT, 'prisma/schema.prisma'));
  const found = new Map([...schema.tables].sort().map((table) => [table, { made: new Set(), changed: new Set() }]));
  const unread = [];
  const paths = await readdir(join(ROOT, 'src'), { recursive: true });
  for (const path of paths.filter((each) => each.endsWith('.ts') && !each.includes('generated')).sort()) {
    const folder = dirname(path);
    const writes = await findWrites(await readFile(join(ROOT, 'src', path), 'utf8'), schema);
    for (const table of writes.made) found.get(table).made.add(folder);
    for (const table of writes.changed) found.get(table).changed.add(folder);
    if (WRITES_ANY.includes(folder)) continue;
    for (const text of writes.unread)
      unread.push(`src/${path}: the statement must contain the name of the table it writes: ${text}`);
  }
  const writers = new Map(
    [...found].map(([table, { made, changed }]) => [table, { made: outermost(made), changed: outermost(changed) }]),
  );
  return { writers, unread };
}

/** Subfolders count as the folder of their room. */
function outermost(folders) {
  const covers = (outer, inner) => outer.includes('/') && !relative(outer, inner).startsWith('..') && outer !== inner;
  return [...folders].filter((inner) => ![...folders].some((outer) => covers(outer, inner))).sort();
}

const NOTHING = '–';
/** The lines of the tables follow it. */
const RULE = '| --- | --- | --- | --- |';
const LINE = /^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \|$/gm;

/** @returns {Map<string, Writers & { why: string }>} what the page says */
export function readTables(page) {
  const folders = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, folder]) => folder);
  return new Map(
    [...page.matchAll(LINE)].map(([, table, made, changed, why]) => [
      table,
      { made: folders(made), changed: folders(changed), why: why === NOTHING ? '' : why },
    ]),
  );
}

/** @returns {string} the page with the folders of `writers`; why there are several stays as it was */
export function writeTables(page, writers) {
  const before = readTables(page);
  const cell = (folders) => folders.map((folder) => `\`${folder}\``).join(', ') || NOTHING;
  const lines = [...writers].map(
    ([table, { made, changed }]) =>
      `| \`${table}\` | ${cell(made)} | ${cell(changed)} | ${before.get(table)?.why || NOTHING} |`,
  );
  return `${page.slice(0, page.indexOf(RULE) + RULE.length)}\n${lines.join('\n')}\n`;
}

/**
 * @param {Map<string, Writers & { why: string }>} said
 * @param {Map<string, Writers>} writers
 * @returns {string[]} where the page and src/ differ
 */
export function agree(said, writers) {
  const problems = [];
  for (const [table, { made, changed }] of writers) {
    const line = said.get(table) ?? { made: [], changed: [], why: '' };
    problems.push(...differences(`rows of ${table} are created`, line.made, made));
    problems.push(...differences(`rows of ${table} are changed`, line.changed, changed));
    if (!said.has(table)) problems.push(`docs/tables.md has no line for ${table}`);
    const folders = new Set([...made, ...changed]);
    if (outermost(folders).length > 1 && line.why === '') {
      problems.push(
        `${table}: docs/tables.md must give the reason why several folders write it: ${[...folders].join(', ')}`,
      );
    }
  }
  for (const table of said.keys())
    if (!writers.has(table)) problems.push(`docs/tables.md lists ${table}, which does not exist`);
  return problems;
}

function differences(what, said, found) {
  return [
    ...found.filter((folder) => !said.includes(folder)).map((folder) => `${what} also by src/${folder}`),
    ...said.filter((folder) => !found.includes(folder)).map((folder) => `${what} no longer by src/${folder}`),
  ];
}
