import type pg from 'pg';
import type { PlannedStatement, Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import type { ShortLink } from './shortening/shorten-text.js';

export interface LinksOfMessage {
  messageId: string;
  accountId: string;
  channelId: string | null;
  campaignId: string | null;
  links: readonly ShortLink[];
}

const INSERT: Statement = {
  name: 'links-insert',
  text: `INSERT INTO links (code, target, message_id, account_id, channel_id, campaign_id)
         SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[])`,
};

/** Call this function in the transaction that accepts the messages. */
export async function insertLinks(client: pg.PoolClient, messages: readonly LinksOfMessage[]): Promise<void> {
  const rows = messages.flatMap(({ links, ...message }) => links.map((link) => ({ ...message, ...link })));
  if (rows.length === 0) return;
  const values = [
    rows.map(({ code }) => code),
    rows.map(({ target }) => target),
    rows.map(({ messageId }) => messageId),
    rows.map(({ accountId }) => accountId),
    rows.map(({ channelId }) => channelId),
    rows.map(({ campaignId }) => campaignId),
  ];
  await client.query({ ...INSERT, values });
}

export interface CountedLink {
  code: string;
  target: string;
  /** By people. */
  clicks: number;
  /** By bots and link previews. */
  botClicks: number;
  /** By a person, like `lastClickedAt`. */
  firstClickedAt: Date | null;
  lastClickedAt: Date | null;
}

const FIND: PlannedStatement = {
  text: `SELECT code, target, clicks, bot_clicks AS "botClicks", first_clicked_at AS "firstClickedAt",
           last_clicked_at AS "lastClickedAt"
         FROM links WHERE message_id = $1 AND account_id = $2 ORDER BY code`,
};

export async function findLinks(
  pool: Connection,
  { messageId, accountId }: { messageId: string; accountId: string },
): Promise<CountedLink[]> {
  const { rows } = await pool.query<CountedLink>({ ...FIND, values: [messageId, accountId] });
  return rows;
}

const COUNT_CLICKED: PlannedStatement = {
  text: `SELECT campaign_id AS "campaignId", count(DISTINCT message_id)::int AS messages FROM links
         WHERE campaign_id = ANY($1::uuid[]) AND account_id = $2 AND first_clicked_at IS NOT NULL GROUP BY campaign_id`,
};

/** Counts the messages of campaigns with a link that a person clicked. Omits campaigns without such messages. */
export async function countClickedMessages(
  pool: Connection,
  { accountId, campaignIds }: { accountId: string; campaignIds: readonly string[] },
): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ campaignId: string; messages: number }>({
    ...COUNT_CLICKED,
    values: [campaignIds, accountId],
  });
  return new Map(rows.map(({ campaignId, messages }) => [campaignId, messages]));
}

const ERASE: PlannedStatement = { text: 'DELETE FROM links WHERE message_id = ANY($1::uuid[])' };

/** Call this function before the messages are erased. The links then lead nowhere. */
export async function eraseLinks(client: pg.PoolClient, messageIds: readonly string[]): Promise<void> {
  await client.query({ ...ERASE, values: [messageIds] });
}
