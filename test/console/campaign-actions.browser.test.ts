import { expect, it } from 'vitest';
import { createCampaign } from '../support/campaigns.js';
import { createGroup } from '../support/channel-contents.js';
import { createTestChannel } from '../support/channels.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

const LATER = new Date(Date.now() + 3_600_000).toISOString();

describeConsole('actions of a campaign', (console) => {
  async function openScheduled(body: Partial<Parameters<typeof createCampaign>[2]> = {}) {
    const { deps } = console.api;
    const channel = await createTestChannel(deps, console.account, { kind: 'sms' });
    const group = await createGroup(deps, channel, { name: 'Customers' });
    await deps.prisma.contact.update({ where: { id: group.contactIds[0] as string }, data: { name: 'Ada Lovelace' } });
    const text = 'Hello {{contact.name|there}}';
    const message = { name: 'Spring sale', text, groupId: group.id, scheduledAt: LATER, ...body };
    const campaign = await createCampaign(console.api, channel, message);
    const page = await console.open(`campaigns/${campaign.id}`);
    await page.getByRole('heading', { name: 'Spring sale' }).waitFor();
    return { page, channel, campaign, group };
  }

  it('an operator sends a test to their own number with the values of a contact', async () => {
    const { page, channel } = await openScheduled({ variants: [{ text: 'Bye {{contact.name|you}}', share: 50 }] });
    expectProblems(page, /status of 400/);
    await page.getByRole('button', { name: 'Send test' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send a test' });
    await dialog.getByLabel('Your numbers').fill('12');
    await dialog.getByRole('button', { name: 'Send test now' }).click();
    await dialog.getByText(/^12: /).waitFor();
    await dialog.getByLabel('Your numbers').fill('+1 500 555 0111, +1 500 555 0112');
    await dialog.getByRole('combobox', { name: 'Values of contact' }).fill('ada');
    await page.getByRole('option', { name: /^Ada Lovelace/ }).click();
    await dialog.getByLabel('Variant').selectOption('B');
    await checkAccessible(page, 'campaign-test');
    await dialog.getByRole('button', { name: 'Send test now' }).click();
    await page.getByText('The test was sent to 2 numbers.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    const messages = await console.api.deps.prisma.message.findMany({ where: { channelId: channel.channelId } });
    expect(messages.map(({ recipient, body }) => `${recipient} ${body}`).sort()).toEqual([
      '15005550111 Bye Ada Lovelace',
      '15005550112 Bye Ada Lovelace',
    ]);
  });
});
