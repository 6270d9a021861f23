import { expect, it } from 'vitest';
import { createAppKey } from '../../src/accounts/keys.js';
import { newId } from '../../src/platform/ids.js';
import { createTestAccount } from '../support/accounts.js';
import { sendSms, waitForStatus } from '../support/messages.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';

describeConsole('the overview', (console) => {
  it('a new account sees the first steps, which are ticked as they are completed', async () => {
    const { api, account } = console;
    const setRevoked = (revokedAt: Date | null) =>
      api.deps.prisma.apiKey.updateMany({ where: { accountId: account.id }, data: { revokedAt } });
    await setRevoked(new Date());
    const page = await console.open('overview');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('No messages').first().waitFor();
    await page.getByText('No messages leave this server', { exact: false }).waitFor();
    await checkAccessible(page, 'overview-new');

    const steps = page.getByRole('region', { name: /first message/ }).getByRole('listitem');
    const countTicked = () => steps.locator('[data-done="true"]').count();
    expect(await countTicked()).toBe(0);
    await page.getByRole('link', { name: 'Create app' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Shop');
    await dialog.getByRole('button', { name: 'Create app' }).click();
    await dialog.getByRole('textbox', { name: 'API key' }).waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await dialog.getByRole('textbox', { name: 'API key' }).inputValue()).not.toBe('');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await expect.poll(countTicked).toBe(1);
    await setRevoked(null);
    const { message_id: id } = await sendSms(api, account, { to: '15005550111' });
    await waitForStatus(api, [id], 'delivered');
    await page.getByText('You have sent your first message').waitFor();
    expect(await countTicked()).toBe(3);
    await checkAccessible(page, 'overview-steps-done');
    await page.getByRole('button', { name: 'Hide', exact: true }).click();
    await steps.first().waitFor({ state: 'detached' });
  });

  it('the account overview warns of a low balance, and the installation overview lists problems', async () => {
    const { api, account } = console;
    const { prisma } = api.deps;
    const otherAccount = await createTestAccount(api.deps, { name: 'Aground' });
    await prisma.account.update({ where: { id: account.id }, data: { lowBalanceMicros: 10n ** 12n } });
    const page = await console.open('overview');
    await page.getByText('The balance is low').waitFor();
    await prisma.account.update({ where: { id: account.id }, data: { lowBalanceMicros: null, isActive: false } });
    await page.reload();
    await page.getByText('This account is switched off').waitFor();
    await checkAccessible(page, 'overview-off');

    const webhook = { accountId: otherAccount.id, url: 'https://nobody.invalid/hook', events: ['message.status'] };
    const failing = { ...webhook, id: newId(), secret: 'whsec_AAAA', failingSince: new Date(Date.now() - 3_600_000) };
    await prisma.webhook.create({ data: failing });
    const carrier = { name: 'smsc-1', type: 'smpp', settings: { host: 'localhost' } };
    await prisma.carrier.create({ data: { ...carrier, id: newId() } });
    await page.goto('/console/installation/overview');
    const list = page.getByRole('region', { name: 'Needs attention' });
    await list.getByRole('listitem').filter({ hasText: 'Carrier smsc-1' }).waitFor();
    await list.getByRole('listitem').filter({ hasText: 'Webhook of Aground: https://nobody.invalid/hook' }).waitFor();
    await list.getByRole('listitem').filter({ hasText: 'Lighthouse is switched off' }).waitFor();
    await checkAccessible(page, 'installation-attention');

    await page.goto(`/console/a/${account.id}/overview`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto('/console/installation/accounts');
    const messages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Messages' });
    await expect.poll(() => messages.getAttribute('href')).toBe(`/console/a/${account.id}/messages`);
    await page.goto(`/console/a/${otherAccount.id}/overview`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto('/console/installation/accounts');
    await expect.poll(() => messages.getAttribute('href')).toBe(`/console/a/${otherAccount.id}/messages`);
    await page.getByRole('button', { name: 'Account: Aground' }).waitFor();
    await prisma.account.update({ where: { id: account.id }, data: { isActive: true } });
    await prisma.carrier.deleteMany();
  });

  it('the overview does not show partial counts, reversed periods or another account’s data as facts', async () => {
    const { api, account } = console;
    const otherAccount = await createTestAccount(api.deps, { name: 'Across', creditMicros: 7_770_000n });
    const page = await console.open('overview');
    const overviewPattern = (id: string) => new RegExp(`/admin/v1/accounts/${id}/overview\\?`);
    await page.route(overviewPattern(account.id), async (route) => {
      const response = await (await route.fetch()).json();
      response.data.queue = { waiting: 0, oldestAt: null, isPartial: true };
      await route.fulfill({ json: response });
    });
    await page.goto(`/console/a/${account.id}/overview?range=custom&from=2026-05-02&to=2026-05-01`);
    const figures = page.getByRole('region', { name: /figures/i });
    await figures.getByText('none found so far').waitFor();
    expect(await figures.getByText('the queue is empty').count()).toBe(0);
    await page.getByText('From must not be after To').waitFor();
    await checkAccessible(page, 'overview-reversed');

    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(overviewPattern(otherAccount.id), async (route) => {
      await gate;
      await route.continue();
    });
    await page.getByRole('button', { name: /^Account:/ }).click();
    const overviewRequest = page.waitForRequest(overviewPattern(otherAccount.id));
    await page.getByRole('menuitem', { name: 'Across' }).click();
    await overviewRequest;
    await page.getByRole('button', { name: 'Account: Across' }).waitFor();
    expect(await figures.count()).toBe(0);
    release();
    await figures.getByText('$7.77').waitFor();
  });

  it('the overview shows delivery figures without a reload', async () => {
    const { api, account } = console;
    await createAppKey(api.deps.prisma, { accountId: account.id, name: 'Shop', scopes: ['rest'] });
    const page = await console.open('overview');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const figures = page.getByRole('region', { name: /figures/i });
    const ids: string[] = [];
    for (const to of ['15005550111', '447911123456', '15005550002', '4915112345678']) {
      ids.push((await sendSms(api, account, { to })).message_id);
    }
    await waitForStatus(
      api,
      ids.filter((_, index) => index !== 2),
      'delivered',
    );
    // Four of five messages are delivered, including the message of an earlier test.
    await figures.getByText('80%').waitFor();
    await page.getByText('By country').first().waitFor();
    await checkAccessible(page, 'overview-charts');
  });
});
