import type pg from 'pg';
import { extractPhone, extractUserId } from '../../../carriers/numbers/user-ids.js';
import { emitEvents } from '../../../messages/events/outbox.js';
import { type ClickedLink, findClickedMessages, findSubscribers } from './click-store.js';

/** Somebody who keeps reloading a link must not flood a webhook. */
const MAX_REPORTED_CLICKS = 100;

/**
 * Emits `link.clicked` to the webhooks that subscribe to it, at most one event per link and batch. Clicks after the hundredth of
 * a link are only counted. Call this function in the transaction that counts the clicks.
 */
export async function emitClicks(client: pg.PoolClient, links: readonly ClickedLink[]): Promise<void> {
  const reported = links.filter(({ clicks, newClicks }) => clicks - newClicks < MAX_REPORTED_CLICKS);
  if (reported.length === 0) return;
  const subscribers = await findSubscribers(client, [...new Set(reported.map(({ accountId }) => accountId))]);
  const subscribed = reported.filter(({ accountId }) => subscribers.has(accountId));
  if (subscribed.length === 0) return;
  const messages = await findClickedMessages(
    client,
    subscribed.map(({ messageId }) => messageId),
  );
  for (const link of subscribed) {
    const message = messages.get(link.messageId);
    // Erased or deleted since the click.
    if (!message) continue;
    const { accountId, channelId, campaignId, messageId, target, newClicks, clicks, lastClickedAt } = link;
    const { kind, contactId, recipient, userId, username } = message;
    const facts = {
      ...{ messageId, kind, channelId, campaignId, contactId, url: target, clicks: newClicks, totalClicks: clicks },
      person: { phone: extractPhone(recipient), userId: userId ?? extractUserId(recipient), username },
    };
    await emitEvents(client, { accountId, channelId, type: 'link.clicked', occurredAt: lastClickedAt }, [facts]);
  }
}
