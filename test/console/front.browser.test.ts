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

  it('closes its navigation on a phone at Escape, and names the pages of the installation apart', async () => {
    const page = await console.open('/console/installation/audit');
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    // The heading stands there first.
    await expect.poll(() => page.title()).toBe('Installation: Audit log · Heliograph');
    await page.setViewportSize({ width: 390, height: 500 });
    await page.getByRole('button', { name: 'Open the navigation' }).click();
    await page.getByRole('button', { name: 'Close the navigation' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Open the navigation' }).waitFor();
  });

  it('shows the link of the page in the navigation, however far down it stands', async () => {
    const page = await console.open('overview');
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.goto('/console/installation/audit');
    const link = page.getByRole('navigation', { name: 'Pages' }).locator('[data-status="active"]');
    await link.waitFor();
    await expect.poll(async () => ((await link.boundingBox())?.y ?? 500) < 500).toBe(true);
  });

  it('says on every page of a channel where one is made, while there is none', async () => {
    const page = await console.open('overview');
    for (const path of [
      'inbox',
      'contacts',
      'groups',
      'imports',
      'templates',
      'campaigns',
      'automations',
      'settings/api',
    ]) {
      await page.goto(`/console/a/${console.account.id}/${path}`);
      await page.getByText('This account has no channel yet').waitFor();
      const link = page.getByRole('link', { name: 'Go to Settings → Account' });
      expect(await link.getAttribute('href'), path).toBe(`/console/a/${console.account.id}/settings`);
    }
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
