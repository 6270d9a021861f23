import { expect, it } from 'vitest';
import { createTestAccount } from '../support/accounts.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

describeConsole('the playground', (console) => {
  it('the playground explains above the response that the balance is too low', async () => {
    const { id } = await createTestAccount(console.api.deps, { name: 'Empty', creditMicros: 0n });
    const page = await console.open(`/console/a/${id}/overview`);
    await page.getByText('No credit', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Add credit under Settings → Account' }).waitFor();
    await page.goto(`/console/a/${id}/developers/apps?create=yes`);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Script');
    await dialog.getByRole('button', { name: 'Create app' }).click();
    await dialog.getByRole('link', { name: 'Try it in the playground' }).click();
    expect(await page.getByLabel('Idempotency-Key').count()).toBe(0);
    await page.getByRole('button', { name: /more field/ }).click();
    await page.getByLabel('Idempotency-Key').waitFor();
    expectProblems(page, /status of 402/);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('Not enough credit for this request').waitFor();
    const body = page.getByRole('region', { name: 'Response body' });
    expect(
      await body.evaluate((box: { scrollWidth: number; clientWidth: number }) => box.scrollWidth <= box.clientWidth),
    ).toBe(true);
  });

  it('the playground shows code samples in every language and the API’s error response', async () => {
    const page = await console.open('developers/apps?create=yes');
    const dialog = page.getByRole('dialog');
    // The dialog ignores keys until it has the focus.
    await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('h1:focus', { hasText: 'Apps' }).waitFor();
    await page.getByRole('button', { name: 'Create app' }).first().click();
    await dialog.getByLabel('Name').fill('Script');
    await dialog.getByRole('button', { name: 'Create app' }).click();
    await dialog.getByRole('link', { name: 'Try it in the playground' }).click();
    await page.getByText('JSON', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Body' }).fill('{"to": "15005550111"');
    await page.getByText('Not valid JSON').waitFor();
    expect(await page.getByRole('button', { name: 'Send request' }).isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Body' }).fill('{"to": "15005550111"}');
    expectProblems(page, /status of 400/);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByRole('status').getByText('400').waitFor();
    for (const language of ['JavaScript', 'Python']) {
      await page.getByRole('tab', { name: language }).click();
      await page.getByRole('region', { name: language }).getByText('HELIOGRAPH_KEY').waitFor();
    }
  });
});
