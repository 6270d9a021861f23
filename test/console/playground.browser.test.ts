import { expect, it } from 'vitest';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

describeConsole('the playground', (console) => {
  it('shows every language, and what the API says against a call', async () => {
    const page = await console.open('developers/apps?create=yes');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Script');
    await dialog.getByRole('button', { name: 'Create app' }).click();
    await dialog.getByRole('link', { name: 'Try it in the playground' }).click();
    await page.getByText('JSON', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Body' }).fill('{"to": "15005550111"');
    await page.getByText('This is not JSON').waitFor();
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
