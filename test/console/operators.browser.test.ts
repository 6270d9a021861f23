import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { hashPassword } from '../../src/accounts/operators/sign-in/passwords.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

describeConsole('operators and the audit log', (console) => {
  const open = (as?: { role: 'viewer' | 'owner'; scope: 'installation' }) =>
    console.open('/console/installation/operators', as);

  /** Creates an operator with the preselected role, viewer of one account, and returns the sign-in link. */
  async function create(page: Page, name: string): Promise<string> {
    await page.getByRole('button', { name: 'Create operator' }).click();
    const form = page.getByRole('dialog', { name: 'Create operator' });
    await form.getByLabel('Name').fill(name);
    await form.getByRole('button', { name: 'Create operator' }).click();
    const linkDialog = page.getByRole('dialog', { name: `Sign-in link for ${name}` });
    return linkDialog.getByRole('textbox', { name: 'Sign-in link' }).inputValue();
  }

  async function createAndOpen(page: Page, name: string) {
    await create(page, name);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name }).click();
    return page.getByRole('dialog', { name, exact: true });
  }

  const getRow = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

  it('a new operator signs in with a link that is shown once, and is asked to set a password', async () => {
    const page = await open();
    const link = await create(page, 'grace');
    expect(link).toContain(`${console.url}/console/sign-in#token=`);
    await checkAccessible(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await getRow(page, 'grace').getByText('Viewer: Lighthouse').waitFor();
    await getRow(page, 'grace').getByText('never').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.reload();
    await getRow(page, 'grace').waitFor();
    expect(await page.getByLabel('Sign-in link').count()).toBe(0);

    const newOperatorPage = await console.open(link.slice(console.url.length), null);
    await newOperatorPage.getByRole('button', { name: 'Your settings' }).waitFor();

    await newOperatorPage.getByText('You would not be able to sign in again').waitFor();
    await newOperatorPage.getByRole('button', { name: 'Your settings' }).click();
    await newOperatorPage.getByRole('menuitem', { name: 'Sign out' }).click();
    const warning = newOperatorPage.getByRole('dialog', { name: 'Sign out without a password?' });
    await warning.getByRole('link', { name: 'Set a password' }).click();
    await newOperatorPage.getByLabel('New password', { exact: true }).fill('correct horse battery');
    await newOperatorPage.getByLabel('New password again').fill('correct horse battery');
    await newOperatorPage.getByRole('button', { name: 'Set password' }).click();
    await newOperatorPage.getByText('You would not be able to sign in again').waitFor({ state: 'detached' });
  });

  it('a sign-in link replaces another session only after a confirmation, and invalid URLs do not crash the page', async () => {
    const page = await open();
    const link = await create(page, 'katherine');
    await page.goto(link.slice(console.url.length));
    await page.getByText(/You are signed in as owner-\w+\. This link is for katherine\./).waitFor();
    await checkAccessible(page);
    await page.getByRole('button', { name: 'Sign in as katherine' }).click();
    await page.getByRole('button', { name: 'Your settings' }).click();
    await page.getByText('katherine', { exact: true }).first().waitFor();

    const signedOutPage = await console.open('/console/sign-in?problem=__proto__', null);
    await signedOutPage.getByText('This server could not complete the sign-in.').waitFor();
    const broken = await console.open('/console/sign-in#token=%', null);
    expectProblems(broken, /status of 401/);
    await broken.getByText('A sign-in link works only once.').waitFor();
  });

  it('a sensitive change after a while requires confirming the identity, and is then carried out', async () => {
    const page = await open();
    const currentOperator = { name: { startsWith: 'owner-' } };
    const { prisma } = console.api.deps;
    const passwordHash = await hashPassword('correct horse battery');
    await prisma.operator.updateMany({ where: currentOperator, data: { passwordHash } });
    await prisma.operatorSession.updateMany({ data: { createdAt: new Date(Date.now() - 3_600_000) } });
    await page.reload();
    expectProblems(page, /status of 40[03]/);
    await page.getByRole('button', { name: 'Create operator' }).click();
    const form = page.getByRole('dialog', { name: 'Create operator' });
    await form.getByLabel('Name').fill('dorothy');
    await form.getByRole('button', { name: 'Create operator' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm your identity' });
    await dialog.getByLabel('Password', { exact: true }).fill('wrong horse battery');
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.getByText(/is wrong/i).waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('dialog', { name: 'Sign-in link for dorothy' }).waitFor();
  });

  it('an owner grants and revokes roles, and the audit log shows who did it', async () => {
    const page = await open();
    const drawer = await createAndOpen(page, 'edsger');
    const grantRole = async (scope: string, role: string) => {
      await drawer.getByRole('combobox', { name: 'Scope' }).click();
      await page.getByRole('option', { name: scope }).click();
      await drawer.getByRole('combobox', { name: 'Role' }).selectOption(role);
      await drawer.getByRole('button', { name: 'Grant role' }).click();
    };
    await grantRole('Lighthouse', 'developer');
    await drawer.getByText('Developer: Lighthouse').waitFor();
    await grantRole('The whole installation', 'viewer');
    await drawer.getByText('Viewer: The whole installation', { exact: true }).waitFor();
    await checkAccessible(page, 'operator');
    await drawer.getByRole('button', { name: 'Revoke Viewer: The whole installation' }).click();
    await page.getByRole('heading', { name: 'Revoke a role of edsger: Viewer: The whole installation?' }).waitFor();
    await page.getByRole('button', { name: 'Revoke role' }).click();
    await drawer.getByText('Viewer: The whole installation', { exact: true }).waitFor({ state: 'detached' });
    expect(await drawer.getByText('Developer: Lighthouse').count()).toBe(1);

    await drawer.getByRole('link', { name: 'Show in audit log' }).click();
    const entry = page.getByRole('row').filter({ hasText: 'operator.grant' }).filter({ hasText: 'Lighthouse' });
    await entry.getByText('role: developer', { exact: false }).first().waitFor();
    await entry.getByText(/^owner-/).waitFor();
    await entry.getByText('127.0.0.1').waitFor();
    await entry.getByRole('link', { name: 'edsger', exact: true }).waitFor();
    await expect.poll(() => entry.getByText(/[0-9a-f]{8}-[0-9a-f]{4}/).count()).toBe(0);
    await page.getByRole('row').filter({ hasText: 'operator.create' }).waitFor();
  });

  it('filters of the audit log are stored in the URL and can be cleared', async () => {
    const page = await open();
    await create(page, 'barbara');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.goto('/console/installation/audit?action=operator.create');
    await page.getByRole('row').filter({ hasText: 'barbara' }).waitFor();
    expect(await page.getByLabel('Action').inputValue()).toBe('operator.create');
    await page.getByLabel('Changed since').fill('2100-01-01T00:00');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No matching changes').waitFor();
    expect(new URL(page.url()).searchParams.get('from')).toMatch(/^(2099-12-31|2100-01-01)T.*Z$/);
    expect(await page.getByLabel('Changed since').inputValue()).toBe('2100-01-01T00:00');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row').filter({ hasText: 'barbara' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('an owner switches an operator off and on, resets their sign-in and removes them after confirmations', async () => {
    const page = await open();
    const drawer = await createAndOpen(page, 'alan');
    const confirm = async (button: string, question: string, confirmButton: string) => {
      await drawer.getByRole('button', { name: button }).click();
      await page.getByRole('dialog', { name: question }).getByRole('button', { name: confirmButton }).click();
    };
    await confirm('Switch off', 'Switch the operator alan off?', 'Switch operator off');
    await drawer.getByRole('button', { name: 'Switch on' }).click();
    await drawer.getByRole('button', { name: 'Switch off' }).waitFor();
    await confirm('Reset', 'Reset the sign-in of alan?', 'Reset sign-in');
    const linkDialog = page.getByRole('dialog', { name: 'Sign-in link for alan' });
    expect(await linkDialog.getByRole('textbox', { name: 'Sign-in link' }).inputValue()).toContain('#token=');
    await linkDialog.getByRole('button', { name: 'Done' }).click();
    await confirm('Remove', 'Remove the operator alan?', 'Remove operator');
    await page.getByText('The operator alan was removed.').waitFor();
    await page.getByRole('link', { name: 'alan' }).waitFor({ state: 'detached' });
  });

  it('a viewer sees operators without buttons to change them', async () => {
    const page = await open({ role: 'viewer', scope: 'installation' });
    const ownRow = getRow(page, 'viewer-');
    await ownRow.getByText('You').waitFor();
    await ownRow.getByRole('link').click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Roles' }).waitFor();
    for (const name of [
      'Create operator',
      'Grant role',
      /^Revoke/,
      'Reset',
      'Switch off',
      'Remove',
      'New sign-in link',
    ]) {
      expect(await page.getByRole('button', { name }).count(), String(name)).toBe(0);
    }
    await page.getByRole('dialog').getByRole('link', { name: 'Show in audit log' }).waitFor();
  });
});
