// Checks that every link, image and anchor of the built site has a target, and that nothing is loaded from other servers.
// VitePress itself checks only links between pages.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

const DIST = join(import.meta.dirname, 'dist');
const BASE = process.env.DOCS_BASE ?? '/';

const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
const pages = new Map(
  files.filter((name) => name.endsWith('.html')).map((name) => [name, readFileSync(join(DIST, name), 'utf8')]),
);
const idsByPage = new Map(
  [...pages].map(([name, html]) => [name, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]),
);

/** Returns the problem with a link, or null. */
function findProblem(page, link) {
  const [, path, anchor] = /^([^#?]*)(?:\?[^#]*)?(?:#(.*))?$/.exec(link.replaceAll('&amp;', '&')) ?? [];
  if (path.startsWith('/') && !path.startsWith(BASE)) return `is outside ${BASE}`;
  const inSite = path.startsWith('/') ? path.slice(BASE.length) : posix.join(posix.dirname(page), path);
  const target = path === '' ? page : [inSite, `${inSite}.html`, posix.join(inSite, 'index.html')].find(isFile);
  if (!target) return 'has no target';
  if (anchor && !idsByPage.get(target)?.has(decodeURIComponent(anchor))) return 'has an anchor without a heading';
  return null;
}

const isFile = (name) => existsSync(join(DIST, name)) && statSync(join(DIST, name)).isFile();

const problems = [];
let links = 0;
for (const [page, html] of pages) {
  for (const [tag, name, attribute, link] of html.matchAll(/<(\w+)\b[^>]*?\s(href|src)="([^"]*)"/g)) {
    if (link.startsWith('data:') || (name === 'a' && attribute === 'href' && /^[a-z]+:/i.test(link))) continue;
    links += 1;
    const problem = /^(?:[a-z]+:)?\/\//i.test(link) ? 'would be loaded from another server' : findProblem(page, link);
    if (problem) problems.push(`${page}: ${link} ${problem} (${tag.slice(0, 120)})`);
  }
  if (!/<title>.+<\/title>/.test(html)) problems.push(`${page}: no title`);
  if (!/<meta name="description" content=".+">/.test(html)) problems.push(`${page}: no description`);
}
for (const name of files.filter((file) => file.endsWith('.css'))) {
  const external = readFileSync(join(DIST, name), 'utf8').match(/url\(["']?(?:https?:)?\/\/[^)]*\)|@import[^;]*/);
  if (external) problems.push(`${name}: ${external[0]} would be loaded from another server`);
}

if (pages.size < 20 || links < 1000) problems.push(`only ${pages.size} pages with ${links} links were built`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${pages.size} pages, ${links} links: all have a target.`);
