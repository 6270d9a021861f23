import { beforeAll, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

describeConsole('replies to keywords', (console) => {
  let channel: TestChannel;
  beforeAll(async () => {
    channel = await createTestChannel(console.api.deps, console.account);
  });

  it('an operator turns replies on, with a help contact, and off for a channel', async () => {
    const page = await console.open('opt-outs');
    const replies = page.getByRole('region', { name: 'Replies' });
    await replies.getByRole('switch', { name: 'Reply to STOP, START and HELP' }).click();
    expectProblems(page, /status of 400/);
    await replies.getByRole('button', { name: 'Save' }).click();
    await replies.getByText(/is required while replies are on/).waitFor();
    await replies.getByLabel('Help contact').fill('help@acme.example');
    await replies.getByLabel('Reply to HELP').fill('Acme: write to help@acme.example. Reply STOP to cancel.');
    await replies.getByRole('button', { name: 'Save' }).click();
    const row = replies.getByRole('row', { name: new RegExp(channel.phoneNumber) });
    await row.getByText('Yes', { exact: true }).waitFor();
    await checkAccessible(page, 'keyword-replies');
    await row.getByRole('combobox').click();
    await page.getByRole('option', { name: 'Off', exact: true }).click();
    await row.getByText('No', { exact: true }).waitFor();
  });
});
