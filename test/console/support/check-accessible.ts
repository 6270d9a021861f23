import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { findTruncatedTexts } from './cut-text.js';
import { takeShot } from './take-shots.js';
import { forEachView, TWO_VIEWS, viewName } from './views.js';

const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Checks a page state that has no URL, such as an open dialog. Pages with URLs are checked by `describeWalk`.
 * @throws Error that lists the inaccessible elements and the rules that they violate
 */
export async function checkAccessible(page: Page, name?: string): Promise<void> {
  const problems: string[] = [];
  await forEachView(page, TWO_VIEWS, async (view) => {
    problems.push(...(await findViolations(page)).map((rule) => `${viewName(view)}: ${rule}`));
    if (name) await takeShot(page, name, view);
  });
  if (problems.length > 0)
    throw new Error(`${new URL(page.url()).pathname} is not accessible:\n${problems.join('\n')}`);
}

/** @param only `colours` suffices for a page that was fully checked in the other color scheme */
export async function findViolations(page: Page, only: 'all' | 'colours' = 'all'): Promise<string[]> {
  // Loading axe takes longer than running it, so axe is loaded only once per page.
  const axeSource = (await page.evaluate("typeof axe === 'object'")) ? 'void 0' : undefined;
  const axe = new AxeBuilder({ page, axeSource }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  const { violations } = await (only === 'colours' ? axe.withRules(COLOR_RULES) : axe).analyze();
  const problems = violations.flatMap(({ id, impact, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => {
      return `${id} (${impact}): ${help}\n    ${target.join(' ')}\n    ${failureSummary ?? ''}`;
    }),
  );
  const overhang = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
  if (Number(overhang) > 0) problems.push(`the page is ${overhang} px wider than its window`);
  return [...problems, ...(await findTruncatedTexts(page))];
}
