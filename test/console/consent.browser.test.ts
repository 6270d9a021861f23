import { beforeAll, expect, it } from 'vitest';
import { call } from '../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';

describeConsole('consent', (console) => {
  let channel: TestChannel;
  let contactId: string;
  beforeAll(async () => {
    channel = await createTestChannel(console.api.deps, console.account);
    const created = await call(console.api, channel, 'POST', '/contacts', { phone: '15005550111', name: 'Ada' });
    contactId = created.json().data.id;
  });

  it('an operator records that a contact agreed to marketing', async () => {
    const page = await console.open(`contacts?channel=${channel.channelId}&contact=${contactId}`);
    const drawer = page.getByRole('dialog', { name: 'Ada' });
    await drawer.getByText('Marketing: unknown').waitFor();
    await drawer.getByRole('button', { name: 'Record consent' }).click();
    const form = page.getByRole('dialog', { name: 'Record consent' });
    await form.getByLabel('Wording').fill('Agreed on the phone');
    await checkAccessible(page, 'consent-record');
    await form.getByRole('button', { name: 'Save' }).click();
    await drawer.getByText('Marketing: granted', { exact: true }).waitFor();
    await drawer.getByText('Agreed on the phone').waitFor();
    await checkAccessible(page, 'consent');
    const { source } = await console.api.deps.prisma.consent.findFirstOrThrow({
      where: { accountId: channel.account.id },
    });
    expect(source).toBe('operator');
  });
});
