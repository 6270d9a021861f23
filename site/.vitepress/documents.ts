import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import type { DefaultTheme } from 'vitepress';

/** The project's folder, which contains the pages. */
export const PROJECT = resolve(import.meta.dirname, '../..');

/** Pages outside docs/, with their paths in the site. */
const OTHER_PAGES: Record<string, string> = {
  'README.md': 'index.md',
  'CONTRIBUTING.md': 'contributing.md',
  'CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'security.md',
  'bench/README.md': 'benchmarks.md',
  'docs/README.md': 'documents.md',
};

/** config.ts copies it from dist. The repository has only the digest of its operations. */
const OPENAPI = { text: 'OpenAPI document', link: '/openapi.json', target: '_blank' };

/** Every page of the site, by path from the project's folder. */
export const PAGES = new Set([...Object.keys(OTHER_PAGES), ...pagesBelow('docs')]);

/** Patterns of files in the project's folder that are not part of the site. */
export function excluded(): string[] {
  const entries = readdirSync(PROJECT, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !['docs', 'bench'].includes(entry.name));
  const pages = entries.filter(({ name }) => name.endsWith('.md') && !PAGES.has(name));
  return [...folders.map(({ name }) => `${name}/**`), ...pages.map(({ name }) => name)];
}

/** The path of a page in the site: `docs/store.md` becomes `store.md`, and a README.md the index of its folder. */
export function placeOf(page: string): string {
  return OTHER_PAGES[page] ?? page.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');
}

/** Pages about the whole project, then the groups of docs/README.md in their order. */
export function sidebar(): DefaultTheme.SidebarItem[] {
  const groups = [...read('docs/README.md').matchAll(/^(For .+):\n\n((?:- .+\n(?: {2}.+\n)*)+)/gm)];
  const items = groups.map(([, text = '', list = '']) => ({
    text,
    items: [
      ...listed(list).map(({ page }) => item(page)),
      ...(list.includes('](openapi-digest.txt)') ? [OPENAPI] : []),
    ],
  }));
  const decisions = [...PAGES].filter((page) => /^docs\/decisions\/\d/.test(page)).sort();
  return [
    { items: [item('README.md', 'Start here'), item('docs/README.md'), item('CHANGELOG.md'), item('SECURITY.md')] },
    ...items,
    { text: 'Decisions', collapsed: true, items: decisions.map((page) => item(page)) },
  ];
}

/** The description of a page in docs/README.md, for search engines and previews. */
export function descriptionOf(page: string): string | undefined {
  return listed(read('docs/README.md')).find((each) => each.page === page)?.description;
}

function item(page: string, text = titleOf(page)): DefaultTheme.SidebarItem {
  return { text, link: `/${placeOf(page).replace(/(?:(?<=^|\/)index)?\.md$/, '')}` };
}

/** @throws if the page has no title */
export function titleOf(page: string): string {
  const [, title] = /^# (.+)$/m.exec(read(page)) ?? [];
  if (!title) throw new Error(`${page} has no title`);
  return title.replaceAll('`', '');
}

/** The pages in a list of docs/README.md, without other links such as the OpenAPI document. */
function listed(list: string): { page: string; description: string }[] {
  return [...list.matchAll(/^- \[[^\]]+\]\(([^)]+)\): (.+(?:\n {2}.+)*)$/gm)]
    .map(([, target = '', description = '']) => ({
      page: posix.join('docs', target),
      description: description.replace(/\s+/g, ' ').replaceAll('`', ''),
    }))
    .filter(({ page }) => PAGES.has(page));
}

function pagesBelow(folder: string): string[] {
  return readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')));
}

function read(page: string): string {
  return readFileSync(join(PROJECT, page), 'utf8');
}
