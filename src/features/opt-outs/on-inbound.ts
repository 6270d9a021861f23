import type pg from 'pg';
import type { InboundChannel } from '../../carriers/inbound-message.js';
import { type PersonIds, toAddresses } from '../../carriers/numbers/user-ids.js';
import { toOptOutSender } from '../../messages/send/checks/opted-out.js';
import { listDecidedPurposes, recordConsent } from './ledger/record-consent.js';
import type { MessageKeyword } from './message-keyword.js';
import { emitOptOutEvent } from './opt-out-events.js';
import { decideOptOut } from './opt-out-store.js';

interface KeywordSender {
  channel: InboundChannel;
  contactId: string;
  ids: PersonIds & { username: string | null };
  receivedAt: Date;
}

/**
 * Also writes an entry of the consent ledger, even if a later decision is already stored.
 * Call this function in the transaction that stores the message, and only for a message that was not stored before.
 * Returns false if a later decision to the contrary is already stored.
 */
export async function applyOptOut(
  client: pg.PoolClient,
  { word: keyword, meaning }: MessageKeyword,
  { channel, contactId, ids, receivedAt }: KeywordSender,
): Promise<boolean> {
  if (meaning === 'help') return true;
  const { id: channelId, accountId, kind, phoneNumber } = channel;
  const isActive = meaning === 'stop';
  const sender = toOptOutSender(channel);
  const decision = { accountId, kind, sender, addresses: toAddresses(ids), keyword, isActive, decidedAt: receivedAt };
  const { isInEffect, hasChanged, marketingOnly } = await decideOptOut(client, decision);
  const party = { contactId, channelId, kind, sender: phoneNumber, person: ids };
  await recordConsent(client, { accountId, ...party }, decision.addresses, {
    decision: {
      ...{ purposes: listDecidedPurposes({ isActive, marketingOnly }), isGranted: !isActive },
      ...{ source: 'keyword', wording: keyword, decidedAt: receivedAt },
    },
    at: receivedAt,
  });
  if (hasChanged) {
    const event = { ...party, accountId, isActive, keyword, marketingOnly, source: 'keyword', at: receivedAt } as const;
    await emitOptOutEvent(client, event);
  }
  return isInEffect;
}
