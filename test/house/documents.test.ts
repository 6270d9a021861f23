import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';
import { suiteApp } from '../support/suite.js';

/** Paths outside the API: the image's volume, and the separate listener for metrics. */
const OTHER_PATHS = ['/data', '/metrics'];

const heliograph = suiteApp({ role: 'api' });

/** `GET /a/{}` of every operation, with and without the prefix of Surface B, and the reference. */
async function listRoutes(): Promise<string[]> {
  const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json() as { paths: Record<string, object> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`),
  );
  const pages = ['/openapi.json', '/reference', '/console'].map((path) => `GET ${path}`);
  // Carriers call these; they are not in the OpenAPI document.
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
      // Cuts a pattern at its first placeholder.
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

it('every page of docs is in the README.md of its folder, and every README.md in the one above it', () => {
  const pages = documents.map(({ name }) => name).filter((name) => name.startsWith('docs/'));
  expect(pages.length).toBeGreaterThan(20);
  const isListed = (page: string) => {
    const folder = basename(page) === 'README.md' ? dirname(dirname(page)) : dirname(page);
    const index = documents.find(({ name }) => name === join(folder, 'README.md'));
    return index !== undefined && listLinks(index).includes(page);
  };
  expect(pages.filter((page) => !isListed(page))).toEqual([]);
});
