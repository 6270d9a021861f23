import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

/** Every folder below one that git knows, with its path from the root of the repository. */
function foldersIn(top: string): string[] {
  return readdirSync(join(ROOT, top), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .filter((path) => !path.includes('generated'));
}

/** The lines of the list of folders: what each says of those that lie in it. */
const LISTED = new Map(
  [...PAGE.matchAll(/^\| `((?:src|console)\/[\w/-]+)\/` \| (.*) \|$/gm)].map(([, path = '', text = '']) => [
    path,
    text,
  ]),
);

describe('the list of folders in docs/architecture.md', () => {
  const folders = [...foldersIn('src').filter((path) => path.split('/').length > 2), ...foldersIn('console/src')];

  it('names each that there is: those of rooms by a line, deeper ones in the line of theirs', () => {
    const missing = folders.filter((path) => {
      const line = LISTED.get(path.split('/').slice(0, 3).join('/'));
      return line === undefined || (path.split('/').length > 3 && !line.includes(`\`${basename(path)}/\``));
    });
    expect(folders.length).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  it('names none that is gone', () => {
    const gone = [...LISTED].flatMap(([path, text]) => [
      ...(existsSync(join(ROOT, path)) ? [] : [path]),
      ...[...text.matchAll(/`([\w-]+)\/`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !folders.some((folder) => folder.startsWith(`${path}/`) && basename(folder) === name)),
    ]);
    expect(LISTED.size).toBeGreaterThan(60);
    expect(gone).toEqual([]);
  });
});

describe('paths of src/ and console/ in docs/architecture.md', () => {
  it('lead somewhere', () => {
    const paths = [...PAGE.matchAll(/`((?:src|console|test|scripts|prisma|deploy|site)\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.length).toBeGreaterThan(150);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
