import { expect, it } from 'vitest';
import { toSid } from '../../../src/platform/text/sids.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel } from '../../support/channels.js';
import { checkAccessible } from '../support/check-accessible.js';
import { clickAndReadCopy } from '../support/click-and-read-copy.js';
import { describeConsole } from '../support/describe-console.js';
import { rotateAtOnce } from '../support/rotate-at-once.js';

describeConsole('programs written for Twilio', (console) => {
  it('the console shows Twilio SIDs of the account, the channel and a template', async () => {
    const channel = await createTestChannel(console.api.deps, console.account);
    const id = await addTemplate(console.api, channel, { name: 'order_update' });
    const page = await console.open('developers/apps', { role: 'viewer', scope: 'account' });
    const section = page.getByRole('region', { name: 'For Twilio’s SDKs' });
    const fieldValue = (name: string) => section.getByRole('textbox', { name, exact: true }).inputValue();
    expect(await fieldValue('Base URL')).toBe(console.url);
    expect(await fieldValue('Account SID, for Twilio’s SDKs')).toBe(toSid('AC', console.account.id));
    expect(await fieldValue('Messaging service SID of Test channel')).toBe(toSid('MG', channel.channelId));
    await checkAccessible(page, 'apps-twilio');
    await page.getByRole('link', { name: 'Templates' }).click();
    const copy = page.getByRole('button', { name: 'Copy the content SID of order_update for Twilio’s SDKs' });
    await expect.poll(() => clickAndReadCopy(page, copy)).toBe(toSid('HX', id));
    await checkAccessible(page, 'templates-content-sid');
  });

  it('account webhooks in Twilio’s format use the given auth token or create one', async () => {
    const page = await console.open('webhooks');
    const dialog = page.getByRole('dialog');
    for (const [index, token] of ['a-token-of-its-own', ''].entries()) {
      const url = `https://nobody.invalid/sms${index}`;
      await page.getByRole('button', { name: 'Create webhook' }).last().click();
      await dialog.getByText('Twilio', { exact: true }).click();
      expect(await dialog.getByRole('checkbox').count()).toBe(2);
      await dialog.getByLabel('URL').fill(url);
      if (token) {
        await dialog.getByLabel('Auth token').fill(token);
        await checkAccessible(page, 'webhook-twilio-format');
      }
      await dialog.getByRole('button', { name: 'Create webhook' }).click();
      await dialog.getByText('Copy the auth token').waitFor();
      const shownToken = await dialog.getByRole('textbox', { name: 'Auth token', exact: true }).inputValue();
      if (token) expect(shownToken).toBe(token);
      else expect(shownToken).toMatch(/^[0-9a-f]{32}$/);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('link', { name: url }).waitFor();
    }
    await page.getByRole('link', { name: 'https://nobody.invalid/sms0' }).click();
    await page.getByText('Whole account · Twilio').waitFor();
    await page.getByRole('textbox', { name: 'URL' }).fill('https://nobody.invalid/changed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The webhook was changed.').first().waitFor();
    expect(await rotateAtOnce(page, 'Auth token')).toMatch(/^[0-9a-f]{32}$/);
    const rows = await console.api.deps.prisma.webhook.findMany({ where: { accountId: console.account.id } });
    expect(rows.map(({ format, channelId }) => [format, channelId])).toEqual(Array(2).fill(['twilio', null]));
  });
});
