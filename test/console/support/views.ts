import type { Page } from 'playwright-core';

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

export type Scheme = 'light' | 'dark';

export interface View {
  size: typeof DESKTOP;
  scheme: Scheme;
}

const [DESKTOP_LIGHT, PHONE_DARK] = [
  { size: DESKTOP, scheme: 'light' },
  { size: PHONE, scheme: 'dark' },
] as const;

export const TWO_VIEWS: readonly View[] = [DESKTOP_LIGHT, PHONE_DARK];

export const ALL_VIEWS: readonly View[] = [
  DESKTOP_LIGHT,
  { size: DESKTOP, scheme: 'dark' },
  PHONE_DARK,
  { size: PHONE, scheme: 'light' },
];

/** For example `390-dark`. */
export const viewName = ({ size, scheme }: View) => `${size.width}-${scheme}`;

export async function forEachView(
  page: Page,
  views: readonly View[],
  check: (view: View, index: number) => Promise<void>,
): Promise<void> {
  const originalSize = page.viewportSize() ?? DESKTOP;
  for (const [index, view] of views.entries()) {
    await page.setViewportSize(view.size);
    await page.emulateMedia({ colorScheme: view.scheme });
    await waitForRendering(page, view.scheme);
    await check(view, index);
  }
  await page.setViewportSize(originalSize);
  await page.emulateMedia({ colorScheme: 'light' });
  await waitForRendering(page, 'light');
}

async function waitForRendering(page: Page, scheme: Scheme): Promise<void> {
  await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor({ state: 'attached' });
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
}
