import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eachView, nameOf, TWO_VIEWS, type View } from './views.js';

/** Kept beside the repository's own folders, and by CI; git ignores it. */
export const SHOTS = join(import.meta.dirname, '../../../screenshots');

/**
 * Keeps what a page looks like, whole, in light on a desktop and in dark on a phone: `screenshots/<name>-1280-light.png`
 * and `-390-dark.png`.
 * @param name of the page, such as `carriers`, and what is seen of it
 */
export async function shot(page: Page, name: string): Promise<void> {
  await eachView(page, TWO_VIEWS, (view) => shotOf(page, name, view));
}

/** Keeps what a page looks like as it stands in a view. */
export async function shotOf(page: Page, name: string, view: View): Promise<void> {
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({
    path: join(SHOTS, `${name}-${nameOf(view)}.png`),
    fullPage: true,
    animations: 'disabled',
  });
}
