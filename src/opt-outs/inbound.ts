import type pg from 'pg';
import type { Statement } from '../database/pool.js';
import { commonMeaning, type OptOutMeaning, toKeyword } from './keywords.js';
import { type OptOutSender, senderOf } from './sender.js';

/** Types whose body is the label of a button or a list entry that the contact tapped. */
const TAPPED_TYPES: ReadonlySet<string> = new Set(['button', 'interactive']);

const FIND_WORD: Statement = {
  name: 'opt-outs-find-word',
  text: 'SELECT meaning FROM opt_out_words WHERE account_id = $1 AND word = $2',
};

const OPT_OUT: Statement = {
  name: 'opt-outs-stop',
  text: `INSERT INTO opt_outs AS known (account_id, kind, sender, phone, keyword, created_at)
         VALUES ($1, $2::channel_kind, $3, $4, $5, $6)
         ON CONFLICT (account_id, kind, sender, phone) DO UPDATE
           SET keyword = EXCLUDED.keyword, created_at = EXCLUDED.created_at
           WHERE known.created_at < EXCLUDED.created_at`,
};

/** Carriers do not keep the order of messages: a START that was written before the STOP takes nothing back. */
const OPT_IN: Statement = {
  name: 'opt-outs-start',
  text: `DELETE FROM opt_outs WHERE account_id = $1 AND kind = $2::channel_kind AND sender = $3 AND phone = $4
           AND created_at <= $5`,
};

/** A message from a contact that was stored just now. */
export interface HeardInbound {
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
export async function heedOptOut(client: pg.PoolClient, inbound: HeardInbound): Promise<void> {
  const tapped = TAPPED_TYPES.has(inbound.type);
  // Nothing else is what the contact said: a caption is not.
  const word = tapped || inbound.type === 'text' ? toKeyword(inbound.body) : null;
  if (word === null) return;
  const { accountId, channel, from, receivedAt } = inbound;
  const meaning = commonMeaning(word, { tapped }) ?? (await ownMeaning(client, accountId, word));
  if (meaning === null) return;
  const place = [accountId, channel.kind, senderOf(channel), from];
  if (meaning === 'stop') await client.query({ ...OPT_OUT, values: [...place, word, receivedAt.toISOString()] });
  else await client.query({ ...OPT_IN, values: [...place, receivedAt.toISOString()] });
}

async function ownMeaning(client: pg.PoolClient, accountId: string, word: string): Promise<OptOutMeaning | null> {
  const { rows } = await client.query<{ meaning: OptOutMeaning }>({ ...FIND_WORD, values: [accountId, word] });
  return rows[0]?.meaning ?? null;
}
