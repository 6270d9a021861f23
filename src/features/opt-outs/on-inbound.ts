import type pg from 'pg';
import { type OptOutSender, senderOf } from '../../messages/send/opted-out.js';
import type { Statement } from '../../platform/store/pool.js';
import { commonMeaning, type OptOutMeaning, toKeyword } from './keywords.js';

/** Types whose body is the label of a button or a list entry that the contact tapped. */
const TAPPED_TYPES: ReadonlySet<string> = new Set(['button', 'interactive']);

const FIND_WORD: Statement = {
  name: 'opt-outs-find-word',
  text: 'SELECT meaning FROM opt_out_words WHERE account_id = $1 AND word = $2',
};

/**
 * Carriers do not keep the order of messages: the one that was written last counts, in whatever order they arrive. Of two
 * of the same time, which a carrier may tell in whole seconds, it is the one that arrives last.
 */
const DECIDE: Statement = {
  name: 'opt-outs-decide',
  text: `INSERT INTO opt_outs AS known (account_id, kind, sender, phone, keyword, is_active, decided_at)
         VALUES ($1, $2::channel_kind, $3, $4, $5, $6, $7)
         ON CONFLICT (account_id, kind, sender, phone) DO UPDATE
           SET keyword = EXCLUDED.keyword, is_active = EXCLUDED.is_active, decided_at = EXCLUDED.decided_at
           WHERE known.decided_at <= EXCLUDED.decided_at`,
};

/** A message from a contact that was stored just now. */
export interface StoredInbound {
  accountId: string;
  /** The channel that it came to. */
  channel: OptOutSender;
  /** Digits with country code. */
  from: string;
  /** Meta's type: text, button, interactive, image … */
  type: string;
  body: string;
  receivedAt: Date;
}

/**
 * Blocks a number for the sender that it wrote STOP to, or takes that back; does nothing for any other text. To be
 * called in the transaction that stores the message, and only when it was not stored before.
 */
export async function applyOptOut(client: pg.PoolClient, inbound: StoredInbound): Promise<void> {
  const tapped = TAPPED_TYPES.has(inbound.type);
  // Nothing else is what the contact said: a caption is not.
  const word = tapped || inbound.type === 'text' ? toKeyword(inbound.body) : null;
  if (word === null) return;
  const { accountId, channel, from, receivedAt } = inbound;
  const meaning = commonMeaning(word, { tapped }) ?? (await ownMeaning(client, accountId, word));
  if (meaning === null) return;
  const place = [accountId, channel.kind, senderOf(channel), from];
  await client.query({ ...DECIDE, values: [...place, word, meaning === 'stop', receivedAt.toISOString()] });
}

async function ownMeaning(client: pg.PoolClient, accountId: string, word: string): Promise<OptOutMeaning | null> {
  const { rows } = await client.query<{ meaning: OptOutMeaning }>({ ...FIND_WORD, values: [accountId, word] });
  return rows[0]?.meaning ?? null;
}
