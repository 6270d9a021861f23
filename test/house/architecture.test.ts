import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const PAGE = readFileSync(join(PROJECT_FOLDER, 'docs/architecture.md'), 'utf8');

function foldersIn(top: string): string[] {
  return readdirSync(join(PROJECT_FOLDER, top), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(PROJECT_FOLDER.length))
    .filter((path) => !path.includes('generated'));
}

/** Descriptions of subfolders, by the documented folder that contains them. */
const LISTED = new Map(
  [...PAGE.matchAll(/^\| `((?:src|console)\/[\w/-]+)\/` \| (.*) \|$/gm)].map(([, path = '', text = '']) => [
    path,
    text,
  ]),
);

function findMissing(path: string): string[] {
  const [line, ...subfolders] = [path.split('/').slice(0, 3).join('/'), ...path.split('/').slice(3)];
  const text = LISTED.get(line);
  if (subfolders.length === 0) return text === undefined ? [`a line: | \`${line}/\` | what it holds |`] : [];
  const name = basename(path);
  if (text?.includes(`\`${name}/\``)) return [];
  return [`in the line of \`${line}/\`: \`${name}/\` and what it holds, for ${path}/`];
}

describe('the list of folders in docs/architecture.md', () => {
  const folders = [...foldersIn('src').filter((path) => path.split('/').length > 2), ...foldersIn('console/src')];

  it('contains every folder: those directly in a room as a line, deeper ones within that line', () => {
    expect(folders.length).toBeGreaterThan(100);
    expect(folders.flatMap(findMissing), 'docs/architecture.md lacks these').toEqual([]);
  });

  it('reports a missing folder with the line to add', () => {
    expect(findMissing('src/features/letters')).toEqual(['a line: | `src/features/letters/` | what it holds |']);
    expect(findMissing('src/features/webhooks/letters')).toEqual([
      'in the line of `src/features/webhooks/`: `letters/` and what it holds, for src/features/webhooks/letters/',
    ]);
  });

  it('contains no folder that does not exist', () => {
    const missing = [...LISTED].flatMap(([path, text]) => [
      ...(existsSync(join(PROJECT_FOLDER, path)) ? [] : [`the line of \`${path}/\``]),
      ...[...text.matchAll(/`([\w-]+)\/`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !folders.some((folder) => folder.startsWith(`${path}/`) && basename(folder) === name))
        .map((name) => `\`${name}/\` in the line of \`${path}/\``),
    ]);
    expect(LISTED.size).toBeGreaterThan(60);
    expect(missing, 'docs/architecture.md still names these').toEqual([]);
  });
});

describe('paths of src/ and console/ in docs/architecture.md', () => {
  it('exist', () => {
    const paths = [...PAGE.matchAll(/`((?:src|console|test|scripts|prisma|deploy|site)\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.length).toBeGreaterThan(150);
    expect(paths.filter((path) => !existsSync(join(PROJECT_FOLDER, path)))).toEqual([]);
  });

  it('exist in the tables of steps too, which omit src/', () => {
    const sections = [...PAGE.matchAll(/^## (?:From `POST|The way of) .*?(?=^## )/gms)].map(([walk]) => walk);
    const paths = sections.flatMap((section) =>
      [
        ...section.matchAll(
          /(?<![\w/])(?:console\/src|(?:src\/)?(?:surfaces|features|messages|carriers|accounts|platform|process))\/[\w./-]*/g,
        ),
      ].map(([path]) => (/^(?:console|src)\//.test(path) ? path : `src/${path}`)),
    );
    expect(sections).toHaveLength(2);
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !existsSync(join(PROJECT_FOLDER, path)))).toEqual([]);
  });
});
