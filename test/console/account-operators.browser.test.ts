import { expect, it } from 'vitest';
import { sendSms, waitForStatus } from '../support/messages.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { shot } from './support/shot.js';

describeConsole('what an account’s operators see of it, and the installation’s of all', (console) => {
  it('lets an owner of the account give, change and take roles, and shows it in its audit log', async () => {
    const page = await console.open('operators', { role: 'owner', of: 'account' });
    await page.getByRole('button', { name: 'Give somebody a role' }).last().click();
    const form = page.getByRole('dialog', { name: 'Give somebody a role' });
    await form.getByLabel('Name').fill('hedy');
    await checkAccessible(page);
    await form.getByRole('button', { name: 'Give somebody a role' }).click();
    await page.getByRole('dialog', { name: 'Sign-in link for hedy' }).getByRole('button', { name: 'Done' }).click();
    await page.getByRole('combobox', { name: 'Role of hedy' }).selectOption('developer');
    await page.getByText('The role of hedy was changed.').waitFor();
    await checkAccessible(page);
    await shot(page, 'account-operators');
    await page.getByRole('button', { name: 'Take Developer: hedy' }).click();
    await page.getByRole('button', { name: 'Take the role' }).click();
    await page.getByRole('row').filter({ hasText: 'hedy' }).waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('row').filter({ hasText: 'operator.create' }).waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'operator.grant' }).count()).toBe(2);
    await checkAccessible(page);
    await shot(page, 'account-audit');
    expect(await page.getByRole('heading', { name: 'Installation' }).count()).toBe(0);
  });

  it('shows a viewer of the account the same without anything to change', async () => {
    const page = await console.open('operators', { role: 'viewer', of: 'account' });
    await page.getByRole('cell', { name: 'Viewer', exact: true }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Give somebody a role' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Take/ }).count()).toBe(0);
  });

  it('adds up all accounts for an operator of the installation, and leads to each', async () => {
    const { api, account } = console;
    await waitForStatus(api, [(await sendSms(api, account)).message_id], 'delivered');
    const page = await console.open('/console/installation/overview', { role: 'viewer', of: 'installation' });
    const row = page.getByRole('row').filter({ hasText: 'Lighthouse' });
    await row.waitFor();
    await page.getByRole('region', { name: 'Figures' }).getByText('of 1 accepted').waitFor();
    await checkAccessible(page);
    await shot(page, 'installation-overview');
    await waitForStatus(api, [(await sendSms(api, account)).message_id], 'delivered');
    await page.getByText('of 2 accepted').waitFor();
    await row.getByRole('link', { name: 'Lighthouse' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toContain(`/a/${account.id}/overview`);
  });
});
