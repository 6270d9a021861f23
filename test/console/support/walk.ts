import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Request, Response } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EVERYTHING } from '../../support/run/extent.js';
import { brokenRules } from './check-accessible.js';
import { type DemoConsole, fillDemo } from './demo-console.js';
import { describeConsole } from './describe-console.js';
import type { OpenConsole } from './open-console.js';
import { shotOf } from './shot.js';
import { ALL_VIEWS, eachView, nameOf, TWO_VIEWS } from './views.js';

/** How soon a page shows its first data, in milliseconds. It takes a fifth of it where nothing else is running. */
const SOON_MS = 5_000;
/** Loads of a page that took longer: of these the fastest counts, for what else runs on the machine only adds to it. */
const MORE_LOADS = 5;

/** Addresses that show something else than the ids of `DemoConsole` do. */
const FURTHER = ['/a/$accountId/campaigns/new', '/a/$accountId/automations/new'];

/**
 * A suite that opens every second page of the console, so that two files, each the half, run beside each other.
 * @param half the pages at even places of the router's list, the first among them, or those at odd ones
 * @param more further tests of the suite
 */
export function describeWalk(half: 'even' | 'odd', more?: (console: OpenConsole) => void): void {
  const dataDir = mkdtempSync(join(tmpdir(), 'heliograph-walk-'));
  describeConsole(
    `every page of the console at an ${half} place of its router`,
    (console) => {
      let demo: DemoConsole;
      beforeAll(async () => {
        demo = await fillDemo(console.api, dataDir);
      });
      afterAll(() => rm(dataDir, { recursive: true, force: true }));

      it('has a heading and a title, is there soon, breaks no rule of axe, and asks for nothing in vain', async () => {
        const page = await console.open('/console/installation/accounts');
        await page.getByRole('heading', { level: 1 }).waitFor();
        const patterns = await addressesOf(page);
        // A new kind of page is in it by itself; that the list is read at all, these few tell.
        expect(patterns).toEqual(expect.arrayContaining(['/me', '/a/$accountId/overview', '/installation/audit']));
        const took = new Map<string, number>();
        const wrong: string[] = [];
        for (const pattern of halfOf([...patterns, ...FURTHER], half)) {
          const tell = (problem: string) => wrong.push(`${pattern}: ${problem}`);
          took.set(pattern, await visit(page, console.url, pattern, demo, tell));
        }
        const slow = [...took].filter(([, ms]) => ms > SOON_MS);
        process.stdout.write(`${tableOf(took)}\n`);
        expect(wrong, 'what is wrong with pages').toEqual([]);
        expect(slow, `pages that took more than ${SOON_MS} ms`).toEqual([]);
      }, 900_000);
      more?.(console);
    },
    { settings: { SEED_DEMO: 'true', DATA_DIR: dataDir, CARRIER_SECRETS_ENV: 'NOWHERE_SET' } },
  );
}

const halfOf = (all: readonly string[], half: 'even' | 'odd') =>
  all.filter((_, index) => (index % 2 === 0) === (half === 'even'));

/** The addresses of the router that runs in the page, such as `/a/$accountId/overview`, without the sign-in. */
async function addressesOf(page: Page): Promise<string[]> {
  const script = 'Object.values(__TSR_ROUTER__.routesByPath).map(({ fullPath, children }) => [fullPath, !children])';
  const routes = (await page.evaluate(script)) as [string, boolean][];
  return routes.filter(([path, isPage]) => isPage && path !== '/sign-in').map(([path]) => path);
}

/** @returns the milliseconds until its first data was there */
async function visit(
  page: Page,
  origin: string,
  pattern: string,
  { ids }: DemoConsole,
  tell: (problem: string) => void,
): Promise<number> {
  const path = pattern.replaceAll(/\$(\w+)/g, (_, name: string) => {
    const id = ids[name];
    if (!id) throw new Error(`${pattern} needs a thing of a new kind: make one in demo-console.ts`);
    return id;
  });
  const refused = (response: Response) => {
    if (response.status() >= 400) tell(`${response.status()} of ${response.url()}`);
  };
  // The live stream ends with each page; what has become stale on its way is given up, and asked for again.
  const failed = (request: Request) => {
    const error = request.failure()?.errorText;
    if (!request.url().includes('/live') && error !== 'net::ERR_ABORTED') tell(`${error} of ${request.url()}`);
  };
  const load = async () => {
    await page.goto(`${origin}/console${path}`);
    return (await page.evaluate(SHOWN_AT)) as number;
  };
  let took = await load();
  page.on('response', refused);
  page.on('requestfailed', failed);
  for (let times = 0; took > SOON_MS && times < MORE_LOADS; times += 1) took = Math.min(took, await load());
  const heading = await page.getByRole('heading', { level: 1 }).first().innerText();
  const title = await page.title();
  const named = pattern.startsWith('/installation/') ? `Installation: ${heading}` : heading;
  const expected = heading === 'Heliograph' ? heading : `${named} · Heliograph`;
  if (title !== expected) tell(`its title is “${title}”, its heading “${heading}”`);
  await lookAt(page, nameOfShot(pattern), tell);
  page.off('response', refused);
  page.off('requestfailed', failed);
  return took;
}

/** Waits until the page has its heading and waits for nothing more: the milliseconds since it was asked for. */
const SHOWN_AT = `new Promise((shown, never) => {
  const look = () => {
    if (document.querySelector('main h1') && !document.querySelector('[aria-busy="true"]')) shown(performance.now());
    else if (performance.now() > 60_000) never(new Error(location.pathname + ' shows nothing'));
    else requestAnimationFrame(look);
  };
  look();
})`;

/** Both sizes, each in one scheme; where everything runs, each in both. */
const VIEWS = EVERYTHING ? ALL_VIEWS : TWO_VIEWS;

/** Looks at a page in every view. */
export async function lookAt(page: Page, name: string, tell: (problem: string) => void): Promise<void> {
  await eachView(page, VIEWS, async (view, index) => {
    // What no colour decides is the same in both schemes.
    const isFirstOfSize = VIEWS.findIndex(({ size }) => size === view.size) === index;
    const broken = await brokenRules(page, isFirstOfSize ? 'all' : 'colours');
    for (const each of broken) tell(`${nameOf(view)}: ${each}`);
    await shotOf(page, name, view);
  });
}

/** `/a/$accountId/campaigns/$campaignId` is `campaigns-one`. */
const nameOfShot = (pattern: string) =>
  pattern.replace('/a/$accountId', '').replaceAll(/\$\w+/g, 'one').replaceAll('/', '-').slice(1) || 'front';

function tableOf(took: ReadonlyMap<string, number>): string {
  const lines = [...took].map(([path, ms]) => `${String(Math.round(ms)).padStart(6)} ms  ${path}`);
  return ['', 'First data of each page:', ...lines].join('\n');
}
