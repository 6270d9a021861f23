import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Request, Response } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EVERYTHING } from '../../support/run/extent.js';
import { findViolations } from './check-accessible.js';
import { type DemoConsole, fillDemo } from './demo-console.js';
import { describeConsole } from './describe-console.js';
import type { OpenConsole } from './open-console.js';
import { takeShot } from './take-shots.js';
import { ALL_VIEWS, forEachView, TWO_VIEWS, viewName } from './views.js';

/** Five times the load time of a page on an idle machine. */
const MAX_LOAD_MS = 5_000;
/** The fastest of several loads counts, because other processes on the machine can only slow a page down. */
const MAX_RELOADS = 5;

/** Paths of forms for new items, which the list of routes does not contain. */
const FORM_ROUTES = ['/a/$accountId/campaigns/new', '/a/$accountId/automations/new'];

/**
 * Checks half of the console's pages. A second test file checks the other half of the pages in parallel.
 * @param half `even` selects the pages with even indexes in the router's list
 */
export function describeWalk(half: 'even' | 'odd', addTests?: (console: OpenConsole) => void): void {
  const dataDir = mkdtempSync(join(tmpdir(), 'heliograph-walk-'));
  describeConsole(
    `all pages with ${half} indexes in the router`,
    (console) => {
      let demo: DemoConsole;
      beforeAll(async () => {
        demo = await fillDemo(console.api, dataDir);
      });
      afterAll(() => rm(dataDir, { recursive: true, force: true }));

      it('each page has a heading and title, loads quickly, is accessible and sends no failing requests', async () => {
        const page = await console.open('/console/installation/accounts');
        await page.getByRole('heading', { level: 1 }).waitFor();
        const patterns = await listRoutes(page);
        // The test checks for three pages, to prove that the list of routes is not empty.
        expect(patterns).toEqual(expect.arrayContaining(['/me', '/a/$accountId/overview', '/installation/audit']));
        const loadTimes = new Map<string, number>();
        const problems: string[] = [];
        for (const pattern of takeHalf([...patterns, ...FORM_ROUTES], half)) {
          const report = (problem: string) => problems.push(`${pattern}: ${problem}`);
          loadTimes.set(pattern, await visit(page, console.url, pattern, demo, report));
        }
        const slow = [...loadTimes].filter(([, ms]) => ms > MAX_LOAD_MS);
        process.stdout.write(`${formatTable(loadTimes)}\n`);
        expect(problems, 'problems of pages').toEqual([]);
        expect(slow, `pages that took more than ${MAX_LOAD_MS} ms`).toEqual([]);
      }, 900_000);
      addTests?.(console);
    },
    { settings: { SEED_DEMO: 'true', DATA_DIR: dataDir, CARRIER_SECRETS_ENV: 'NOWHERE_SET' } },
  );
}

const takeHalf = (routes: readonly string[], half: 'even' | 'odd') =>
  routes.filter((_, index) => (index % 2 === 0) === (half === 'even'));

async function listRoutes(page: Page): Promise<string[]> {
  const script = 'Object.values(__TSR_ROUTER__.routesByPath).map(({ fullPath, children }) => [fullPath, !children])';
  const routes = (await page.evaluate(script)) as [string, boolean][];
  return routes.filter(([path, isPage]) => isPage && path !== '/sign-in').map(([path]) => path);
}

async function visit(
  page: Page,
  origin: string,
  pattern: string,
  { ids }: DemoConsole,
  report: (problem: string) => void,
): Promise<number> {
  const path = pattern.replaceAll(/\$(\w+)/g, (_, name: string) => {
    const id = ids[name];
    if (!id) throw new Error(`The path ${pattern} needs a ${name}. Add an item of this kind in demo-console.ts.`);
    return id;
  });
  const reportRefused = (response: Response) => {
    if (response.status() >= 400) report(`${response.status()} for ${response.url()}`);
  };
  // The live stream, which ends with each page, and aborted requests, which the page repeats, do not count as failures.
  const reportFailed = (request: Request) => {
    const error = request.failure()?.errorText;
    if (!request.url().includes('/live') && error !== 'net::ERR_ABORTED') report(`${error} for ${request.url()}`);
  };
  const load = async () => {
    await page.goto(`${origin}/console${path}`);
    return (await page.evaluate(SHOWN_AT)) as number;
  };
  let loadTime = await load();
  page.on('response', reportRefused);
  page.on('requestfailed', reportFailed);
  for (let attempt = 0; loadTime > MAX_LOAD_MS && attempt < MAX_RELOADS; attempt += 1) {
    loadTime = Math.min(loadTime, await load());
  }
  const heading = await page.getByRole('heading', { level: 1 }).first().innerText();
  const title = await page.title();
  const pageName = pattern.startsWith('/installation/') ? `Installation: ${heading}` : heading;
  const expected = heading === 'Heliograph' ? heading : `${pageName} · Heliograph`;
  if (title !== expected) report(`the title is “${title}”, the heading “${heading}”`);
  await checkPage(page, shotName(pattern), report);
  page.off('response', reportRefused);
  page.off('requestfailed', reportFailed);
  return loadTime;
}

/** Script whose value is the load time of the page, in milliseconds since navigation. */
const SHOWN_AT = `new Promise((resolve, reject) => {
  const look = () => {
    if (document.querySelector('main h1') && !document.querySelector('[aria-busy="true"]')) resolve(performance.now());
    else if (performance.now() > 60_000) reject(new Error(location.pathname + ' shows nothing'));
    else requestAnimationFrame(look);
  };
  look();
})`;

const VIEWS = EVERYTHING ? ALL_VIEWS : TWO_VIEWS;

export async function checkPage(page: Page, name: string, report: (problem: string) => void): Promise<void> {
  await forEachView(page, VIEWS, async (view, index) => {
    // Rules that do not depend on colors need to be checked only once per window size.
    const isFirstOfSize = VIEWS.findIndex(({ size }) => size === view.size) === index;
    const violations = await findViolations(page, isFirstOfSize ? 'all' : 'colours');
    for (const violation of violations) report(`${viewName(view)}: ${violation}`);
    await takeShot(page, name, view);
  });
}

/** Derives a screenshot name, for example `campaigns-one` for `/a/$accountId/campaigns/$campaignId`. */
const shotName = (pattern: string) =>
  pattern.replace('/a/$accountId', '').replaceAll(/\$\w+/g, 'one').replaceAll('/', '-').slice(1) || 'front';

function formatTable(loadTimes: ReadonlyMap<string, number>): string {
  const lines = [...loadTimes].map(([path, ms]) => `${String(Math.round(ms)).padStart(6)} ms  ${path}`);
  return ['', 'Load time of each page:', ...lines].join('\n');
}
