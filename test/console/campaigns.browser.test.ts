import { expect, it, onTestFinished } from 'vitest';
import { createCampaign, readCampaign, waitForCampaign } from '../support/campaigns.js';
import { createGroup, createTemplate } from '../support/channel-contents.js';
import { createTestChannel } from '../support/channels.js';
import { ControlledFaults } from '../support/controlled-faults.js';
import { waitFor } from '../support/wait-for.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';

const faults = new ControlledFaults();

describeConsole(
  'campaigns',
  (console) => {
    it('an operator creates a campaign with an estimate, follows its progress and cancels it', async () => {
      const { deps } = console.api;
      const channel = await createTestChannel(deps, console.account);
      await createTemplate(deps, channel, { name: 'spring', body: 'Hello {{1}}, spring is here' });
      // The group is created in parts, because a single query would take too long.
      const everybody = await createGroup(deps, channel, { size: 4_000, name: 'Everybody' });
      for (let part = 1; part < 4; part++) {
        const { id } = await createGroup(deps, channel, { size: 4_000 });
        await deps.pool.query('UPDATE group_members SET group_id = $1 WHERE group_id = $2', [everybody.id, id]);
      }
      await deps.prisma.contactGroup.update({ where: { id: everybody.id }, data: { contactCount: 16_000 } });
      const page = await console.open('campaigns');
      await page.getByText('No campaigns yet').waitFor();
      await page.getByRole('link', { name: 'New campaign' }).first().click();

      await page.getByLabel('Name').fill('Spring sale');
      await page.getByRole('combobox', { name: 'Template', exact: true }).selectOption({ label: 'spring (en_US)' });
      await page.getByRole('button', { name: 'Insert a placeholder into {{1}} in the body' }).click();
      await page.getByRole('menuitem', { name: '{{contact.name|there}}' }).click();
      await page.getByRole('combobox', { name: 'Groups', exact: true }).click();
      await page.getByRole('option', { name: 'Everybody (16,000)' }).click();
      await page.getByRole('button', { name: 'Estimate messages and cost' }).click();
      await page.getByText('16,000 messages for $160.00').waitFor();
      await page.getByText('The balance is too low').waitFor();
      await page.getByText('Hello there, spring is here').waitFor();
      await checkAccessible(page, 'campaign-new');

      // Starting with the fourth, the campaign's turns wait until the test has canceled the campaign.
      let turns = 0;
      let release = () => {};
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      onTestFinished(release);
      faults.on('campaign:taken', () => {
        turns += 1;
        return turns > 3 ? gate : undefined;
      });
      await page.getByLabel('Name').press('Enter');
      await page.getByRole('button', { name: 'Send 16,000 messages now' }).click();
      await page.getByRole('heading', { name: 'Spring sale' }).waitFor();
      await page
        .locator('dd')
        .filter({ hasText: /^[1-9]/ })
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Cancel campaign' }).click();
      await page.getByRole('button', { name: 'Cancel the campaign' }).click();
      await page.getByRole('button', { name: 'Cancel campaign' }).waitFor({ state: 'detached' });
      release();
      await page.getByRole('link', { name: /^\+49/ }).first().waitFor();
      // The progress text counts all recipients, including those without a message.
      await page.getByText(/^Messages created for [\d,]+ of 16,000 recipients\.$/).waitFor();
      const unsentText = await page.getByText(/^Not sent when it ended: [\d,]+\./).innerText();
      expect(Number(/[\d,]+/.exec(unsentText)?.[0].replaceAll(',', ''))).toBeGreaterThan(14_000);
      const campaign = await deps.prisma.campaign.findFirstOrThrow({ where: { channelId: channel.channelId } });
      expect(campaign.status).toBe('canceled');
      expect(campaign.messageCount).toBeLessThan(16_000);

      await page.getByRole('link', { name: '← Campaigns' }).click();
      await page.getByRole('link', { name: 'Spring sale' }).waitFor();
    });

    it('the page of a campaign shows its results and offers every recipient as CSV', async () => {
      const { deps } = console.api;
      const channel = await createTestChannel(deps, console.account);
      await createTemplate(deps, channel);
      const group = await createGroup(deps, channel, { size: 3 });
      for (const [index, phone] of ['15005550001', '15005550006', '15005550100'].entries()) {
        await deps.prisma.contact.update({ where: { id: group.contactIds[index] as string }, data: { phone } });
      }
      const { id } = await createCampaign(console.api, channel, { groupId: group.id, name: 'Spring sale' });
      await waitForCampaign(console.api, channel, id, 'completed');
      await waitFor('the receipts', async () => {
        const { counts } = await readCampaign(console.api, channel, id);
        return counts.delivered === 1 && counts.read === 1;
      });

      const page = await console.open(`campaigns/${id}?channel=${channel.channelId}`);
      const results = page.getByRole('region', { name: 'Results', exact: true });
      await results.getByText('$0.02', { exact: true }).waitFor();
      await results.getByRole('button', { name: 'Show as table' }).click();
      await results.getByRole('row', { name: 'Delivered (66.7%) 2' }).waitFor();
      await page.getByRole('region', { name: 'Errors' }).getByRole('row').nth(1).waitFor();
      const href = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href');
      expect(href).toMatch(new RegExp(`${id}/recipients\\.csv$`));
      await checkAccessible(page, 'campaign-results');
    });

    it('an operator sees segments and price of an SMS campaign before starting it', async () => {
      const { deps } = console.api;
      const channel = await createTestChannel(deps, console.account, { kind: 'sms' });
      const { contactIds } = await createGroup(deps, channel, { size: 2, name: 'Subscribers' });
      await deps.prisma.contact.update({ where: { id: contactIds[1] }, data: { firstName: 'Žofie' } });
      const page = await console.open(`campaigns/new?channel=${channel.channelId}`);
      await page.getByLabel('Name').fill('SMS sale');
      await page
        .getByRole('textbox', { name: 'Text', exact: true })
        .fill(`Our spring sale starts today. ${'Come by. '.repeat(5)}Hello `);
      await page.getByRole('button', { name: 'Insert a placeholder into Text' }).click();
      await page.getByRole('menuitem', { name: '{{contact.firstName}}' }).click();
      await page.getByLabel('Opt-out line').fill('Reply STOP to opt out.');
      await page.getByRole('combobox', { name: 'Groups', exact: true }).click();
      await page.getByRole('option', { name: 'Subscribers (2)' }).click();
      await page.getByRole('button', { name: 'Estimate messages and cost' }).click();
      await page
        .getByText('3 segments. Messages in the GSM alphabet: 1; in UCS-2, which fits fewer characters: 1.')
        .waitFor();
      await page.getByText(/^Most expensive message: to .* for 2 segments \(UCS-2\)$/).waitFor();
      await checkAccessible(page, 'campaign-new-sms');
      await page.getByRole('button', { name: 'Send 2 messages now' }).click();
      await page.getByRole('heading', { name: 'SMS sale' }).waitFor();
      await page.getByText('Messages created for 2 of 2 recipients.').waitFor();
      await checkAccessible(page, 'campaign-sms');
    });

    it('an operator creates a campaign with variants and a test, and sees the results by variant', async () => {
      const { deps } = console.api;
      const channel = await createTestChannel(deps, console.account);
      await createTemplate(deps, channel, { name: 'long' });
      await createTemplate(deps, channel, { name: 'short' });
      await createGroup(deps, channel, { size: 8, name: 'Testers' });
      const page = await console.open(`campaigns/new?channel=${channel.channelId}`);
      await page.getByLabel('Name').fill('Long or short');
      await page.getByRole('combobox', { name: 'Template', exact: true }).selectOption({ label: 'long (en_US)' });
      await page.getByRole('button', { name: 'Add a variant' }).click();
      await page.getByRole('combobox', { name: 'Template of variant B' }).selectOption({ label: 'short (en_US)' });
      await page.getByText('Variant A is the message above and gets the remaining 50 %.').waitFor();
      await page.getByLabel('Test first, then send the winner to everyone else').check();
      await page.getByLabel('Recipients in the test, in percent').fill('50');
      await page.getByRole('combobox', { name: 'Groups', exact: true }).click();
      await page.getByRole('option', { name: 'Testers (8)' }).click();
      await page.getByRole('button', { name: 'Estimate messages and cost' }).click();
      await page.getByText('8 messages for $0.08').waitFor();
      await checkAccessible(page, 'campaign-variants');
      await page.getByRole('button', { name: 'Send 8 messages now' }).click();
      const results = page.getByRole('region', { name: 'Results by variant' });
      await results.getByText('The winner is chosen at').waitFor();

      await deps.prisma.campaign.updateMany({
        where: { channelId: channel.channelId },
        data: { testEndsAt: new Date(0) },
      });
      await results.getByText('There are no reads, so variant A wins.').waitFor();
      await results.getByRole('row', { name: /^Variant B: short/ }).waitFor();
      await checkAccessible(page, 'campaign-variant-results');
    });

    it('a viewer cannot create campaigns', async () => {
      await createTestChannel(console.api.deps, console.account);
      const page = await console.open('campaigns', { role: 'viewer', scope: 'account' });
      await page.getByRole('heading', { name: 'Campaigns' }).waitFor();
      expect(await page.getByRole('link', { name: 'New campaign' }).count()).toBe(0);
    });
  },
  { faults },
);
