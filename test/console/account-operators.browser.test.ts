import { expect, it } from 'vitest';
import { sendSms, waitForStatus } from '../support/messages.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { takeShots } from './support/take-shots.js';

describeConsole('operators of an account', (console) => {
  it('an account owner grants, changes and revokes roles, and the audit log shows it', async () => {
    const page = await console.open('operators', { role: 'owner', scope: 'account' });
    await page.getByRole('button', { name: 'Add operator' }).last().click();
    const form = page.getByRole('dialog', { name: 'Add operator' });
    await form.getByLabel('Name').fill('hedy');
    await checkAccessible(page);
    await form.getByRole('button', { name: 'Add operator' }).click();
    await page.getByRole('dialog', { name: 'Sign-in link for hedy' }).getByRole('button', { name: 'Done' }).click();
    await page.getByRole('combobox', { name: 'Role of hedy' }).selectOption('developer');
    await page.getByText('The role of hedy was changed.').waitFor();
    await checkAccessible(page);
    await takeShots(page, 'account-operators');
    await page.getByRole('button', { name: 'Revoke Developer: hedy' }).click();
    await page.getByRole('button', { name: 'Revoke role' }).click();
    await page.getByRole('row').filter({ hasText: 'hedy' }).waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('row').filter({ hasText: 'operator.create' }).waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'operator.grant' }).count()).toBe(2);
    await checkAccessible(page);
    await takeShots(page, 'account-audit');
    expect(await page.getByRole('heading', { name: 'Installation' }).count()).toBe(0);
  });

  it('an account viewer sees the operators without buttons to change them', async () => {
    const page = await console.open('operators', { role: 'viewer', scope: 'account' });
    await page.getByRole('cell', { name: 'Viewer', exact: true }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Add operator' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Revoke/ }).count()).toBe(0);
  });

  it('the installation overview shows totals of all accounts and links to each account', async () => {
    const { api, account } = console;
    await waitForStatus(api, [(await sendSms(api, account)).message_id], 'delivered');
    const page = await console.open('/console/installation/overview', { role: 'viewer', scope: 'installation' });
    const row = page.getByRole('row').filter({ hasText: 'Lighthouse' });
    await row.waitFor();
    await page.getByRole('region', { name: 'Figures' }).getByText('of 1 accepted').waitFor();
    await checkAccessible(page);
    await takeShots(page, 'installation-overview');
    await waitForStatus(api, [(await sendSms(api, account)).message_id], 'delivered');
    await page.getByText('of 2 accepted').waitFor();
    await row.getByRole('link', { name: 'Lighthouse' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toContain(`/a/${account.id}/overview`);
  });
});
