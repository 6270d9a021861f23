import { beforeAll, expect, it } from 'vitest';
import { addTemplate } from '../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';

/** Some ask axe about a dialog, in two views. */
const SLOW_MS = 120_000;

describeConsole('the templates', (console) => {
  let channel: TestChannel;

  beforeAll(async () => {
    channel = await createTestChannel(console.api.deps, console.account);
    await addTemplate(console.api, channel, {
      name: 'seasonal_promotion',
      category: 'MARKETING',
      components: [
        { type: 'HEADER', format: 'IMAGE' },
        {
          type: 'BODY',
          text: 'Hello {{1}}, everything in our shop is *{{2}} percent* off this week.',
          example: { body_text: [['Ann', '20']] },
        },
        { type: 'FOOTER', text: 'Reply STOP to hear no more from us.' },
        {
          type: 'BUTTONS',
          buttons: [
            { type: 'URL', text: 'To the shop', url: 'https://example.com' },
            { type: 'QUICK_REPLY', text: 'STOP' },
          ],
        },
      ],
    });
    await addTemplate(console.api, channel, { name: 'prize_draw', status: 'REJECTED' });
  });

  it('are shown as a phone shows them, synced and narrowed by status', { timeout: SLOW_MS }, async () => {
    const page = await console.open('templates');
    const card = page.getByRole('article', { name: 'seasonal_promotion (en_US)' });
    await card.getByText('20 percent').waitFor();
    await page.getByText('Never synced').waitFor();
    await page.getByRole('button', { name: 'Sync' }).click();
    await page.getByText(/Synced: 1 new/).waitFor();
    await page.getByRole('article', { name: /hello_world/ }).waitFor();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Rejected' }).click();
    await page.waitForURL(/status=REJECTED/);
    await expect.poll(() => page.getByRole('article').count()).toBe(1);
  });

  it('are drafted with the rules of Meta beside the fields, and handed in', { timeout: SLOW_MS }, async () => {
    const page = await console.open('templates');
    await page.getByRole('button', { name: 'Draft a template' }).click();
    const dialog = page.getByRole('dialog', { name: 'Draft a template' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Order Ready');
    const body = dialog.getByRole('textbox', { name: 'Body', exact: true });
    await body.fill('{{1}} is ready');
    await body.blur();
    await dialog.getByText(/must neither begin nor end with a parameter/).waitFor();
    await body.fill('Your order {{1}} is *ready*. Come by!');
    await dialog.getByRole('textbox', { name: 'Example of {{1}} in the body' }).fill('A-1001');
    await dialog.getByRole('figure', { name: 'Preview' }).getByText('Your order A-1001 is').waitFor();
    await dialog.getByRole('button', { name: 'Add a button' }).click();
    await dialog.getByRole('textbox', { name: 'Text' }).fill('Thank you');
    await checkAccessible(page, 'template-draft');
    await dialog.getByRole('button', { name: 'Hand in for approval' }).click();
    const card = page.getByRole('article', { name: 'order_ready (en_US)' });
    await card.getByText('Pending').waitFor();
    const stored = await console.api.deps.prisma.template.findFirstOrThrow({ where: { name: 'order_ready' } });
    expect(stored.components).toEqual([
      { type: 'BODY', text: 'Your order {{1}} is *ready*. Come by!', example: { body_text: [['A-1001']] } },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thank you' }] },
    ]);
  });

  it('are edited, and deleted once it was said what that destroys', { timeout: SLOW_MS }, async () => {
    const page = await console.open('templates');
    const card = page.getByRole('article', { name: 'seasonal_promotion (en_US)' });
    await card.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit seasonal_promotion (en_US)' });
    await dialog.getByRole('textbox', { name: 'Footer' }).fill('Only this week.');
    await dialog.getByRole('button', { name: 'Hand in for approval' }).click();
    await card.getByText('Only this week.').waitFor();
    await card.getByText('Pending').waitFor();
    await card.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete the template “seasonal_promotion” (en_US)?' });
    await question.getByRole('button', { name: 'Delete the template' }).click();
    await expect.poll(() => card.count()).toBe(0);
  });
});
