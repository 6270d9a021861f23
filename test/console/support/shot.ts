import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { DESKTOP, PHONE } from './views.js';

/** Kept beside the repository's own folders, and by CI; git ignores it. */
export const SHOTS = join(import.meta.dirname, '../../../screenshots');

/**
 * Keeps what a page looks like, whole, on a desktop and on a phone: `screenshots/<name>-1280.png` and `-390.png`.
 * @param name of the page, such as `carriers`, and perhaps what is seen of it
 */
export async function shot(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true });
  const before = page.viewportSize() ?? DESKTOP;
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    await page.screenshot({ path: join(SHOTS, `${name}-${size.width}.png`), fullPage: true, animations: 'disabled' });
  }
  await page.setViewportSize(before);
}
