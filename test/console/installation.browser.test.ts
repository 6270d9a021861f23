import { expect, it } from 'vitest';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { shot } from './support/shot.js';

describeConsole('the pages of the installation', (console) => {
  it('adds a route by keyboard alone, and removes it after naming what goes', async () => {
    const page = await console.open('/console/installation/routes');
    await page.getByText('Every SMS goes to simulator', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Add a route' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Carriers' }).focus();
    await page.keyboard.type('simu');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('+49');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: '+49' }).waitFor();
    await checkAccessible(page);
    await shot(page, 'routes');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page
      .getByRole('heading', { name: 'Remove the route for every account, numbers with +49, every sender?' })
      .waitFor();
    await page.getByRole('button', { name: 'Remove the route' }).click();
    await page.getByText('No routes').waitFor();
  });

  it('shows a viewer everything and lets them change nothing', async () => {
    const page = await console.open('settings', { role: 'viewer', of: 'installation' });
    await page.getByRole('region', { name: 'Lighthouse' }).waitFor();
    for (const name of ['Add credit', 'Switch off', 'Save', 'Create channel']) {
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    }
    await page.goto('/console/installation/carriers');
    await page.getByRole('region', { name: 'simulator' }).waitFor();
    expect(await page.getByRole('button', { name: 'Set up a carrier' }).count()).toBe(0);
  });
});
