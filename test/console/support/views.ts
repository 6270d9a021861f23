import type { Page } from 'playwright-core';

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

export type Scheme = 'light' | 'dark';

/** Shows a page in both colour schemes on a desktop and on a phone, one after the other, and then as it was. */
export async function eachView(page: Page, look: (view: string, scheme: Scheme) => Promise<void>): Promise<void> {
  const before = page.viewportSize() ?? DESKTOP;
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await settled(page, scheme);
      await look(`${size.width}-${scheme}`, scheme);
    }
  }
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: 'light' });
  await settled(page, 'light');
}

/** Waits until the page has taken the scheme, and has drawn itself with it. */
async function settled(page: Page, scheme: Scheme): Promise<void> {
  await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor({ state: 'attached' });
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
}
