import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createTestChannel } from '../support/channels.js';
import { openForSuite } from '../support/for-suite.js';
import { readGraphIds } from '../support/graph-calls.js';
import { openMetaEndpoint } from '../support/meta-endpoint.js';
import { checkAccessible } from './support/check-accessible.js';
import { clickAndReadCopy } from './support/click-and-read-copy.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';
import { rotateAtOnce } from './support/rotate-at-once.js';

const endpoint = openForSuite(openMetaEndpoint);

async function copyField(page: Page, name: string): Promise<string> {
  const dialog = page.getByRole('dialog');
  const value = await dialog.getByRole('textbox', { name, exact: true }).inputValue();
  await expect
    .poll(() => clickAndReadCopy(page, dialog.getByRole('button', { name: `Copy ${name}`, exact: true })))
    .toBe(value);
  return value;
}

describeConsole(
  'programs using Meta’s Cloud API',
  (console) => {
    it('a viewer sees a channel’s Cloud API IDs and the base URL', async () => {
      const channel = await createTestChannel(console.api.deps, console.account);
      await createTestChannel(console.api.deps, console.account, { kind: 'sms' });
      const ids = await readGraphIds(console.api, channel);
      const page = await console.open('settings', { role: 'viewer', scope: 'account' });
      const rows = page.getByRole('table', { name: 'Channels of the account' }).getByRole('row');
      await rows.filter({ hasText: 'SMS' }).waitFor();
      expect(
        await rows
          .filter({ hasText: 'SMS' })
          .getByRole('button', { name: /Cloud API/ })
          .count(),
      ).toBe(0);
      await rows.getByRole('button', { name: 'Cloud API: Test channel' }).click();
      await page.getByRole('dialog', { name: 'Cloud API settings of Test channel' }).waitFor();
      expect(await copyField(page, 'Base URL')).toBe(`${console.url}/graph`);
      expect(await copyField(page, 'Phone number ID')).toBe(ids.phoneNumberId);
      expect(await copyField(page, 'WhatsApp Business account ID')).toBe(ids.businessAccountId);
      await checkAccessible(page, 'channel-cloud-api');
      await page.keyboard.press('Escape');
    });

    it('a new key is shown as an access token that the Cloud API accepts', async () => {
      const page = await console.open('settings/api');
      await page.getByRole('button', { name: 'Generate API key' }).last().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Descriptive name').fill('Chatwoot');
      for (const box of await dialog.getByRole('checkbox', { name: /Test channel/ }).all()) await box.check();
      await dialog.getByRole('button', { name: 'Generate API key' }).click();
      await dialog.getByRole('button', { name: 'For programs using Meta’s Cloud API' }).click();
      await dialog.getByRole('textbox', { name: 'Access token' }).waitFor();
      await checkAccessible(page, 'key-cloud-api');
      const token = await copyField(page, 'Access token');
      const baseUrl = await copyField(page, 'Base URL');
      const phoneNumberId = await copyField(page, 'Phone number ID');
      const response = await fetch(`${baseUrl}/v26.0/${phoneNumberId}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(await response.json()).toMatchObject({ id: phoneNumberId, verified_name: 'Test channel' });
      await dialog.getByRole('button', { name: 'Done' }).click();
    });

    it('an operator creates and edits a webhook in Meta’s format, with verify token and app secret', async () => {
      const page = await console.open('webhooks');
      await page.getByText('Channel Test channel').first().click();
      await page.getByRole('button', { name: 'Create webhook' }).last().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Meta’s Cloud API').click();
      expect(await dialog.getByRole('checkbox').count()).toBe(2);
      await dialog.getByLabel('URL').fill(endpoint.url);
      await dialog.getByLabel('Verify token').fill('a-word');
      await checkAccessible(page, 'webhook-meta-format');
      expectProblems(page, /status of 400/);
      endpoint.behaviour.status = 403;
      await dialog.getByRole('button', { name: 'Create webhook' }).click();
      await dialog
        .getByText(/did not respond to Meta's verification request/)
        .first()
        .waitFor();
      endpoint.behaviour.status = 200;
      await dialog.getByRole('button', { name: 'Create webhook' }).click();
      await dialog.getByText('Copy the app secret').waitFor();
      expect(await copyField(page, 'App secret')).toMatch(/^[0-9a-f]{32}$/);
      await dialog.getByRole('button', { name: 'Done' }).click();
      expect(endpoint.challenges.at(-1)?.get('hub.verify_token')).toBe('a-word');

      await page.getByRole('cell', { name: 'Meta’s Cloud API' }).waitFor();
      await page.getByRole('link', { name: endpoint.url }).click();
      await page.getByText('Channel webhook · Meta’s Cloud API').waitFor();
      await page.getByLabel('Verify token').fill('another-word');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The webhook was changed.').first().waitFor();
      expect(endpoint.challenges.at(-1)?.get('hub.verify_token')).toBe('another-word');
      await checkAccessible(page, 'webhook-of-meta');
      expect(await rotateAtOnce(page, 'App secret')).toMatch(/^[0-9a-f]{32}$/);
      const lines = await console.api.deps.prisma.auditLine.findMany({ where: { action: 'webhook.update' } });
      expect(JSON.stringify(lines)).not.toContain('another-word');
    });
  },
  { settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } },
);
