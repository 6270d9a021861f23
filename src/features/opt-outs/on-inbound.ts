import type pg from 'pg';
import { type OptOutSender, toOptOutSender } from '../../messages/send/checks/opted-out.js';
import { commonMeaning, toKeyword } from './keywords.js';
import { decideOptOut, findOwnMeaning } from './opt-out-store.js';

/** Types whose body is the label of a button or a list entry that the contact tapped. */
const TAPPED_TYPES: ReadonlySet<string> = new Set(['button', 'interactive']);

/** A message from a contact that was stored just now. */
export interface StoredInbound {
  accountId: string;
  /** The channel that it came to. */
  channel: OptOutSender;
  /** All that messages to the contact may be addressed to. */
  addresses: readonly string[];
  /** Meta's type: text, button, interactive, image … */
  type: string;
  body: string;
  receivedAt: Date;
}

/**
 * Blocks a contact for the sender that it wrote STOP to, or takes that back; does nothing for any other text. To be
 * called in the transaction that stores the message, and only when it was not stored before.
 */
export async function applyOptOut(client: pg.PoolClient, inbound: StoredInbound): Promise<void> {
  const tapped = TAPPED_TYPES.has(inbound.type);
  // Only these are words of the contact; a caption on WhatsApp does not count.
  const word = tapped || inbound.type === 'text' ? toKeyword(inbound.body) : null;
  if (word === null) return;
  const { accountId, channel, addresses, receivedAt } = inbound;
  const meaning = commonMeaning(word, { tapped }) ?? (await findOwnMeaning(client, accountId, word));
  if (meaning === null) return;
  await decideOptOut(client, {
    accountId,
    kind: channel.kind,
    sender: toOptOutSender(channel),
    addresses,
    keyword: word,
    isActive: meaning === 'stop',
    decidedAt: receivedAt,
  });
}
