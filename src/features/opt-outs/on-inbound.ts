import type pg from 'pg';
import { type OptOutSender, toOptOutSender } from '../../messages/send/checks/opted-out.js';
import { getCommonMeaning, toKeyword } from './keywords.js';
import { decideOptOut, findAccountMeaning } from './opt-out-store.js';

const TAPPED_TYPES: ReadonlySet<string> = new Set(['button', 'interactive']);

interface KeywordMessage {
  accountId: string;
  channel: OptOutSender;
  addresses: readonly string[];
  /** Meta's message type: text, button, interactive, image … */
  type: string;
  body: string;
  receivedAt: Date;
}

/** Call this function in the transaction that stores the message, and only for a message that was not stored before. */
export async function applyOptOut(client: pg.PoolClient, inbound: KeywordMessage): Promise<void> {
  const tapped = TAPPED_TYPES.has(inbound.type);
  // The caption of a WhatsApp file does not count as an opt-out keyword.
  const word = tapped || inbound.type === 'text' ? toKeyword(inbound.body) : null;
  if (word === null) return;
  const { accountId, channel, addresses, receivedAt } = inbound;
  const meaning = getCommonMeaning(word, { tapped }) ?? (await findAccountMeaning(client, accountId, word));
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
