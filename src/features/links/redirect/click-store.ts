import type pg from 'pg';
import type { Statement } from '../../../platform/store/connections/pool.js';

/** Clicks on one link. */
export interface Clicks {
  code: string;
  people: number;
  bots: number;
  /** Business times of clicks by people; null without such clicks. */
  firstAt: Date | null;
  lastAt: Date | null;
}

/** A link that a person clicked, after its clicks were added. */
export interface ClickedLink {
  code: string;
  messageId: string;
  accountId: string;
  channelId: string | null;
  campaignId: string | null;
  target: string;
  /** By people, in total. */
  clicks: number;
  /** By people, in this batch. */
  newClicks: number;
  lastClickedAt: Date;
}

/**
 * Links are locked in the order of their codes. A batch that was already added changes nothing, because its ID is in the rows.
 */
const ADD: Statement = {
  name: 'links-add-clicks',
  text: `
WITH input AS (
  SELECT * FROM unnest($2::text[], $3::int[], $4::int[], $5::timestamptz[], $6::timestamptz[])
    AS input(code, people, bots, first_at, last_at)
), locked AS MATERIALIZED (
  SELECT l.code FROM links l WHERE l.code = ANY($2::text[]) ORDER BY l.code FOR NO KEY UPDATE
)
UPDATE links l SET clicks = l.clicks + i.people, bot_clicks = l.bot_clicks + i.bots, last_batch = $1::uuid,
  first_clicked_at = coalesce(l.first_clicked_at, i.first_at), last_clicked_at = greatest(l.last_clicked_at, i.last_at)
FROM locked JOIN input i ON i.code = locked.code
WHERE l.code = locked.code AND l.last_batch IS DISTINCT FROM $1::uuid
RETURNING l.code, l.message_id AS "messageId", l.account_id AS "accountId", l.channel_id AS "channelId",
  l.campaign_id AS "campaignId", l.target, l.clicks, i.people AS "newClicks", l.last_clicked_at AS "lastClickedAt"`,
};

/** Returns the links that people clicked. A repeated batch returns nothing. */
export async function addClicks(
  client: pg.PoolClient,
  batchId: string,
  clicks: readonly Clicks[],
): Promise<ClickedLink[]> {
  const values = [
    batchId,
    clicks.map(({ code }) => code),
    clicks.map(({ people }) => people),
    clicks.map(({ bots }) => bots),
    clicks.map(({ firstAt }) => firstAt?.toISOString() ?? null),
    clicks.map(({ lastAt }) => lastAt?.toISOString() ?? null),
  ];
  const { rows } = await client.query<ClickedLink>({ ...ADD, values });
  return rows.filter(({ newClicks }) => newClicks > 0);
}

const FIND_SUBSCRIBERS: Statement = {
  name: 'links-find-subscribers',
  text: `SELECT DISTINCT account_id AS "accountId" FROM webhooks
         WHERE account_id = ANY($1::uuid[]) AND is_active AND 'link.clicked' = ANY(events)`,
};

/** Returns the accounts with a webhook for clicks. */
export async function findSubscribers(
  client: pg.PoolClient,
  accountIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ accountId: string }>({ ...FIND_SUBSCRIBERS, values: [accountIds] });
  return new Set(rows.map(({ accountId }) => accountId));
}

export interface ClickedMessage {
  id: string;
  kind: 'sms' | 'whatsapp';
  contactId: string | null;
  /** A number in digits, or the user ID of a person without a known number. */
  recipient: string;
  userId: string | null;
  username: string | null;
}

const FIND_MESSAGES: Statement = {
  name: 'links-find-messages',
  text: `SELECT m.id, m.kind, m.contact_id AS "contactId", m.recipient, c.user_id AS "userId", c.username
         FROM messages m LEFT JOIN contacts c ON c.id = m.contact_id WHERE m.id = ANY($1::uuid[])`,
};

export async function findClickedMessages(
  client: pg.PoolClient,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ClickedMessage>> {
  const { rows } = await client.query<ClickedMessage>({ ...FIND_MESSAGES, values: [ids] });
  return new Map(rows.map((row) => [row.id, row]));
}
