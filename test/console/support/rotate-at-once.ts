import type { Page } from 'playwright-core';

/** Rotates the secret labeled `name` of a webhook whose format switches to the new secret immediately. */
export async function rotateAtOnce(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByText('Deliveries are signed with the new secret immediately', { exact: false }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  const rotated = page.getByRole('dialog', { name: 'Secret replaced' });
  const secret = await rotated.getByRole('textbox', { name }).inputValue();
  await rotated.getByRole('button', { name: 'Done' }).click();
  return secret;
}
