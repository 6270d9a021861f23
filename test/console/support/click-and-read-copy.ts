import type { Locator, Page } from 'playwright-core';

/** Call this in `expect.poll`: tests share a clipboard, and another test may copy something in between. */
export async function clickAndReadCopy(page: Page, button: Locator): Promise<string> {
  // The button shows this for two seconds after copying.
  const confirmation = page.getByRole('button', { name: 'Copied', exact: true }).first();
  await Promise.all([confirmation.waitFor(), button.click()]);
  return page.evaluate<string>('navigator.clipboard.readText()');
}
