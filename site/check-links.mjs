// Checks the built site: every link, image and anchor in it leads somewhere, and nothing is fetched from elsewhere.
// VitePress itself checks links between pages, and no anchors.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

const DIST = join(import.meta.dirname, 'dist');
const BASE = process.env.DOCS_BASE ?? '/';

const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
const pages = new Map(
  files.filter((name) => name.endsWith('.html')).map((name) => [name, readFileSync(join(DIST, name), 'utf8')]),
);
const idsOf = new Map(
  [...pages].map(([name, html]) => [name, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]),
);

/** What is wrong with a link of a page, or nothing. */
function wrongWith(page, link) {
  const [, path, anchor] = /^([^#?]*)(?:\?[^#]*)?(?:#(.*))?$/.exec(link.replaceAll('&amp;', '&')) ?? [];
  if (path.startsWith('/') && !path.startsWith(BASE)) return `is outside of ${BASE}`;
  const inSite = path.startsWith('/') ? path.slice(BASE.length) : posix.join(posix.dirname(page), path);
  const found = path === '' ? page : [inSite, `${inSite}.html`, posix.join(inSite, 'index.html')].find(isFile);
  if (!found) return 'leads nowhere';
  if (anchor && !idsOf.get(found)?.has(decodeURIComponent(anchor))) return 'names no heading';
  return null;
}

const isFile = (name) => existsSync(join(DIST, name)) && statSync(join(DIST, name)).isFile();

const faults = [];
let links = 0;
for (const [page, html] of pages) {
  for (const [tag, name, attribute, link] of html.matchAll(/<(\w+)\b[^>]*?\s(href|src)="([^"]*)"/g)) {
    if (link.startsWith('data:') || (name === 'a' && attribute === 'href' && /^[a-z]+:/i.test(link))) continue;
    links += 1;
    const fault = /^(?:[a-z]+:)?\/\//i.test(link) ? 'would be fetched from elsewhere' : wrongWith(page, link);
    if (fault) faults.push(`${page}: ${link} ${fault} (${tag.slice(0, 120)})`);
  }
  if (!/<title>.+<\/title>/.test(html)) faults.push(`${page}: no title`);
  if (!/<meta name="description" content=".+">/.test(html)) faults.push(`${page}: no description`);
}
for (const name of files.filter((each) => each.endsWith('.css'))) {
  const elsewhere = readFileSync(join(DIST, name), 'utf8').match(/url\(["']?(?:https?:)?\/\/[^)]*\)|@import[^;]*/);
  if (elsewhere) faults.push(`${name}: ${elsewhere[0]} would be fetched from elsewhere`);
}

if (pages.size < 20 || links < 1000) faults.push(`only ${pages.size} pages with ${links} links were built`);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log(`${pages.size} pages, ${links} links: all lead somewhere.`);
