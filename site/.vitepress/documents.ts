import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import type { DefaultTheme } from 'vitepress';

/** The project's folder, which contains the pages. */
export const PROJECT = resolve(import.meta.dirname, '../..');

/** README.md is for the git host. In the site, links to it lead to this page, which comes first. */
export const FIRST_PAGE = 'docs/start/what-it-is.md';

/** Pages outside docs/, and those with another path in the site. */
const OTHER_PAGES: Record<string, string> = {
  [FIRST_PAGE]: 'index.md',
  'CONTRIBUTING.md': 'contributing.md',
  'CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'security.md',
  'bench/README.md': 'benchmarks.md',
  'docs/README.md': 'documents.md',
};

/** How many sections are unfolded on every page. */
const OPEN_SECTIONS = 3;

/** config.ts copies it from dist. The repository has only the digest of its operations. */
const OPENAPI = { text: 'OpenAPI document', link: '/openapi.json', target: '_blank' };

/** Every page of the site, by path from the project's folder. */
export const PAGES = new Set([...Object.keys(OTHER_PAGES), ...listPages('docs')]);

/** Lists patterns of files in the project's folder that are not part of the site. */
export function listExcludedFiles(): string[] {
  const entries = readdirSync(PROJECT, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !['docs', 'bench'].includes(entry.name));
  const pages = entries.filter(({ name }) => name.endsWith('.md') && !PAGES.has(name));
  return [...folders.map(({ name }) => `${name}/**`), ...pages.map(({ name }) => name)];
}

/** Returns the path of a page in the site: `docs/send/sms.md` becomes `send/sms.md`, and a README.md the index of its folder. */
export function toSitePath(page: string): string {
  return OTHER_PAGES[page] ?? page.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');
}

/** Lists the sections of docs/README.md in their order, then pages about the whole project. */
export function createSidebar(): DefaultTheme.SidebarItem[] {
  const items = listSections().map(({ title, pages }, index) => ({
    text: title,
    collapsed: index >= OPEN_SECTIONS,
    items: [...pages.map(({ page }) => createItem(page)), ...(title === 'Reference' ? [OPENAPI] : [])],
  }));
  const decisions = [...PAGES].filter((page) => /^docs\/decisions\/\d/.test(page)).sort();
  return [
    ...items,
    { text: 'Decisions', collapsed: true, items: decisions.map((page) => createItem(page)) },
    { items: [createItem('docs/README.md', 'All pages'), createItem('CHANGELOG.md'), createItem('SECURITY.md')] },
  ];
}

/** Reads the description of a page from docs/README.md, for search engines and previews. */
export function findDescription(page: string): string | undefined {
  return parseList(readPage('docs/README.md')).find((entry) => entry.page === page)?.description;
}

function createItem(page: string, text = readTitle(page)): DefaultTheme.SidebarItem {
  return { text, link: `/${toSitePath(page).replace(/(?:(?<=^|\/)index)?\.md$/, '')}` };
}

/** @throws if the page has no title */
export function readTitle(page: string): string {
  const [, title] = /^# (.+)$/m.exec(readPage(page)) ?? [];
  if (!title) throw new Error(`${page} has no title`);
  return title.replaceAll('`', '');
}

/** Lists the pages of docs/README.md by section. */
export function listSections(): { title: string; pages: { page: string; description: string }[] }[] {
  return readPage('docs/README.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => ({ title: section.split('\n', 1)[0] as string, pages: parseList(section) }));
}

/** Parses the pages in a list of docs/README.md. Leaves out other links, such as the OpenAPI document. */
function parseList(list: string): { page: string; description: string }[] {
  return [...list.matchAll(/^- \[[^\]]+\]\(([^)]+)\): (.+(?:\n {2}.+)*)$/gm)]
    .map(([, target = '', description = '']) => ({
      page: posix.join('docs', target),
      description: description.replace(/\s+/g, ' ').replaceAll('`', ''),
    }))
    .filter(({ page }) => PAGES.has(page));
}

function listPages(folder: string): string[] {
  return readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')));
}

export function readPage(page: string): string {
  return readFileSync(join(PROJECT, page), 'utf8');
}
