import type { Page } from 'playwright-core';

/** Has the secret of a webhook replaced by one that signs at once. @param name what the secret is called @returns the new one */
export async function rotateAtOnce(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByText('Deliveries are signed with the new secret at once', { exact: false }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  const rotated = page.getByRole('dialog', { name: 'The secret was replaced' });
  const secret = await rotated.getByRole('textbox', { name }).inputValue();
  await rotated.getByRole('button', { name: 'Done' }).click();
  return secret;
}
