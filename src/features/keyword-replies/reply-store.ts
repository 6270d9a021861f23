import type pg from 'pg';
import type { ChannelKind } from '../../platform/generated/prisma/client.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import type { KeywordMeaning } from '../opt-outs/message-keyword.js';

export interface ReplyRow {
  currency: string;
  rateCardId: string;
  spendGuard: unknown;
  accountName: string;
  isAccountActive: boolean;
  accountReplies: unknown;
  stopsMarketingOnly: boolean;
  kind: ChannelKind;
  phoneNumber: string;
  carrier: string;
  isActive: boolean;
  channelReplies: unknown;
  /** Null for the simulator. */
  carrierType: string | null;
  preset: string | null;
}

const READ: Statement = {
  name: 'keyword-replies-read',
  text: `
SELECT a.currency, a.rate_card_id AS "rateCardId", a.spend_guard AS "spendGuard", a.name AS "accountName",
  a.is_active AS "isAccountActive", a.keyword_replies AS "accountReplies", a.stops_marketing_only AS "stopsMarketingOnly", ch.kind, ch.phone_number AS "phoneNumber",
  ch.carrier, ch.is_active AS "isActive", ch.keyword_replies AS "channelReplies", c.type AS "carrierType",
  c.settings ->> 'preset' AS preset
FROM channels ch JOIN accounts a ON a.id = ch.account_id LEFT JOIN carriers c ON c.name = ch.carrier
WHERE ch.id = $1 AND ch.deleted_at IS NULL`,
};

export async function readReplyRow(connection: Connection, channelId: string): Promise<ReplyRow | null> {
  return (await connection.query<ReplyRow>({ ...READ, values: [channelId] })).rows[0] ?? null;
}

/** Stored in `inbound_messages.keyword_reply`. Either `messageId` or `code` and `reason` are set. */
export interface KeywordReply {
  keyword: KeywordMeaning;
  messageId: string | null;
  code: string | null;
  /** Why there is no reply, for operators. */
  reason: string | null;
}

const FIND_LAST: Statement = {
  name: 'keyword-replies-find-last',
  text: `SELECT created_at AS "createdAt" FROM inbound_messages
         WHERE conversation_id = $1 AND keyword_reply ->> 'keyword' = $2 AND keyword_reply ->> 'messageId' IS NOT NULL
         ORDER BY id DESC LIMIT 1`,
};

/** The caller must have locked the account, so that no concurrent transaction replies. */
export async function findLastReply(
  client: pg.PoolClient,
  conversationId: string,
  keyword: KeywordMeaning,
): Promise<Date | null> {
  const { rows } = await client.query<{ createdAt: Date }>({ ...FIND_LAST, values: [conversationId, keyword] });
  return rows[0]?.createdAt ?? null;
}

const RECORD: Statement = {
  name: 'keyword-replies-record',
  text: 'UPDATE inbound_messages SET keyword_reply = $2 WHERE id = $1',
};

export async function recordReply(client: pg.PoolClient, inboundId: string, reply: KeywordReply): Promise<void> {
  await client.query({ ...RECORD, values: [inboundId, JSON.stringify(reply)] });
}
