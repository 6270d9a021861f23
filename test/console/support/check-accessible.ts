import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { eachView } from './views.js';

/**
 * Checks a page as it stands, in light and dark, on a desktop and on a phone: by axe, and that it is not wider than its
 * window.
 * @throws Error that names each element and the rule that it breaks
 */
export async function checkAccessible(page: Page): Promise<void> {
  const broken: string[] = [];
  await eachView(page, async (view) => {
    const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
    for (const { id, impact, help, nodes } of violations) {
      for (const { target, failureSummary } of nodes) {
        broken.push(`${view}: ${id} (${impact}): ${help}\n    ${target.join(' ')}\n    ${failureSummary ?? ''}`);
      }
    }
    const overhang = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    if (Number(overhang) > 0) broken.push(`${view}: the page is ${overhang} px wider than its window`);
  });
  if (broken.length > 0) throw new Error(`${new URL(page.url()).pathname} is not accessible:\n${broken.join('\n')}`);
}
