import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { cutTexts } from './cut-text.js';
import { shotOf } from './shot.js';
import { eachView, nameOf, TWO_VIEWS } from './views.js';

/** The rules of axe whose outcome hangs on colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * Checks a state of a page that no address shows, such as an open dialog, in light on a desktop and in dark on a phone: by
 * axe, that it is not wider than its window, and that no word of it is cut. What addresses show is checked by the walk
 * through all pages.
 * @param name under which screenshots of it are kept, see `shot`
 * @throws Error that names each element and the rule that it breaks
 */
export async function checkAccessible(page: Page, name?: string): Promise<void> {
  const broken: string[] = [];
  await eachView(page, TWO_VIEWS, async (view) => {
    broken.push(...(await brokenRules(page)).map((rule) => `${nameOf(view)}: ${rule}`));
    if (name) await shotOf(page, name, view);
  });
  if (broken.length > 0) throw new Error(`${new URL(page.url()).pathname} is not accessible:\n${broken.join('\n')}`);
}

/**
 * The rules that a page breaks as it stands, each with the element.
 * @param only `colours` for a page whose other scheme was checked by all rules at the same size
 */
export async function brokenRules(page: Page, only: 'all' | 'colours' = 'all'): Promise<string[]> {
  // Reading axe takes longer than running it: once a page is enough.
  const axeSource = (await page.evaluate("typeof axe === 'object'")) ? 'void 0' : undefined;
  const axe = new AxeBuilder({ page, axeSource }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  const { violations } = await (only === 'colours' ? axe.withRules(OF_COLOURS) : axe).analyze();
  const broken = violations.flatMap(({ id, impact, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => {
      return `${id} (${impact}): ${help}\n    ${target.join(' ')}\n    ${failureSummary ?? ''}`;
    }),
  );
  const overhang = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
  if (Number(overhang) > 0) broken.push(`the page is ${overhang} px wider than its window`);
  return [...broken, ...(await cutTexts(page))];
}
