import { expect, it } from 'vitest';
import { createTestChannel } from '../support/channels.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

/** Each checks several states by axe. */
const PATIENCE_MS = 180_000;

describeConsole('apps, keys and the playground', (console) => {
  it('lead from no app to a message that is delivered, and a revoked key is refused', {
    timeout: PATIENCE_MS,
  }, async () => {
    const page = await console.open('overview');
    await page.getByRole('link', { name: 'Create app' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Shop');
    await dialog.getByLabel('REST API').isChecked();
    await checkAccessible(page);
    await dialog.getByRole('button', { name: 'Create app' }).click();
    const key = await dialog.getByRole('textbox', { name: 'API key' }).inputValue();
    expect(key).toMatch(/^hg_live_/);
    await dialog.getByRole('button', { name: 'Copy API key' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);

    await dialog.getByRole('link', { name: 'Try it in the playground' }).click();
    await page.getByRole('button', { name: 'Send request' }).click();
    const line = page.getByRole('status', { name: 'What becomes of the message to 15005550111' });
    await line.locator('li[data-reached="true"]', { hasText: 'Delivered' }).waitFor();
    await checkAccessible(page, 'playground');

    // Nothing secret stays: not in the address, not in what the browser keeps.
    expect(page.url()).not.toContain(key);
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(key);

    await page.getByRole('link', { name: 'Apps' }).click();
    await page.getByRole('cell', { name: 'Shop', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Revoke Shop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke the app' }).click();
    await page.getByText('Revoked').waitFor();
    await expect
      .poll(
        async () => {
          const headers = { authorization: `Bearer ${key}` };
          return (await console.api.app.inject({ url: '/v1.0/account/balance', headers })).statusCode;
        },
        { timeout: 15_000 },
      )
      .toBe(401);
  });

  it('generate a key of a channel with its secret, for calls to /api/v1', { timeout: PATIENCE_MS }, async () => {
    await createTestChannel(console.api.deps, console.account);
    const page = await console.open('settings/api');
    await page.getByRole('button', { name: 'Generate API Key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Descriptive name').fill('Help desk');
    await checkAccessible(page, 'api-keys-new');
    await dialog.getByRole('button', { name: 'Generate API Key' }).click();
    await dialog.getByRole('textbox', { name: 'Secret' }).waitFor();
    await dialog.getByRole('link', { name: 'Try it in the playground' }).click();
    await page.getByLabel('Find an operation').fill('list contacts');
    await page.getByLabel('Find an operation').press('Enter');
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByRole('status').getByText('200').waitFor();
    await page.getByRole('link', { name: 'API', exact: true }).click();
    await page.getByRole('cell', { name: 'Help desk', exact: true }).waitFor();
  });

  it('show every language, and what the API says against a call', { timeout: PATIENCE_MS }, async () => {
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

  it('show a viewer what is there, and nothing that changes it', { timeout: PATIENCE_MS }, async () => {
    const viewer = { role: 'viewer', of: 'account' } as const;
    const apps = await console.open('developers/apps', viewer);
    await apps.getByRole('heading', { name: 'Apps', level: 1 }).waitFor();
    await apps.getByRole('table').waitFor();
    expect(await apps.getByRole('button', { name: /Create|Revoke/ }).count()).toBe(0);
    const playground = await console.open('developers/playground', viewer);
    await playground.getByText('Your role may look, not call.').waitFor();
    expect(await playground.getByRole('button', { name: 'Send request' }).isDisabled()).toBe(true);
  });
});
