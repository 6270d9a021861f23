import { expect, it } from 'vitest';
import { describeConsole } from './support/describe-console.js';
import { expectProblems, problemsOf } from './support/page-problems.js';

describeConsole('the front of the console', (console) => {
  it('leads someone who is signed in to their account, and shows the pages of account and installation', async () => {
    const page = await console.open('/console/');
    await page.waitForURL(`${console.url}/console/a/${console.account.id}/overview`);
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    for (const name of ['Messages', 'Inbox', 'Playground', 'Carriers']) {
      await navigation.getByRole('link', { name }).waitFor();
    }
    // The account's own, and that of the installation.
    expect(await navigation.getByRole('link', { name: 'Audit log' }).count()).toBe(2);
  });

  it('shows the pages of the installation to nobody without a role in it', async () => {
    const page = await console.open('overview', { role: 'viewer', of: 'account' });
    await page.getByRole('link', { name: 'Messages' }).waitFor();
    expect(await page.getByRole('link', { name: 'Carriers' }).count()).toBe(0);
  });

  it('asks a stranger to sign in', async () => {
    const page = await console.open('overview', null);
    // The question who is signed in has no other answer.
    expectProblems(page, /status of 401/);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('runs under a policy that lets in no script and no style of elsewhere', async () => {
    const page = await console.open('/console/');
    const [{ headers }] = [await console.api.app.inject({ url: '/console/', headers: { accept: 'text/html' } })];
    expect(headers['content-security-policy']).not.toContain('unsafe');
    await page.getByRole('link', { name: 'Messages' }).waitFor();
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), {textContent: 'x = 1'}))",
    );
    await expect.poll(() => problemsOf(page).join()).toContain('Content Security Policy');
    expectProblems(page, /Content Security Policy/);
  });
});
