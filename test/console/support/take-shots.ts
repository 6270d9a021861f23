import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { forEachView, TWO_VIEWS, type View, viewName } from './views.js';

/** Ignored by Git; CI stores it as an artifact. */
export const SHOTS = join(import.meta.dirname, '../../../screenshots');

/**
 * Takes `screenshots/<name>-1280-light.png` and `-390-dark.png`.
 * @param name page and state, for example `carrier-check`
 */
export async function takeShots(page: Page, name: string): Promise<void> {
  await forEachView(page, TWO_VIEWS, (view) => takeShot(page, name, view));
}

export async function takeShot(page: Page, name: string, view: View): Promise<void> {
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({
    path: join(SHOTS, `${name}-${viewName(view)}.png`),
    fullPage: true,
    animations: 'disabled',
  });
}
