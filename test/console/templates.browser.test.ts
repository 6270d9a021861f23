import { beforeAll, expect, it } from 'vitest';
import { addTemplate } from '../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8Dwn4EIAAAx+gP/6nQVfAAAAABJRU5ErkJggg==',
  'base64',
);

describeConsole('templates', (console) => {
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

  const draft = async (name: string, { layout }: { layout: RegExp }) => {
    const page = await console.open('templates');
    await page.getByRole('button', { name: 'Draft a template' }).click();
    const dialog = page.getByRole('dialog', { name: 'Draft a template' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
    for (const [field, option] of [['Category', /Marketing/] as const, ['Layout', layout] as const]) {
      await dialog.getByRole('combobox', { name: field }).click();
      await page.getByRole('option', { name: option }).click();
    }
    return { page, dialog };
  };

  it('templates are previewed, synced and filtered by status', async () => {
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

  it('a template is drafted with Meta’s rules checked in the form, and submitted', async () => {
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
    await dialog.getByRole('button', { name: 'Submit for approval' }).click();
    const card = page.getByRole('article', { name: 'order_ready (en_US)' });
    await card.getByText('Pending').waitFor();
    const storedTemplate = await console.api.deps.prisma.template.findFirstOrThrow({ where: { name: 'order_ready' } });
    expect(storedTemplate.components).toEqual([
      { type: 'BODY', text: 'Your order {{1}} is *ready*. Come by!', example: { body_text: [['A-1001']] } },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thank you' }] },
    ]);
  });

  it('a carousel template is drafted with uploaded pictures', async () => {
    const { page, dialog } = await draft('new_shirts', { layout: /Carousel/ });
    await dialog.getByRole('textbox', { name: 'Body', exact: true }).fill('Hello {{1}}, *new* shirts are here!');
    await dialog.getByRole('textbox', { name: 'Example of {{1}} in the body' }).fill('Ann');
    for (const [index, name] of ['Red', 'Blue'].entries()) {
      const card = dialog.getByRole('group', { name: `Card ${index + 1}`, exact: true });
      await card.getByRole('textbox', { name: 'Text', exact: true }).first().fill(`The _${name}_ one`);
      await card
        .getByRole('region', { name: `Card ${index + 1}: button 1` })
        .getByRole('textbox', { name: 'Text' })
        .fill(`Buy ${name}`);
      const fileChooser = page.waitForEvent('filechooser');
      await card.getByRole('button', { name: 'Upload: Example of the picture' }).click();
      await (await fileChooser).setFiles({ name: 'a.png', mimeType: 'image/png', buffer: PICTURE });
      await expect
        .poll(() => card.getByRole('textbox', { name: 'Example of the picture' }).inputValue())
        .toMatch(/^4::/);
    }
    const preview = dialog.getByRole('figure', { name: 'Preview' });
    await preview.getByText('Hello Ann,').waitFor();
    await preview.getByRole('article', { name: 'Card 2' }).getByText('Buy Blue').waitFor();
    expect(await preview.getByRole('img', { name: 'Picture' }).count()).toBe(2);
    await preview.getByRole('group', { name: '2 cards, scrollable' }).focus();
    await checkAccessible(page, 'template-draft-carousel');
    await dialog.getByRole('button', { name: 'Submit for approval' }).click();
    await page.getByRole('article', { name: 'new_shirts (en_US)' }).getByText('Pending').waitFor();
    const storedTemplate = await console.api.deps.prisma.template.findFirstOrThrow({ where: { name: 'new_shirts' } });
    const buildCard = (name: string) => ({
      components: [
        { type: 'HEADER', format: 'IMAGE', example: { header_handle: [expect.stringMatching(/^4::/)] } },
        { type: 'BODY', text: `The _${name}_ one` },
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: `Buy ${name}` }] },
      ],
    });
    expect(storedTemplate.components).toEqual([
      { type: 'BODY', text: 'Hello {{1}}, *new* shirts are here!', example: { body_text: [['Ann']] } },
      { type: 'CAROUSEL', cards: [buildCard('Red'), buildCard('Blue')] },
    ]);
  });

  it('a limited-time offer is drafted with its rules checked in the form', async () => {
    const { page, dialog } = await draft('only_today', { layout: /^Limited-time offer$/ });
    const title = dialog.getByRole('textbox', { name: 'Offer title' });
    await title.fill('An offer with a title that is too long');
    await title.blur();
    await dialog.getByText(/must be a text of 1 to 16 characters/).waitFor();
    await title.fill('Only today');
    await dialog.getByRole('textbox', { name: 'Body', exact: true }).fill('20 percent off ```everything```.');
    const link = dialog.getByRole('region', { name: 'button 2' });
    await link.getByRole('textbox', { name: 'Text' }).fill('To the shop');
    await link.getByRole('textbox', { name: 'Link' }).fill('https://example.com/{{1}}');
    await dialog.getByRole('textbox', { name: 'Example of the code' }).fill('SAVE20');
    await dialog.getByRole('textbox', { name: 'Example of {{1}} in button 2' }).fill('sale');
    const preview = dialog.getByRole('figure', { name: 'Preview' });
    await preview.getByText('Code: SAVE20').waitFor();
    await preview.locator('code').getByText('everything').waitFor();
    await checkAccessible(page, 'template-draft-offer');
    await dialog.getByRole('button', { name: 'Submit for approval' }).click();
    await page.getByRole('article', { name: 'only_today (en_US)' }).getByText('Pending').waitFor();
    const storedTemplate = await console.api.deps.prisma.template.findFirstOrThrow({ where: { name: 'only_today' } });
    expect(storedTemplate.components).toEqual([
      { type: 'BODY', text: '20 percent off ```everything```.' },
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Only today', has_expiration: true } },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'COPY_CODE', example: 'SAVE20' },
          { type: 'URL', text: 'To the shop', url: 'https://example.com/{{1}}', example: ['https://example.com/sale'] },
        ],
      },
    ]);
  });

  it('editing a template keeps fields that the form does not show', async () => {
    const components = [
      { type: 'BODY', text: 'May we call you?', tone: 'warm' },
      { type: 'BUTTONS', buttons: [{ type: 'VOICE_CALL', text: 'Call us', ttl_minutes: 15 }], more: true },
      { type: 'CALL_PERMISSION_REQUEST' },
    ];
    await addTemplate(console.api, channel, { name: 'may_we_call', components });
    const page = await console.open('templates');
    await page.getByRole('article', { name: 'may_we_call (en_US)' }).getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit may_we_call (en_US)' });
    await dialog.getByRole('textbox', { name: 'Body', exact: true }).fill('May we call you today?');
    await dialog.getByRole('button', { name: 'Submit for approval' }).click();
    await page.getByRole('article', { name: 'may_we_call (en_US)' }).getByText('Pending').waitFor();
    const storedTemplate = await console.api.deps.prisma.template.findFirstOrThrow({ where: { name: 'may_we_call' } });
    expect(storedTemplate.components).toEqual([
      { ...components[0], text: 'May we call you today?' },
      ...components.slice(1),
    ]);
  });

  it('a template is edited, and deleted after a confirmation', async () => {
    const page = await console.open('templates');
    const card = page.getByRole('article', { name: 'seasonal_promotion (en_US)' });
    await card.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit seasonal_promotion (en_US)' });
    await dialog.getByRole('textbox', { name: 'Footer' }).fill('Only this week.');
    await dialog.getByRole('button', { name: 'Submit for approval' }).click();
    await card.getByText('Only this week.').waitFor();
    await card.getByText('Pending').waitFor();
    await card.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete the template “seasonal_promotion” (en_US)?' });
    await question.getByRole('button', { name: 'Delete template' }).click();
    await expect.poll(() => card.count()).toBe(0);
  });
});
