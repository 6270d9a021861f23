import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { forEachView, TWO_VIEWS, type View, viewName } from './views.js';

/** Folder that Git ignores and CI stores as an artifact. */
export const SHOTS = join(import.meta.dirname, '../../../screenshots');

/** Saves, for example, `screenshots/carrier-check-1280-light.png` and `screenshots/carrier-check-390-dark.png`. */
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
