import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { toAnchor } from '../../scripts/lib/api-pages/operation.mjs';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';
import { suiteApp } from '../support/suite.js';

/** Paths that are not routes of the API: the image's volume and the path of the metrics listener. */
const OTHER_PATHS = ['/data', '/metrics', '/l', '/l/'];

const heliograph = suiteApp({ role: 'api' });

/** Lists routes in the form `GET /a/{}`, and those of Surface B with and without their prefix. */
async function listRoutes(): Promise<string[]> {
  const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json() as { paths: Record<string, object> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`),
  );
  const pages = ['/openapi.json', '/reference', '/console'].map((path) => `GET ${path}`);
  // The OpenAPI document does not contain the callbacks of carriers.
  const callbacks = (['GET', 'POST'] as const)
    .filter((method) => heliograph.app.hasRoute({ method, url: '/callbacks/whatsapp-cloud/:carrier' }))
    .map((method) => `${method} /callbacks/whatsapp-cloud/{}`);
  return [...operations, ...pages, ...callbacks].flatMap((route) => [route, route.replace(' /api/v1', ' ')]);
}

const documents = [
  ...readdirSync(PROJECT_FOLDER).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(PROJECT_FOLDER, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
].map((name) => ({ name, text: readFileSync(join(PROJECT_FOLDER, name), 'utf8') }));

it('README.md and docs name only existing routes', async () => {
  const routes = await listRoutes();
  const isKnown = (method: string | undefined, path: string) =>
    routes.some((route) => (method ? route === `${method} ${path}` : `${route.split(' ')[1]}/`.startsWith(`${path}/`)));
  const unknown = documents.flatMap(({ name, text }) => {
    return [...text.matchAll(/`(?:(GET|POST|PUT|DELETE) )?(\/[^`\s]*)`/g)]
      .filter(([, method, path = '']) => {
        return !OTHER_PATHS.includes(path) && !isKnown(method, path.replace(/:\w+|\{\w+\}|<\w+>/g, '{}'));
      })
      .map(([span]) => `${name}: ${span}`);
  });
  expect(unknown).toEqual([]);
  for (const url of ['/reference', '/openapi.json']) {
    expect((await heliograph.app.inject({ url })).statusCode).toBeLessThan(400);
  }
});

it('every page names only existing files and folders', () => {
  const namedPaths = documents.flatMap(({ name, text }) =>
    [...text.matchAll(/`((?:src|test|prisma|scripts|bench|docs)\/[^`\s]*)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => !path.includes('<'))
      // Patterns are cut off before the first segment with a placeholder.
      .map((path) => path.replace(/[^/]*[*{].*$/, ''))
      .map((path) => ({ name, path })),
  );
  expect(namedPaths.length).toBeGreaterThan(50);
  expect(namedPaths.filter(({ path }) => !existsSync(join(PROJECT_FOLDER, path)))).toEqual([]);
});

const listLinks = ({ name, text }: (typeof documents)[number]) =>
  [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = '']) => join(dirname(name), target));

it('every link of a page leads to an existing file', () => {
  const links = documents.flatMap((page) => listLinks(page).map((target) => ({ name: page.name, target })));
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter(({ target }) => !existsSync(join(PROJECT_FOLDER, target)))).toEqual([]);
});

/** Headings outside code, as the anchors that git hosts and the site give them. */
function listAnchors(text: string): Set<string> {
  const counts = new Map<string, number>();
  const headings = text.replace(/^(`{3,})[\s\S]*?^\1/gm, '').matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) => {
      const anchor = toAnchor(heading.replace(/\]\([^)]*\)/g, ''));
      const count = counts.get(anchor) ?? 0;
      counts.set(anchor, count + 1);
      return count === 0 ? anchor : `${anchor}-${count}`;
    }),
  );
}

it('every anchor of a link is a heading of its page', () => {
  const anchors = new Map<string, Set<string>>();
  const hasAnchor = (target: string, anchor: string) => {
    const targetAnchors = anchors.get(target) ?? listAnchors(readFileSync(join(PROJECT_FOLDER, target), 'utf8'));
    anchors.set(target, targetAnchors);
    return targetAnchors.has(decodeURIComponent(anchor));
  };
  const links = documents.flatMap(({ name, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)].map(([, path = '', anchor = '']) => {
      return { name, target: path === '' ? name : join(dirname(name), path), anchor };
    }),
  );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ target, anchor }) => !hasAnchor(target, anchor))).toEqual([]);
});

it('every table has as many cells in its header as columns, because Markdown otherwise shows it as text', () => {
  const countCells = (line: string) => line.replaceAll('\\|', '').split('|').length;
  const tables = documents.flatMap(({ name, text }) =>
    [...text.matchAll(/^(\|.+\|)\n(\|[ :|-]+\|)$/gm)].map(([, header = '', columns = '']) => ({
      name,
      header,
      columns,
    })),
  );
  expect(tables.length).toBeGreaterThan(100);
  expect(tables.filter(({ header, columns }) => countCells(header) !== countCells(columns))).toEqual([]);
});

it('docs/README.md or the README.md of its folder lists every page of docs', () => {
  const pages = documents
    .map(({ name }) => name)
    .filter((name) => name.startsWith('docs/') && name !== 'docs/README.md');
  expect(pages.length).toBeGreaterThan(20);
  const isListed = (page: string) =>
    documents.some(
      (index) =>
        ['docs/README.md', join(dirname(page), 'README.md')].includes(index.name) && listLinks(index).includes(page),
    );
  expect(pages.filter((page) => !isListed(page))).toEqual([]);
});
