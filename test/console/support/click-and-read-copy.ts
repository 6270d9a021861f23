import type { Locator, Page } from 'playwright-core';

/** Call this function in `expect.poll`, because another test may overwrite the shared clipboard before it is read. */
export async function clickAndReadCopy(page: Page, button: Locator): Promise<string> {
  // The button is labeled “Copied” for two seconds after copying.
  const confirmation = page.getByRole('button', { name: 'Copied', exact: true }).first();
  await Promise.all([confirmation.waitFor(), button.click()]);
  return page.evaluate<string>('navigator.clipboard.readText()');
}
