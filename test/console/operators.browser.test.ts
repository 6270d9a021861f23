import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { hashPassword } from '../../src/accounts/operators/sign-in/passwords.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

describeConsole('the operators and the audit log in the console', (console) => {
  const open = (as?: { role: 'viewer' | 'owner'; of: 'installation' }) =>
    console.open('/console/installation/operators', as);

  /** Makes an operator with what is offered at first, a viewer of one account, and gives back their link. */
  async function create(page: Page, name: string): Promise<string> {
    await page.getByRole('button', { name: 'Create operator' }).click();
    const form = page.getByRole('dialog', { name: 'Create operator' });
    await form.getByLabel('Name').fill(name);
    await form.getByRole('button', { name: 'Create operator' }).click();
    const shown = page.getByRole('dialog', { name: `Sign-in link for ${name}` });
    return shown.getByRole('textbox', { name: 'Sign-in link' }).inputValue();
  }

  /** The same, and opens them. */
  async function createAndOpen(page: Page, name: string) {
    await create(page, name);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name }).click();
    return page.getByRole('dialog', { name, exact: true });
  }

  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

  it('makes an operator with a link that is shown once, and signs them in', async () => {
    const page = await open();
    const link = await create(page, 'grace');
    expect(link).toContain(`${console.url}/console/sign-in#token=`);
    await checkAccessible(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await rowOf(page, 'grace').getByText('Viewer: Lighthouse').waitFor();
    await rowOf(page, 'grace').getByText('never').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.reload();
    await rowOf(page, 'grace').waitFor();
    expect(await page.getByLabel('Sign-in link').count()).toBe(0);

    const theirs = await console.open(link.slice(console.url.length), null);
    await theirs.getByRole('button', { name: 'You and your settings' }).waitFor();

    // Nothing but the link would let them in, and that is used up.
    await theirs.getByText('You cannot come back yet').waitFor();
    await theirs.getByRole('button', { name: 'You and your settings' }).click();
    await theirs.getByRole('menuitem', { name: 'Sign out' }).click();
    const asked = theirs.getByRole('dialog', { name: 'Sign out without a password?' });
    await asked.getByRole('link', { name: 'Set a password' }).click();
    await theirs.getByLabel('New password', { exact: true }).fill('correct horse battery');
    await theirs.getByLabel('New password again').fill('correct horse battery');
    await theirs.getByRole('button', { name: 'Set password' }).click();
    await theirs.getByText('You cannot come back yet').waitFor({ state: 'detached' });
  });

  it('asks before a link takes the place of a session, and whatever stands in the address breaks no page', async () => {
    const page = await open();
    const link = await create(page, 'katherine');
    await page.goto(link.slice(console.url.length));
    await page.getByText(/You are signed in as owner-\w+\. This link signs in katherine\./).waitFor();
    await checkAccessible(page);
    await page.getByRole('button', { name: 'Sign in as katherine' }).click();
    await page.getByRole('button', { name: 'You and your settings' }).click();
    await page.getByText('katherine', { exact: true }).first().waitFor();

    const stranger = await console.open('/console/sign-in?problem=__proto__', null);
    await stranger.getByText('This server could not finish it.').waitFor();
    const broken = await console.open('/console/sign-in#token=%', null);
    expectProblems(broken, /status of 401/);
    await broken.getByText('A sign-in link works once.').waitFor();
  });

  it('asks again who it is after a while, and goes on with what was asked', async () => {
    const page = await open();
    const own = { name: { startsWith: 'owner-' } };
    const { prisma } = console.api.deps;
    const passwordHash = await hashPassword('correct horse battery');
    await prisma.operator.updateMany({ where: own, data: { passwordHash } });
    await prisma.operatorSession.updateMany({ data: { createdAt: new Date(Date.now() - 3_600_000) } });
    await page.reload();
    expectProblems(page, /status of 40[03]/);
    await page.getByRole('button', { name: 'Create operator' }).click();
    const form = page.getByRole('dialog', { name: 'Create operator' });
    await form.getByLabel('Name').fill('dorothy');
    await form.getByRole('button', { name: 'Create operator' }).click();
    const asked = page.getByRole('dialog', { name: 'Is it you?' });
    await asked.getByLabel('Password', { exact: true }).fill('wrong horse battery');
    await asked.getByRole('button', { name: 'Confirm' }).click();
    await asked.getByText(/is wrong/i).waitFor();
    await asked.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await asked.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('dialog', { name: 'Sign-in link for dorothy' }).waitFor();
  });

  it('gives and takes roles, and shows in the audit log who did', async () => {
    const page = await open();
    const drawer = await createAndOpen(page, 'edsger');
    const give = async (place: string, role: string) => {
      await drawer.getByRole('combobox', { name: 'Where' }).click();
      await page.getByRole('option', { name: place }).click();
      await drawer.getByRole('combobox', { name: 'Role' }).selectOption(role);
      await drawer.getByRole('button', { name: 'Give role' }).click();
    };
    await give('Lighthouse', 'developer');
    await drawer.getByText('Developer: Lighthouse').waitFor();
    await give('The whole installation', 'viewer');
    await drawer.getByText('Viewer: The whole installation', { exact: true }).waitFor();
    await checkAccessible(page, 'operator');
    await drawer.getByRole('button', { name: 'Take Viewer: The whole installation' }).click();
    await page.getByRole('heading', { name: 'Take a role from edsger: Viewer: The whole installation?' }).waitFor();
    await page.getByRole('button', { name: 'Take the role' }).click();
    await drawer.getByText('Viewer: The whole installation', { exact: true }).waitFor({ state: 'detached' });
    expect(await drawer.getByText('Developer: Lighthouse').count()).toBe(1);

    await drawer.getByRole('link', { name: 'What was changed of them' }).click();
    const given = page.getByRole('row').filter({ hasText: 'operator.grant' }).filter({ hasText: 'Lighthouse' });
    await given.getByText('role: developer', { exact: false }).first().waitFor();
    await given.getByText(/^owner-/).waitFor();
    await given.getByText('127.0.0.1').waitFor();
    await given.getByRole('link', { name: 'edsger', exact: true }).waitFor();
    await expect.poll(() => given.getByText(/[0-9a-f]{8}-[0-9a-f]{4}/).count()).toBe(0);
    await page.getByRole('row').filter({ hasText: 'operator.create' }).waitFor();
  });

  it('filters the audit log by the address, and clears the filters', async () => {
    const page = await open();
    await create(page, 'barbara');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.goto('/console/installation/audit?action=operator.create');
    await page.getByRole('row').filter({ hasText: 'barbara' }).waitFor();
    expect(await page.getByLabel('Action').inputValue()).toBe('operator.create');
    await page.getByLabel('Changed since').fill('2100-01-01T00:00');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No change is like this').waitFor();
    expect(new URL(page.url()).searchParams.get('from')).toMatch(/^(2099-12-31|2100-01-01)T.*Z$/);
    expect(await page.getByLabel('Changed since').inputValue()).toBe('2100-01-01T00:00');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row').filter({ hasText: 'barbara' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('switches an operator off and on, resets and removes them after naming them', async () => {
    const page = await open();
    const drawer = await createAndOpen(page, 'alan');
    const confirm = async (button: string, question: string, answer: string) => {
      await drawer.getByRole('button', { name: button }).click();
      await page.getByRole('dialog', { name: question }).getByRole('button', { name: answer }).click();
    };
    await confirm('Switch off', 'Switch the operator alan off?', 'Switch the operator off');
    await drawer.getByRole('button', { name: 'Switch on' }).click();
    await drawer.getByRole('button', { name: 'Switch off' }).waitFor();
    await confirm('Reset', 'Have alan begin anew?', 'Reset the sign-in');
    const shown = page.getByRole('dialog', { name: 'Sign-in link for alan' });
    expect(await shown.getByRole('textbox', { name: 'Sign-in link' }).inputValue()).toContain('#token=');
    await shown.getByRole('button', { name: 'Done' }).click();
    await confirm('Remove', 'Remove the operator alan?', 'Remove the operator');
    await page.getByText('The operator alan was removed.').waitFor();
    await page.getByRole('link', { name: 'alan' }).waitFor({ state: 'detached' });
  });

  it('shows a viewer who there is, without a button that changes it', async () => {
    const page = await open({ role: 'viewer', of: 'installation' });
    const own = rowOf(page, 'viewer-');
    await own.getByText('You').waitFor();
    await own.getByRole('link').click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Roles' }).waitFor();
    for (const name of ['Create operator', 'Give role', /^Take/, 'Reset', 'Switch off', 'Remove', 'New sign-in link']) {
      expect(await page.getByRole('button', { name }).count(), String(name)).toBe(0);
    }
    await page.getByRole('dialog').getByRole('link', { name: 'What was changed of them' }).waitFor();
  });
});
