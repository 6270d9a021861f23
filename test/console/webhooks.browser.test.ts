import { expect, it } from 'vitest';
import { createTestChannel } from '../support/channels.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

describeConsole('webhooks', (console) => {
  it('an operator creates a webhook, tests it, replaces its secret and deletes it', async () => {
    await createTestChannel(console.api.deps, console.account);
    const page = await console.open('webhooks');
    // Account webhooks are the default, because SMS sent by apps belong to no channel.
    await page.getByText('These webhooks get all events').waitFor();
    // The button “Create webhook” appears both at the page heading and in the empty list.
    await page.getByRole('button', { name: 'Create webhook' }).last().click();
    const dialog = page.getByRole('dialog');
    expectProblems(page, /status of 400/);
    await dialog.getByLabel('URL').fill('https://127.0.0.1:9/hook');
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await dialog
      .getByText(/WEBHOOK_ALLOW_PRIVATE=true/)
      .first()
      .waitFor();
    await dialog.getByLabel('URL').fill('https://nobody.invalid/hook');
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    const secret = await dialog.getByLabel('Signing secret', { exact: true }).inputValue();
    expect(secret).toMatch(/^whsec_/);
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await dialog.getByLabel('Signing secret', { exact: true }).inputValue()).toBe(secret);
    expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'https://nobody.invalid/hook' }).waitFor();

    await page.getByRole('link', { name: 'https://nobody.invalid/hook' }).click();
    let testRequests = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/test')) testRequests += 1;
    });
    await page.getByRole('button', { name: 'Send test event' }).dblclick();
    const deliveries = page.getByRole('region', { name: 'Deliveries', exact: true });
    await deliveries.getByRole('button', { name: 'webhook.test' }).click();
    await page.getByRole('dialog').getByText('"type": "webhook.test"').waitFor();
    expect(testRequests, 'requests of a double click').toBe(1);
    const attempts = page.getByRole('dialog').getByRole('region', { name: 'All attempts' });
    await attempts
      .getByText(/The host/)
      .first()
      .waitFor();
    expect(await attempts.locator('time').first().innerText()).toMatch(/:\d\d:\d\d/);
    await checkAccessible(page, 'webhook-delivery');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The delivery will be sent again.').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    const rotated = page.getByRole('dialog', { name: 'Secret replaced' });
    expect(await rotated.getByRole('textbox', { name: 'Signing secret' }).inputValue()).not.toBe(secret);
    await page.keyboard.press('Escape');
    await rotated.getByRole('button', { name: 'Done' }).click();
    await rotated.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('No webhooks yet').waitFor();
    expect(await console.api.deps.prisma.webhook.count({ where: { accountId: console.account.id } })).toBe(0);
  });

  it('edits of a webhook survive another operator’s save, and the operator chooses which version to keep', async () => {
    const { id: accountId } = console.account;
    const ownPage = await console.open('webhooks');
    await ownPage.getByText('These webhooks get all events').waitFor();
    await ownPage.getByRole('button', { name: 'Create webhook' }).last().click();
    await ownPage.getByRole('dialog').getByLabel('URL').fill('https://nobody.invalid/first');
    await ownPage.getByRole('dialog').getByRole('button', { name: 'Create webhook' }).click();
    await ownPage.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await ownPage.getByRole('link', { name: 'https://nobody.invalid/first' }).click();
    const urlField = (page: typeof ownPage) => page.getByRole('textbox', { name: 'URL' });
    const readUrl = async (page: typeof ownPage) => urlField(page).inputValue();
    await urlField(ownPage).waitFor();
    const otherPage = await console.open(new URL(ownPage.url()).pathname + new URL(ownPage.url()).search);
    const saveElsewhere = async (url: string) => {
      await urlField(otherPage).fill(url);
      await otherPage.getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => readStoredUrl(accountId)).toBe(url);
      await expect.poll(() => otherPage.locator('button[data-loading]').count()).toBe(0);
    };
    const notice = ownPage.getByRole('alert').filter({ hasText: 'Someone else has saved changes' });

    await saveElsewhere('https://nobody.invalid/second');
    await expect.poll(() => readUrl(ownPage)).toBe('https://nobody.invalid/second');

    await urlField(ownPage).fill('https://nobody.invalid/mine');
    await saveElsewhere('https://nobody.invalid/third');
    await notice.waitFor();
    expect(await readUrl(ownPage)).toBe('https://nobody.invalid/mine');
    await checkAccessible(ownPage, 'webhook-changed-meanwhile');
    expectProblems(ownPage, /status of 412/);
    await ownPage.getByRole('button', { name: 'Save' }).click();
    await ownPage.getByText('Somebody else has changed this since you opened it').waitFor();
    expect([await readUrl(ownPage), await readStoredUrl(accountId)]).toEqual([
      'https://nobody.invalid/mine',
      'https://nobody.invalid/third',
    ]);
    await notice.getByRole('button', { name: 'Load current version' }).click();
    await expect.poll(() => readUrl(ownPage)).toBe('https://nobody.invalid/third');

    await urlField(ownPage).fill('https://nobody.invalid/mine');
    await saveElsewhere('https://nobody.invalid/fourth');
    await notice.getByRole('button', { name: 'Keep my changes' }).click();
    expect(await readUrl(ownPage)).toBe('https://nobody.invalid/mine');
    await ownPage.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => readStoredUrl(accountId)).toBe('https://nobody.invalid/mine');
    await expect.poll(() => readUrl(otherPage)).toBe('https://nobody.invalid/mine');
    expect(await notice.count()).toBe(0);
  });

  const readStoredUrl = async (accountId: string) =>
    (await console.api.deps.prisma.webhook.findFirst({ where: { accountId, channelId: null } }))?.url;
});
