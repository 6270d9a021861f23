import type { Locator, Page, Route } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { addTemplate } from '../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { createTestOperator } from '../support/operators.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

const ANN = '15005550111';
const BOB = '15005550112';

async function fillInTemplate(
  page: Page,
  dialog: Locator,
  template: RegExp,
  fields: Readonly<Record<string, string>> = {},
) {
  await dialog.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: template }).click();
  for (const [name, value] of Object.entries(fields)) await dialog.getByRole('textbox', { name }).fill(value);
}

describeConsole('the inbox', (console) => {
  let channel: TestChannel;

  const play = async (from: string, fields: object) => {
    const { ask } = await createTestOperator(console.api);
    const path = `/accounts/${channel.account.id}/channels/${channel.channelId}/simulator/inbound`;
    const response = await ask('POST', path, { from, ...fields });
    expect(response.statusCode, response.body).toBe(200);
    return response.json().data.conversationId as string;
  };

  beforeAll(async () => {
    channel = await createTestChannel(console.api.deps, console.account);
    await addTemplate(console.api, channel, {
      name: 'delivery_scheduled',
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'Delivery for {{customer}}' },
        { type: 'BODY', text: 'Parcel *{{parcel}}* arrives on {{day}} at your door.' },
        { type: 'FOOTER', text: 'Reply STOP to hear no more from us.' },
        { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://example.com/track/{{1}}' }] },
      ],
    });
    const card = (name: string) => ({
      components: [
        { type: 'HEADER', format: 'IMAGE' },
        { type: 'BODY', text: `${name} for {{1}} now` },
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Buy' }] },
      ],
    });
    await addTemplate(console.api, channel, {
      name: 'carousel_of_shirts',
      components: [
        { type: 'BODY', text: 'New this week:' },
        { type: 'CAROUSEL', cards: [card('Red'), card('Blue')] },
      ],
    });
    await addTemplate(console.api, channel, {
      name: 'offer_of_the_day',
      components: [
        { type: 'BODY', text: '20 percent off *everything*.' },
        { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Only today', has_expiration: true } },
        {
          type: 'BUTTONS',
          buttons: [{ type: 'COPY_CODE' }, { type: 'URL', text: 'To the shop', url: 'https://example.com' }],
        },
      ],
    });
    await play(ANN, { text: 'Hello, where is my order?' });
    await play(ANN, { type: 'location', payload: { latitude: 52.52, longitude: 13.405, name: 'Berlin' } });
    await play(ANN, { type: 'document', payload: { filename: 'invoice.pdf', link: 'javascript:alert(1)' } });
    await play(BOB, { text: 'Thank you!' });
    await console.api.deps.prisma.contact.updateMany({ where: { phone: ANN }, data: { name: 'Ann Lighthouse' } });
  });

  it('the inbox counts unread messages and shows the delivery of a reply', async () => {
    const page = await console.open('inbox');
    const list = page.getByRole('navigation', { name: 'Conversations' });
    await list.getByRole('link', { name: /Ann Lighthouse.*3 unread/ }).waitFor();
    await list.getByRole('link', { name: /Ann Lighthouse/ }).click();
    const history = page.getByRole('list', { name: 'Messages' });
    await history.getByText('Hello, where is my order?').waitFor();
    // A javascript: link is shown as text and is not clickable.
    await history.getByText('invoice.pdf').waitFor();
    expect(await history.getByRole('link', { name: /invoice/ }).count()).toBe(0);
    expect(await history.getByRole('link', { name: 'Berlin' }).getAttribute('href')).toContain('mlat=52.52');
    await page
      .getByRole('timer')
      .getByText(/Free text for 23 h \d+ min/)
      .waitFor();

    await page.getByRole('textbox', { name: 'Write a reply' }).fill('It is on its way, Ann.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const reply = history.getByRole('listitem').filter({ hasText: 'It is on its way, Ann.' });
    await reply.getByRole('img', { name: /Delivered|Read/ }).waitFor();
    await expect.poll(() => list.getByRole('link', { name: /Ann Lighthouse.*unread/ }).count()).toBe(0);
  });

  it('a reply whose response was lost is sent only once when the operator retries', async () => {
    const id = await play('15005550114', { text: 'Are you there?' });
    await play('15005550118', { text: 'Somebody else' });
    const page = await console.open(`inbox/${id}`);
    const loseResponse = async (route: Route) => {
      await route.fetch();
      await route.abort();
    };
    await page.route('**/messages/reply', loseResponse, { times: 1 });
    expectProblems(page, /ERR_FAILED/);
    await page.getByRole('textbox', { name: 'Write a reply' }).fill('We are.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('alert').waitFor();
    const list = page.getByRole('navigation', { name: 'Conversations' });
    await list.getByRole('link', { name: /15005550118/ }).click();
    await page.getByRole('list', { name: 'Messages' }).getByText('Somebody else').waitFor();
    await list.getByRole('link', { name: /15005550114/ }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Write a reply' }).inputValue()).toBe('We are.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Write a reply' }).inputValue()).toBe('');
    expect(await console.api.deps.prisma.message.count({ where: { conversationId: id } })).toBe(1);
  });

  it('a scrolled-back conversation stays in place when messages arrive, and announces them', async () => {
    const from = '15005550120';
    let id = '';
    for (let no = 1; no <= 24; no += 1) id = await play(from, { text: `Question ${no}\nand another line of it` });
    const page = await console.open(`inbox/${id}`);
    const history = page.getByRole('list', { name: 'Messages' });
    const scrollPosition = () =>
      history.evaluate((list: unknown) => {
        const { scrollHeight, clientHeight, scrollTop } = list as Record<string, number>;
        return { top: scrollTop, below: Number(scrollHeight) - Number(clientHeight) - Number(scrollTop) };
      });
    const isAtEnd = async () => (await scrollPosition()).below < 10;
    await history.getByText('Question 24').waitFor();
    await expect.poll(isAtEnd).toBe(true);
    const announcements = page.locator('[data-announced]');
    expect(await announcements.innerText()).toBe('');
    expect(await history.getAttribute('aria-live')).toBeNull();

    await play(from, { text: 'One that is read at the end' });
    await history.getByText('One that is read at the end').waitFor();
    await expect.poll(isAtEnd).toBe(true);
    await history.evaluate((list: unknown) => (list as { scrollTo(to: object): void }).scrollTo({ top: 0 }));
    await play(from, { text: 'One that comes meanwhile' });
    await history.getByText('One that comes meanwhile').waitFor();
    await expect.poll(() => announcements.innerText()).toContain('One that comes meanwhile');
    expect((await scrollPosition()).top).toBeLessThan(100);

    await page.getByRole('textbox', { name: 'Write a reply' }).fill('An answer');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await history.getByText('An answer').waitFor();
    await expect.poll(isAtEnd).toBe(true);
  });

  it('an operator simulates an incoming message, and filters and searches conversations', async () => {
    const page = await console.open('inbox');
    await page.getByRole('button', { name: 'Simulate incoming message' }).click();
    const dialog = page.getByRole('dialog', { name: 'Simulate an incoming message' });
    await dialog.getByRole('textbox', { name: 'From' }).fill('+1 500 555 0113');
    await dialog.getByRole('textbox', { name: 'Message' }).fill('Anybody there?');
    await dialog.getByRole('button', { name: 'Simulate message' }).click();
    await page.getByRole('heading', { name: '+15005550113' }).first().waitFor();

    const list = page.getByRole('navigation', { name: 'Conversations' });
    await list.getByRole('searchbox').fill('lighthouse');
    await page.waitForURL(/search=lighthouse/);
    await list.getByRole('link', { name: /Ann Lighthouse/ }).waitFor();
    await expect.poll(() => list.getByRole('link').count()).toBe(1);
    await list.getByRole('searchbox').fill('');
    await list.getByText('Unread', { exact: true }).click();
    await list.getByRole('link', { name: /15005550112/ }).waitFor();
    await expect.poll(() => list.getByRole('link', { name: /Ann/ }).count()).toBe(0);
  });

  it('a draft is kept when opening another conversation, during sending, and when the window closes', async () => {
    const id = await play('15005550115', { text: 'A question' });
    await play('15005550116', { text: 'Another one' });
    const page = await console.open(`inbox/${id}`);
    const list = page.getByRole('navigation', { name: 'Conversations' });
    const field = page.getByRole('textbox', { name: 'Write a reply' });
    await field.and(page.locator(':focus')).waitFor();
    await page.getByText(/\+Enter to send/).waitFor();
    await page.keyboard.type('Half an ans');
    await list.getByRole('link', { name: /15005550116/ }).click();
    await page.getByText('Another one').first().waitFor();
    await field.and(page.locator(':focus')).waitFor();
    expect(await field.inputValue()).toBe('');
    await list.getByRole('link', { name: /15005550115/ }).press('Enter');
    await expect.poll(() => field.inputValue()).toBe('Half an ans');

    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(
      '**/messages/reply',
      async (route) => {
        await gate;
        await route.continue();
      },
      { times: 1 },
    );
    await field.press('End');
    await page.keyboard.type('wer.');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Send', exact: true }).and(page.locator('[data-loading]')).waitFor();
    await field.fill('Half an answer. And');
    release();
    await expect.poll(() => field.inputValue()).toBe('And');

    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('And');
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    await console.api.deps.prisma.conversation.update({ where: { id }, data: { lastInboundAt: twoDaysAgo } });
    await page.reload();
    await page.getByText('Your draft is saved.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Your draft' }).inputValue()).toBe('And');
    expect(await page.getByRole('button', { name: 'Send', exact: true }).count()).toBe(0);

    await page.getByRole('button', { name: 'Your settings' }).click();
    expectProblems(page, /status of 401/);
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('And');
  });

  it('the conversation of an opted-out contact cannot be replied to, and links to the contact', async () => {
    const id = await play('15005550117', { text: 'Hello' });
    await play('15005550117', { text: 'STOP' });
    const page = await console.open(`inbox/${id}`);
    await page.getByText('This contact has opted out').waitFor();
    for (const name of ['Send', 'Send a template']) {
      expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0);
    }
    expect(await page.getByRole('textbox', { name: 'Write a reply' }).count()).toBe(0);
    await page.getByRole('list', { name: 'Messages' }).and(page.locator(':focus')).waitFor();
    await checkAccessible(page, 'inbox-opted-out');
    await page.getByRole('heading', { name: '+15005550117' }).getByRole('link').click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('switch', { checked: true }).waitFor();
    await drawer.getByRole('link', { name: 'Open conversation' }).click();
    await page.getByText('This contact has opted out').waitFor();
  });

  it('outside the window, an operator chooses, fills in, previews and sends a template', async () => {
    const id = await play(BOB, { text: 'One more' });
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    await console.api.deps.prisma.conversation.update({ where: { id }, data: { lastInboundAt: twoDaysAgo } });
    const page = await console.open(`inbox/${id}`);
    await page.getByText('Free text unavailable').first().waitFor();
    expect(await page.getByRole('textbox', { name: 'Write a reply' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Send a template' }).click();
    const dialog = page.getByRole('dialog', { name: /Send a template to/ });
    await fillInTemplate(page, dialog, /delivery_scheduled/, {
      '{{customer}} in the header': 'Bob',
      '{{parcel}} in the body': 'P-77',
      '{{day}} in the body': 'Friday',
      '{{1}} in button 1': 'p77',
    });
    const preview = dialog.getByRole('figure', { name: 'Preview' });
    await preview.getByText('Parcel P-77 arrives on Friday at your door.').waitFor();
    await checkAccessible(page, 'inbox-template');
    await dialog.getByRole('button', { name: 'Send template' }).click();
    const sentMessage = page.getByRole('list', { name: 'Messages' }).getByRole('listitem').filter({ hasText: 'P-77' });
    await sentMessage.getByRole('img', { name: /Sent|Delivered|Read/ }).waitFor();
    for (const part of ['Delivery for Bob', 'Reply STOP to hear no more from us.', 'Track']) {
      await sentMessage.getByText(part, { exact: true }).waitFor();
    }

    await page.getByRole('button', { name: 'Send a template' }).click();
    await fillInTemplate(page, dialog, /offer_of_the_day/);
    // Fields are looked up by label, because a time field does not have the role `textbox`.
    for (const [slot, value] of Object.entries({ 'The offer ends at': '2030-01-01T12:00', Code: 'SAVE20' })) {
      await dialog.getByLabel(slot).fill(value);
    }
    await preview.getByText('Code: SAVE20').waitFor();
    await dialog.getByRole('button', { name: 'Send template' }).click();
    const offer = page.getByRole('listitem').filter({ hasText: 'Only today' });
    await offer.getByText('Copy offer code').waitFor();
    await page.getByRole('button', { name: 'Send a template' }).click();
    await fillInTemplate(page, dialog, /carousel_of_shirts/, {
      'Card 1: Link to the picture': 'https://example.com/red.jpg',
      'Card 1: {{1}} in the body': '5 €',
      'Card 2: Link to the picture': 'https://example.com/blue.jpg',
      'Card 2: {{1}} in the body': '7 €',
    });
    await preview.getByText('Blue for 7 € now').waitFor();
    await checkAccessible(page, 'inbox-template-cards');
    await dialog.getByRole('button', { name: 'Send template' }).click();
    const carousel = page.getByRole('listitem').filter({ hasText: 'Red for 5 € now' });
    await carousel.getByRole('article', { name: 'Card 2' }).getByText('Buy').waitFor();
    await checkAccessible(page, 'inbox-template-sent');
  });

  it('a viewer can read conversations but not write, and does not mark messages as read', async () => {
    const id = await play('15005550119', { text: 'For nobody' });
    const page = await console.open(`inbox/${id}`, { role: 'viewer', scope: 'account' });
    await page.getByRole('list', { name: 'Messages' }).getByText('For nobody').waitFor();
    for (const name of ['Send', 'Send a template', 'Simulate incoming message']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    const { unreadCount } = await console.api.deps.prisma.conversation.findUniqueOrThrow({ where: { id } });
    expect(unreadCount).toBe(1);
  });
});
