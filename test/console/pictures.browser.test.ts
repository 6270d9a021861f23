import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createChannel } from '../../src/features/channels/channels.js';
import { sendSms, waitForStatus } from '../support/messages.js';
import { createTestOperator } from '../support/operators.js';
import { describeConsole } from './support/describe-console.js';
import { SHOTS } from './support/take-shots.js';

const HOUR_MS = 3_600_000;
/** By calling code, the share of messages and the price of one in millionths. */
const COUNTRIES = [
  { callingCode: '1', share: 5, micros: 10_000n },
  { callingCode: '44', share: 3, micros: 30_000n },
  { callingCode: '49', share: 2, micros: 60_000n },
  { callingCode: '33', share: 1, micros: 50_000n },
];
/** Messages in each of the last 23 hours, in units of the shares above. */
const BY_HOUR = [1, 1, 0, 0, 0, 1, 2, 4, 7, 9, 8, 8, 6, 7, 9, 9, 8, 7, 5, 4, 3, 2, 2];
/** The numbers are reserved for fiction. */
const PEOPLE = [
  { phone: '447700900123', name: 'Grace Hopper', text: 'Thank you, it has arrived.' },
  { phone: '4917604069012', name: 'Konrad Zuse', text: 'Can I change the address?' },
  { phone: '14155550123', name: 'Ada Lovelace', text: 'Hello, where is my order?' },
];

describeConsole('the pictures of the documentation', (console) => {
  const save = (page: Page, name: string) => {
    return page.screenshot({ path: join(SHOTS, 'docs', `${name}.png`), animations: 'disabled' });
  };
  const addChannel = async () => {
    const { prisma } = console.api.deps;
    const input = { kind: 'whatsapp' as const, name: 'Shop', phoneNumber: '15005550100', isDefault: true };
    return createChannel(prisma, { accountId: console.account.id, carrier: 'simulator', ...input });
  };

  it('the overview shows what was sent and delivered in each hour and country', async () => {
    const { prisma } = console.api.deps;
    const channel = await addChannel();
    const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const rows = BY_HOUR.flatMap((messages, index) =>
      COUNTRIES.flatMap(({ callingCode, share, micros }) => {
        const accepted = BigInt(messages * share);
        const failed = accepted / 17n;
        const key = { accountId: console.account.id, channelId: channel.id, kind: 'whatsapp' as const, callingCode };
        const location = { ...key, carrier: 'simulator', hour: new Date(now - (BY_HOUR.length - 1 - index) * HOUR_MS) };
        const none = { slot: 0, micros: 0n, milliseconds: 0n };
        const delivered = accepted - failed;
        return [
          { ...location, ...none, event: 'accepted' as const, messages: accepted, micros: accepted * micros },
          { ...location, ...none, event: 'sent' as const, messages: accepted },
          {
            ...location,
            ...none,
            event: 'delivered' as const,
            messages: delivered,
            slot: 2,
            milliseconds: delivered * 1_400n,
          },
          { ...location, ...none, event: 'undelivered' as const, messages: failed },
        ].filter(({ messages: count }) => count > 0n);
      }),
    );
    await prisma.hourlyCount.createMany({ data: rows });
    // The page stops showing the first steps once a message was delivered.
    const { message_id: id } = await sendSms(console.api, console.account, { to: '15005550111' });
    await waitForStatus(console.api, [id], 'delivered');
    const page = await console.open('overview', { role: 'owner', scope: 'account' });
    const delivered = rows
      .filter(({ event }) => event === 'delivered')
      .reduce((sum, { messages }) => sum + messages, 1n);
    await page.getByText(delivered.toLocaleString('en'), { exact: true }).first().waitFor();
    await page.setViewportSize({ width: 1280, height: 1180 });
    await save(page, 'console-overview');
  });

  it('the inbox shows a conversation with the time left for a reply', async () => {
    const { prisma } = console.api.deps;
    const channel =
      (await prisma.channel.findFirst({ where: { accountId: console.account.id } })) ?? (await addChannel());
    const { ask } = await createTestOperator(console.api);
    const path = `/accounts/${console.account.id}/channels/${channel.id}`;
    let latest = '';
    for (const { phone, name, text } of PEOPLE) {
      const { conversationId, contactId } = (
        await ask('POST', `${path}/simulator/inbound`, { from: phone, text })
      ).json().data;
      await prisma.contact.update({ where: { id: contactId }, data: { name } });
      latest = conversationId;
    }
    await ask('POST', `${path}/messages/reply`, {
      to: '14155550123',
      message: 'It left this morning and arrives tomorrow.',
    });
    await ask('POST', `${path}/simulator/inbound`, { from: '14155550123', text: 'Great, thank you!' });
    const page = await console.open(`inbox/${latest}`, { role: 'owner', scope: 'account' });
    await page.getByText('Great, thank you!').last().waitFor();
    await page
      .getByText(/Free text|Reply window/)
      .first()
      .waitFor();
    await expect.poll(() => page.getByText('Grace Hopper').count()).toBeGreaterThan(0);
    await save(page, 'console-inbox');
  });
});
