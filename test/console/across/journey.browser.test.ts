import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOTP, URI } from 'otpauth';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DemoKeys } from '../../../src/features/demo/keys-file.js';
import { createTestOperator } from '../../support/operators.js';
import { checkAccessible } from '../support/check-accessible.js';
import { clickAndReadCopy } from '../support/click-and-read-copy.js';
import { describeConsole } from '../support/describe-console.js';
import { expectProblems } from '../support/page-problems.js';

const PASSWORD = 'a lamp and a mirror';
const PEOPLE = ['phone;name', '+1 500 555 0171;Dorothy Vaughan', '+15005550172;Annie Easley'].join('\n');

const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-journey-'));

describeConsole(
  'a day with the demo account',
  (console) => {
    let signInPath: string;
    beforeAll(async () => {
      const keys = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Required<DemoKeys>;
      const { pathname, hash } = new URL(keys.console.signInUrl);
      signInPath = pathname + hash;
      const { id, accountId } = await console.api.deps.prisma.channel.findUniqueOrThrow({
        where: { id: keys.surfaceB.channelId },
      });
      const { ask } = await createTestOperator(console.api);
      await ask('POST', `/accounts/${accountId}/channels/${id}/simulator/inbound`, {
        from: '15005550151',
        text: 'Where is my order?',
      });
    });
    afterAll(() => rm(dataDir, { recursive: true, force: true }));

    it('an operator signs in by link, sends, replies, imports, runs campaigns, and signs in again with a second factor', async () => {
      const page = await console.open(signInPath, null);
      // Until someone signs in, the server answers the page's session query with 401.
      expectProblems(page, /status of 401/);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(page.url()).not.toContain('token');
      await page.getByRole('button', { name: /Lighthouse$/ }).click();
      await page.getByRole('menuitem', { name: 'Demo' }).click();
      await page.getByRole('button', { name: /Demo$/ }).waitFor();
      const key = await createApp(page);
      await sendFromPlayground(page, key);
      await callWithChannelKey(page);
      await replyToMessage(page);
      await importPeople(page);
      await runAndCancelCampaign(page);
      await revokeApp(page, key);
      await signInWithSecondFactor(page, 'admin');
    });

    it('a viewer sees no buttons that change something, and gets 403 from the API', async () => {
      const viewer = { role: 'viewer', scope: 'account' } as const;
      const page = await console.open('developers/apps', viewer);
      await page.getByRole('heading', { name: 'Apps', level: 1 }).waitFor();
      await page.getByRole('table').waitFor();
      expect(await page.getByRole('button', { name: /Create|Revoke/ }).count()).toBe(0);
      expectProblems(page, /status of 403/);
      const script = `fetch('/admin/v1/accounts/${console.account.id}/apps', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Shop', scopes: ['rest'] }),
      }).then(({ status }) => status)`;
      expect(await page.evaluate(script)).toBe(403);
      await page.getByRole('link', { name: 'Playground' }).click();
      await page.getByText('Your role does not allow sending requests.').waitFor();
      expect(await page.getByRole('button', { name: 'Send request' }).isDisabled()).toBe(true);
    });
  },
  { settings: { SEED_DEMO: 'true', DATA_DIR: dataDir } },
);

const openPage = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();

async function createApp(page: Page): Promise<string> {
  await openPage(page, 'Apps');
  await page.getByRole('button', { name: 'Create app' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Shop');
  expect(await dialog.getByLabel('REST API').isChecked()).toBe(true);
  await checkAccessible(page, 'app-new');
  await dialog.getByRole('button', { name: 'Create app' }).click();
  const key = await dialog.getByRole('textbox', { name: 'API key' }).inputValue();
  expect(key).toMatch(/^hg_live_/);
  await expect.poll(() => clickAndReadCopy(page, dialog.getByRole('button', { name: 'Copy API key' }))).toBe(key);
  await dialog.getByRole('link', { name: 'Try it in the playground' }).click();
  return key;
}

async function sendFromPlayground(page: Page, key: string): Promise<void> {
  await page.getByRole('button', { name: 'Send request' }).click();
  const line = page.getByRole('status', { name: 'Status of the message to +14155550123' });
  await line.locator('li[data-reached="true"]', { hasText: 'Delivered' }).waitFor();
  await checkAccessible(page, 'playground-sent');
  expect(page.url()).not.toContain(key);
  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(key);
}

async function callWithChannelKey(page: Page): Promise<void> {
  await openPage(page, 'API');
  await page.getByRole('button', { name: 'Generate API key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Descriptive name').fill('Help desk');
  await dialog.getByLabel('Selected scopes').check();
  await dialog.getByRole('button', { name: 'Generate API key' }).click();
  await dialog.getByText('Choose at least one scope.').waitFor();
  await dialog.getByRole('checkbox', { name: 'Read contacts' }).check();
  await checkAccessible(page, 'api-key-new');
  await dialog.getByRole('button', { name: 'Generate API key' }).click();
  const secret = await dialog.getByRole('textbox', { name: 'Secret' }).inputValue();
  await checkAccessible(page, 'api-key-made');
  await expect
    .poll(() => clickAndReadCopy(page, dialog.getByRole('button', { name: 'Copy all as .env' })))
    .toContain(`\nHELIOGRAPH_SECRET=${secret}\n`);
  await dialog.getByRole('link', { name: 'Try it in the playground' }).click();
  await page.getByLabel('Find an operation').fill('list contacts');
  await page.getByLabel('Find an operation').press('Enter');
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByRole('status').getByText('200').waitFor();
}

async function replyToMessage(page: Page): Promise<void> {
  await openPage(page, 'Inbox');
  const list = page.getByRole('navigation', { name: 'Conversations' });
  await list.getByRole('link', { name: /Ada Lovelace.*1 unread/ }).click();
  await page.getByRole('textbox', { name: 'Write a reply' }).fill('It is on its way, Ada.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const message = page.getByRole('list', { name: 'Messages' }).getByRole('listitem').filter({ hasText: 'on its way' });
  await message.getByRole('img', { name: /Delivered|Read/ }).waitFor();
}

async function importPeople(page: Page): Promise<void> {
  await openPage(page, 'Groups');
  await page.getByRole('button', { name: 'Create group' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('Friends');
  await form.getByRole('button', { name: 'Create group' }).click();
  await page.getByRole('link', { name: 'Friends' }).waitFor();
  await openPage(page, 'Imports');
  const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(PEOPLE) };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('combobox', { name: 'Add all to a group' }).click();
  await page.getByRole('option', { name: 'Friends' }).click();
  await page.getByRole('button', { name: 'Import 2 contacts' }).click();
  await page.getByText('New: 2 · Updated: 0 · Unchanged: 0 · Refused: 0').waitFor();
}

async function runAndCancelCampaign(page: Page): Promise<void> {
  await openPage(page, 'Campaigns');
  const inTwoDays = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 16);
  for (const name of ['Hello friends', 'Hello again']) {
    const isScheduled = name === 'Hello again';
    await page.getByRole('link', { name: 'New campaign' }).first().click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('combobox', { name: 'Template', exact: true }).selectOption('hello_world (en_US)');
    await page.getByRole('combobox', { name: 'Groups', exact: true }).click();
    await page.getByRole('option', { name: 'Friends (2)' }).click();
    if (isScheduled) await page.getByLabel('Starts at').fill(inTwoDays);
    await page.getByRole('button', { name: 'Estimate messages and cost' }).click();
    await page.getByText('2 messages for $0.02').waitFor();
    await page.getByRole('button', { name: isScheduled ? 'Schedule campaign' : 'Send 2 messages now' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    if (isScheduled) {
      await page.getByRole('button', { name: 'Cancel campaign' }).click();
      await page.getByRole('button', { name: 'Cancel the campaign' }).click();
      await page.getByText('Canceled').first().waitFor();
    } else {
      await page.getByText('Completed').first().waitFor();
    }
    await page.getByRole('link', { name: '← Campaigns' }).click();
  }
}

async function revokeApp(page: Page, key: string): Promise<void> {
  await openPage(page, 'Apps');
  await page.getByRole('button', { name: 'Revoke Shop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke app' }).click();
  await page.getByText('Revoked').waitFor();
  await openPage(page, 'Playground');
  await page.getByLabel('Find an operation').fill('balance');
  await page.getByLabel('Find an operation').press('Enter');
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByRole('status').getByText('401').waitFor();
}

async function signInWithSecondFactor(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Your settings' }).click();
  await page.getByRole('menuitem', { name: 'My sign-in' }).click();
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('New password again').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('heading', { name: 'Password', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Set up a second factor' }).click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  await checkAccessible(page, 'second-factor-new');
  const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue();
  const authenticator = URI.parse(`otpauth://totp/x?secret=${secret}`) as TOTP;
  expect(authenticator).toBeInstanceOf(TOTP);
  await page.getByLabel('Current code in the app').fill(authenticator.generate());
  await page.getByRole('button', { name: 'Confirm' }).click();
  const recoveryCode = (await page.getByRole('dialog').locator('code').first().textContent()) ?? '';
  await page.getByRole('button', { name: 'I have saved them' }).click();
  await page.getByText('recovery codes left').waitFor();

  await page.getByRole('button', { name: 'Your settings' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password', { exact: true }).fill('something else');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Wrong name or password.').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'One more step' }).waitFor();
  await checkAccessible(page, 'second-factor');
  // The setup has already used the current one-time code, so the sign-in uses a recovery code.
  await page.getByLabel('Code').fill(recoveryCode);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}
