import type { Locator, Page } from 'playwright-core';

/**
 * Presses a button that copies something, and reads what the clipboard then has. The whole browser has one clipboard, into
 * which the page of another test may copy in between: so it is asked by `expect.poll`, until what was expected is there.
 */
export async function copyBy(page: Page, button: Locator): Promise<string> {
  // It says so once the clipboard has it, for two seconds.
  const said = page.getByRole('button', { name: 'Copied', exact: true }).first();
  await Promise.all([said.waitFor(), button.click()]);
  return page.evaluate<string>('navigator.clipboard.readText()');
}
