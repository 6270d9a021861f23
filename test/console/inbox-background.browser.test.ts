import type { Route } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { createTestOperator } from '../support/operators.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { setHidden } from './support/hidden-tab.js';
import { expectProblems } from './support/page-problems.js';
import { takeShots } from './support/take-shots.js';

describeConsole('refreshing an open conversation', (console) => {
  let channel: TestChannel;
  beforeAll(async () => {
    channel = await createTestChannel(console.api.deps, console.account);
  });

  const play = async (from: string, text: string) => {
    const { ask } = await createTestOperator(console.api);
    const path = `/accounts/${channel.account.id}/channels/${channel.channelId}/simulator/inbound`;
    const response = await ask('POST', path, { from, text });
    expect(response.statusCode, response.body).toBe(200);
    return response.json().data.conversationId as string;
  };

  it('a draft and its idempotency key are kept while refetching fails, so that the reply is sent once', async () => {
    const id = await play('15005550121', 'Are you there?');
    const page = await console.open(`inbox/${id}`);
    const field = page.getByRole('textbox', { name: 'Write a reply' });
    const send = page.getByRole('button', { name: 'Send', exact: true });
    await field.fill('We are.');
    expectProblems(page, /ERR_FAILED/, /status of 403/);
    await page.route(
      '**/messages/reply',
      async (route: Route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    const error = { code: 'FORBIDDEN', message: 'Not now.' };
    await page.route(`**/conversations/${id}`, (route) => route.fulfill({ status: 403, json: { error } }));
    await send.click();
    const retry = page.getByRole('button', { name: 'Try again' });
    await retry.waitFor();
    expect(await field.inputValue()).toBe('We are.');
    await checkAccessible(page, 'conversation-not-read-again');
    await takeShots(page, 'conversation-not-read-again');
    await page.unroute(`**/conversations/${id}`);
    await retry.click();
    await retry.waitFor({ state: 'detached' });
    await send.click();
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await console.api.deps.prisma.message.count({ where: { conversationId: id } })).toBe(1);
  });

  it('messages that arrive in a hidden tab are marked as read only when the tab is shown again', async () => {
    const { prisma } = console.api.deps;
    const readUnreadCount = async (id: string) =>
      (await prisma.conversation.findUniqueOrThrow({ where: { id } })).unreadCount;
    const id = await play('15005550122', 'Hello?');
    const page = await console.open('inbox');
    // The page must know that the first message was read, or it would mark the second one as read together with it.
    const firstWasRead = page.waitForResponse(
      async (response) =>
        response.url().endsWith(`/conversations/${id}`) && (await response.json()).data.unreadCount === 0,
    );
    await page.getByRole('link', { name: /15005550122|Hello\?/ }).click();
    await firstWasRead;
    expect(await readUnreadCount(id)).toBe(0);
    // The tab is hidden just before the page renders the conversation with the new message.
    await page.route(`**/conversations/${id}`, async (route) => {
      const response = await route.fetch();
      if ((await response.json()).data.unreadCount === 1) await setHidden(page, true);
      await route.fulfill({ response });
    });
    await prisma.contact.updateMany({ where: { phone: '15005550122' }, data: { name: 'Hedy Lamarr' } });
    await play('15005550122', 'Is anybody there?');
    await page.getByRole('heading', { name: 'Hedy Lamarr' }).first().waitFor();
    await page.getByRole('list', { name: 'Messages' }).getByText('Is anybody there?').waitFor();
    expect(await readUnreadCount(id)).toBe(1);
    await page.unroute(`**/conversations/${id}`);
    await setHidden(page, false);
    await expect.poll(() => readUnreadCount(id)).toBe(0);
  });
});
