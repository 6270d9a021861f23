import { expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.js';
import { createCampaign, waitForCampaign } from '../support/campaigns.js';
import { createGroup, createTemplate } from '../support/channel-contents.js';
import { createTestChannel } from '../support/channels.js';
import { sendSms, waitForStatus } from '../support/messages.js';
import { createTestOperator } from '../support/operators.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

describeConsole('messages', (console) => {
  it('the message list shows sent messages', async () => {
    await console.open('messages').then(async (page) => {
      await page.getByText('No messages yet').waitFor();
    });
    await sendSms(console.api, console.account, { to: '15005550111' });
    const page = await console.open('messages');
    await page.getByRole('link', { name: '+15005550111' }).waitFor();
  });

  it('a message is found by its number, and its page shows the history', async () => {
    const { api, account } = console;
    const otherId = (await sendSms(api, account, { to: '447911123456' })).message_id;
    const { message_id: id } = await sendSms(api, account, { to: '15005550002' });
    await waitForStatus(api, [otherId], 'delivered');
    await waitForStatus(api, [id], 'undelivered');
    const page = await console.open('messages');
    await page.getByRole('link', { name: '+447911123456' }).waitFor();
    await page.getByLabel('Number, user ID, message ID or reference').fill('+1 500 555-0002');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/find=/);
    await page.getByRole('link', { name: '+447911123456' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '+15005550002' }).press('Enter');
    await page.getByText('The phone could not be reached.').first().waitFor();
    await page.getByText('Accepted by simulator').waitFor();
    await page.locator('h1:focus', { hasText: 'Message to' }).waitFor();
    await page.goBack();
    await page.locator('a:focus', { hasText: '+15005550002' }).waitFor();
  });

  it('a message that does not exist is requested once, and its page links to the list', async () => {
    const page = await console.open('messages/no-such-message');
    expectProblems(page, /status of 404/);
    await page.getByText('Not found').waitFor();
    let requestCount = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/messages/no-such-message')) requestCount += 1;
    });
    const accountRefetched = page.waitForResponse((response) =>
      response.url().endsWith(`/accounts/${console.account.id}`),
    );
    await sendSms(console.api, console.account, { to: '15005550111' });
    await accountRefetched;
    expect(requestCount).toBe(0);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('link', { name: 'All messages' }).click();
    await page.getByRole('heading', { name: 'Messages' }).waitFor();
  });

  it('the list of received messages links to the conversation and the contact', async () => {
    const { api, account } = console;
    const channel = await createTestChannel(api.deps, account);
    const { ask } = await createTestOperator(api);
    const inbound = `/accounts/${account.id}/channels/${channel.channelId}/simulator/inbound`;
    await ask('POST', inbound, { from: '447911123457', text: 'Is my parcel on its way?' });
    const page = await console.open('messages');
    await page.getByText('Received', { exact: true }).click();
    await page.getByText('Is my parcel on its way?').waitFor();
    await page.getByLabel('Sender’s number or user ID').fill('+44 7911 123457');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/find=/);
    await checkAccessible(page, 'messages-received');
    await page.getByRole('link', { name: 'Open' }).click();
    await page.getByRole('dialog').getByText('+447911123457').first().waitFor();
    await page.goBack();
    await page.getByRole('link', { name: '+447911123457' }).click();
    await page.getByRole('list', { name: 'Messages' }).getByText('Is my parcel on its way?').waitFor();
    await page.getByRole('textbox', { name: 'Write a reply' }).fill('It is.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const reply = page.getByRole('list', { name: 'Messages' }).getByRole('listitem').filter({ hasText: 'It is.' });
    await reply.waitFor();
    const message = await api.deps.prisma.message.findFirstOrThrow({ where: { recipient: '447911123457' } });
    await page.goto(`/console/a/${account.id}/messages/${message.id}`);
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByRole('link', { name: 'All messages to this number' }).waitFor();
    expect(await details.getByRole('link', { name: 'Open' }).count()).toBe(2);
    await details.getByRole('link', { name: 'Open' }).last().click();
    await page.getByRole('list', { name: 'Messages' }).getByText('It is.').waitFor();
  });

  it('the message history links to webhooks and the campaign, even for a channel other than the first', async () => {
    const { api, account } = console;
    const { prisma } = api.deps;
    // The test needs a channel other than the account's first, to which URLs without a channel lead.
    const channel = await createTestChannel(api.deps, account);
    const channelRef = { accountId: account.id, channelId: channel.channelId };
    const createWebhook = (fields: object, host: string) =>
      prisma.webhook.create({
        data: {
          id: newId(),
          accountId: account.id,
          url: `https://${host}.invalid/hook`,
          events: ['message.status'],
          secret: 'whsec_AAAA',
          isActive: false,
          ...fields,
        },
      });
    const [channelWebhook, accountWebhook, deletedWebhook] = [
      await createWebhook(channelRef, 'channel'),
      await createWebhook({}, 'account'),
      await createWebhook(channelRef, 'deleted'),
    ];
    await createTemplate(api.deps, channel);
    const { id: groupId } = await createGroup(api.deps, channel, { size: 1 });
    const campaign = await createCampaign(api, channel, { groupId, name: 'Spring' });
    await waitForCampaign(api, channel, campaign.id, 'completed');
    const { id } = await prisma.message.findFirstOrThrow({ where: { channelId: channel.channelId } });
    for (const { id: webhookId } of [channelWebhook, accountWebhook, deletedWebhook]) {
      await prisma.webhookDelivery.create({
        data: {
          id: newId(),
          webhookId,
          type: 'message.status',
          data: { messageId: id, status: 'sent' },
          status: 'failed',
          occurredAt: new Date(),
        },
      });
    }
    await prisma.webhook.delete({ where: { id: deletedWebhook.id } });
    const page = await console.open(`messages/${id}`);
    const history = page.getByRole('region', { name: 'History' });
    for (const host of ['channel.invalid', 'account.invalid']) {
      await history.getByRole('link', { name: host }).click();
      await page.getByRole('heading', { name: host }).waitFor();
      await page.goBack();
    }
    await history.getByText('Deleted webhook').waitFor();
    expect(await history.getByRole('link').count()).toBe(2);
    await page.getByRole('region', { name: 'Details' }).getByRole('link', { name: 'Open' }).first().click();
    await page.getByRole('heading', { name: 'Spring' }).waitFor();
  });

  it('a developer cancels a scheduled message, a viewer cannot', async () => {
    const { api, account } = console;
    const response = await api.app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: account.headers,
      payload: {
        from: 'Heliograph',
        to: '447911123457',
        message: 'Later',
        scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
      },
    });
    const id = response.json().data[0].message_id;
    const viewerPage = await console.open(`messages/${id}`, { role: 'viewer', scope: 'account' });
    await viewerPage.getByRole('heading', { name: 'History' }).waitFor();
    expect(await viewerPage.getByRole('button', { name: 'Cancel message' }).count()).toBe(0);

    const page = await console.open(`messages/${id}`, { role: 'developer', scope: 'account' });
    await page.getByRole('button', { name: 'Cancel message' }).click();
    await page
      .getByRole('dialog')
      .locator('button:focus', { hasText: /^Cancel$/ })
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel message' }).click();
    await page.getByText('Refunded $0.01').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel message' }).count()).toBe(0);
  });
});
