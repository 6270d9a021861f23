import { expect, it } from 'vitest';
import { describeConsole } from './support/describe-console.js';
import { expectProblems, unexpectedProblems } from './support/page-problems.js';

describeConsole('home page and navigation', (console) => {
  it('the home page redirects to the account, and the navigation lists account and installation pages', async () => {
    const page = await console.open('/console/');
    await page.waitForURL(`${console.url}/console/a/${console.account.id}/overview`);
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    for (const name of ['Messages', 'Inbox', 'Playground', 'Carriers']) {
      await navigation.getByRole('link', { name }).waitFor();
    }
    expect(await navigation.getByRole('link', { name: 'Audit log' }).count()).toBe(2);
  });

  it('operators without a role in the installation do not see its pages in the navigation', async () => {
    const page = await console.open('overview', { role: 'viewer', scope: 'account' });
    await page.getByRole('link', { name: 'Messages' }).waitFor();
    expect(await page.getByRole('link', { name: 'Carriers' }).count()).toBe(0);
  });

  it('a visitor without a session is asked to sign in', async () => {
    const page = await console.open('overview', null);
    // Until someone signs in, the server answers the page's session query with 401.
    expectProblems(page, /status of 401/);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('Escape closes the navigation on a phone, and installation pages have distinct titles', async () => {
    const page = await console.open('/console/installation/audit');
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    await expect.poll(() => page.title()).toBe('Installation: Audit log · Heliograph');
    await page.setViewportSize({ width: 390, height: 500 });
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await page.getByRole('button', { name: 'Close navigation' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Open navigation' }).waitFor();
  });

  it('the navigation scrolls to the link of the current page', async () => {
    const page = await console.open('overview');
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.goto('/console/installation/audit');
    const link = page.getByRole('navigation', { name: 'Pages' }).locator('[data-status="active"]');
    await link.waitFor();
    await expect.poll(async () => ((await link.boundingBox())?.y ?? 500) < 500).toBe(true);
  });

  it('channel pages link to the account settings if the account has no channel', async () => {
    const page = await console.open('overview');
    for (const path of [
      'inbox',
      'contacts',
      'groups',
      'audiences',
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

  it('the content security policy blocks inline scripts', async () => {
    const page = await console.open('/console/');
    const [{ headers }] = [await console.api.app.inject({ url: '/console/', headers: { accept: 'text/html' } })];
    expect(headers['content-security-policy']).not.toContain('unsafe');
    await page.getByRole('link', { name: 'Messages' }).waitFor();
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), {textContent: 'x = 1'}))",
    );
    await expect.poll(() => unexpectedProblems(page).join()).toContain('Content Security Policy');
    expectProblems(page, /Content Security Policy/);
  });
});
