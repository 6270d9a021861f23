import { beforeAll, expect, it } from 'vitest';
import type { InboundChannel } from '../../src/carriers/inbound-message.js';
import { correctReceivedMessage } from '../../src/features/inbound/correct.js';
import { receiveInbound } from '../../src/features/inbound/receive.js';
import { recordAction } from '../../src/features/inbound/record-action.js';
import { systemClock } from '../../src/platform/system-clock.js';
import { INBOUND_TOPICS } from '../../src/process/live-topics.js';
import { createTestChannel } from '../support/channels.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';

const ANN = '15005550131';
const CONTACT = { phone: ANN, userId: null, parentUserId: null };

describeConsole('edits, deletions and reactions in the inbox', (console) => {
  let channel: InboundChannel;
  let options: Parameters<typeof receiveInbound>[0] & { pool: typeof console.api.deps.pool };
  let lastMs = Date.now() - 60_000;
  const nextTime = () => {
    lastMs += 1_000;
    return new Date(lastMs);
  };
  const receive = (carrierMessageId: string, type: string, body: string, payload: object = { body }) =>
    receiveInbound(options, channel, {
      ...{ carrierMessageId, from: ANN, profileName: 'Ann Marks', type, body, payload, receivedAt: nextTime() },
    });
  const recordEdit = (carrierMessageId: string, body: string | null) =>
    correctReceivedMessage(options.pool, {
      ...{ channel, carrierMessageId, isOwn: false, at: nextTime() },
      edit: body === null ? null : { type: 'text', body, payload: { body } },
    });

  beforeAll(async () => {
    options = { ...console.api.deps, clock: systemClock };
    const { channelId, account, phoneNumber } = await createTestChannel(console.api.deps, console.account);
    channel = { id: channelId, accountId: account.id, kind: 'whatsapp', phoneNumber };
    await receive('wamid.mark.1', 'text', 'Meet at noon');
    await receive('wamid.mark.2', 'text', 'My secret');
    await receive('wamid.mark.3', 'text', 'Thank you');
    await recordEdit('wamid.mark.1', 'Meet at one');
    await recordEdit('wamid.mark.2', null);
    for (const emoji of ['🙂', '❤️']) {
      await receive(`wamid.reaction.${emoji}`, 'reaction', '', { message_id: 'wamid.mark.3', emoji });
    }
    await receive('wamid.reaction.else', 'reaction', '', { message_id: 'wamid.of.long.ago', emoji: '🎈' });
    for (const action of ['marketing_messages_link_click', 'held_it_up_to_the_light']) {
      const payload = { action_type: action };
      const report = { carrierMessageId: action, type: 'user_action', payload, at: nextTime(), channel, ...CONTACT };
      expect(await recordAction(options, report)).toBe(true);
    }
  });

  it('edits, deletions, reactions and clicks are shown at their messages', async () => {
    const page = await console.open('inbox');
    await page.getByRole('link', { name: /Ann Marks/ }).click();
    const messages = page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
    const bubble = (text: string) => messages.filter({ hasText: text });

    await bubble('Meet at one').getByText('edited', { exact: true }).waitFor();
    expect(await page.getByText('Meet at noon').count()).toBe(0);

    const deletedBubble = bubble('This message was deleted');
    await deletedBubble.waitFor();
    expect(await deletedBubble.getByText('edited').count()).toBe(0);
    expect(await page.getByText('My secret').count()).toBe(0);

    await bubble('Thank you').getByRole('img', { name: 'Reactions: ❤️' }).waitFor();
    expect(await page.getByText('🙂').count()).toBe(0);
    await bubble('🎈').waitFor();

    await bubble('Clicked a link in a message').waitFor();
    await bubble('Action on a message: held it up to the light').waitFor();
    expect(await bubble('❤️').count()).toBe(1);
    expect(await messages.getByText('Reaction', { exact: true }).count()).toBe(0);
    await checkAccessible(page, 'inbox-marks');
  });

  it('an edit and a reaction appear in an open conversation without a reload', async () => {
    await receive('wamid.mark.4', 'text', 'See you at six');
    const page = await console.open('inbox');
    await page.getByRole('link', { name: /Ann Marks/ }).click();
    const bubble = (text: string) =>
      page.getByRole('list', { name: 'Messages' }).getByRole('listitem').filter({ hasText: text });
    await bubble('See you at six').waitFor();
    await recordEdit('wamid.mark.4', 'See you at seven');
    await receive('wamid.reaction.4', 'reaction', '', { message_id: 'wamid.mark.4', emoji: '👍' });
    console.api.deps.live.markStale(channel.accountId, INBOUND_TOPICS);
    const changed = bubble('See you at seven');
    await changed.getByText('edited', { exact: true }).waitFor();
    await changed.getByRole('img', { name: 'Reactions: 👍' }).waitFor();
    await receive('wamid.reaction.5', 'reaction', '', { message_id: 'wamid.mark.4', emoji: '' });
    console.api.deps.live.markStale(channel.accountId, INBOUND_TOPICS);
    await changed.getByRole('img', { name: /Reactions/ }).waitFor({ state: 'detached' });
  });
});
