import { it } from 'vitest';
import { createAppKey } from '../../src/accounts/keys.js';
import { sendSms, waitForStatus } from '../support/messages.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';

describeConsole('the overview', (console) => {
  it('tells a new account what to do first', async () => {
    const page = await console.open('overview');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('No messages').first().waitFor();
    await checkAccessible(page, 'overview-new');
  }, 60_000);

  it('shows what became of messages, without being loaded again', async () => {
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
    await figures.getByText('75%').waitFor();
    await page.getByText('By country').first().waitFor();
  }, 60_000);
});
