import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { ChannelSender } from '../conversations/sending/compose.js';
import { toChannelSender } from '../conversations/sending/sender-row.js';
import { type CampaignContent, readContent } from './message/content.js';
import type { GatheredCampaign } from './recipients/gather-store.js';
import { buildForMembers, getMembersKind } from './recipients/members-sql.js';
import type { CampaignVariant, VariantTest } from './variants/variants.js';

export interface RunningCampaign extends GatheredCampaign {
  id: string;
  /** Business time. */
  startedAt: Date;
  sender: ChannelSender;
  content: CampaignContent;
  /** Values of {{variables.<name>}} for members without values of their own, or null if no member has variables. */
  variables: Readonly<Record<string, string>> | null;
  shortensLinks: boolean;
  /** Null if the recipients are stored in `campaign_recipients`. */
  groupId: string | null;
  cursor: string | null;
  messageCount: number;
  /** From A, or null without variants. */
  variants: readonly CampaignVariant[] | null;
  /** Null without a test, and once its winner is chosen. */
  test: VariantTest | null;
  /** Business time at which the winner is chosen; null until every message of the test is created. */
  testEndsAt: Date | null;
  /** Index of the variant that all further members get. */
  winner: number | null;
}

/** If a process dies during its turn, another runner continues the campaign after this time. */
const TURN_SECONDS = 10;

/** Selects the due campaign that has waited longest. The members of a campaign are fixed when it starts. */
const TAKE_TURN: Statement = {
  name: 'campaigns-take-turn',
  text: `
WITH due AS (
  SELECT id FROM campaigns
  WHERE next_look <= now() AND paused_at IS NULL
    AND (SELECT a.is_active FROM accounts a WHERE a.id = campaigns.account_id)
    AND (status = 'running' OR status = 'scheduled' AND (scheduled_at IS NULL OR scheduled_at <= $1))
  ORDER BY next_look LIMIT 1 FOR UPDATE SKIP LOCKED
), claimed AS (
  UPDATE campaigns SET
    status = 'running',
    started_at = coalesce(started_at, $1),
    members_at = coalesce(members_at, now()),
    member_count = coalesce(member_count, CASE WHEN group_id IS NOT NULL THEN (
      SELECT count(*)::int FROM group_members m
      WHERE m.group_id = campaigns.group_id AND m.added_at <= coalesce(campaigns.members_at, now())
    ) END),
    next_look = now() + $2 * interval '1 second'
  FROM due WHERE campaigns.id = due.id
  RETURNING campaigns.*
)
SELECT t.id, t.template_name AS "templateName", t.language, t.components, t.text, t.opt_out_line AS "optOutLine",
       t.variables, t.shorten_links, t.group_id, t.group_ids, t.audience_ids,
       t.gathering, t.gathered_to, t.started_at, t.cursor, t.message_count, t.account_id, t.variants, t.test, t.test_ends_at,
       t.winner,
       t.channel_id, a.currency, a.rate_card_id, a.spend_guard, a.frequency_cap, c.kind, c.phone_number, c.carrier, c.is_active
FROM claimed t JOIN accounts a ON a.id = t.account_id JOIN channels c ON c.id = t.channel_id`,
};

/** @param now business time */
export async function takeTurn(pool: pg.Pool, now: Date): Promise<RunningCampaign | null> {
  const { rows } = await pool.query({ ...TAKE_TURN, values: [now.toISOString(), TURN_SECONDS] });
  const [row] = rows;
  return (
    row && {
      id: row.id,
      sender: toChannelSender(row),
      content: readContent(row),
      variables: row.variables,
      shortensLinks: row.shorten_links,
      groupId: row.group_id,
      groupIds: row.group_ids,
      audienceIds: row.audience_ids,
      gathering: row.gathering,
      gatheredTo: row.gathered_to,
      startedAt: row.started_at,
      cursor: row.cursor,
      messageCount: row.message_count,
      variants: row.variants,
      test: row.winner === null ? row.test : null,
      testEndsAt: row.test_ends_at,
      winner: row.winner,
    }
  );
}

const COUNT_UNSENT: Statement = {
  name: 'campaigns-count-unsent',
  text: `SELECT count(*) FILTER (WHERE status IN ('queued', 'sending'))::int AS unsent
         FROM (SELECT status FROM messages WHERE campaign_id = $1 ORDER BY id DESC LIMIT $2) AS latest`,
};

export async function countUnsent(pool: pg.Pool, campaignId: string, latest: number): Promise<number> {
  const { rows } = await pool.query<{ unsent: number }>({ ...COUNT_UNSENT, values: [campaignId, latest] });
  return rows[0]?.unsent ?? 0;
}

const HAS_UNSENT: Statement = {
  name: 'campaigns-has-unsent',
  text: `SELECT EXISTS (SELECT FROM messages WHERE campaign_id = $1 AND status IN ('queued', 'sending')) AS unsent`,
};

export async function hasUnsent(pool: pg.Pool, campaignId: string): Promise<boolean> {
  const { rows } = await pool.query<{ unsent: boolean }>({ ...HAS_UNSENT, values: [campaignId] });
  return rows[0]?.unsent ?? false;
}

/** Higher than every ID. */
export const END_CURSOR = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** SQL that selects a random sample of the members `m` of a campaign `c`, which is the same on every evaluation. */
const IS_IN_TEST = `abs(hashtextextended(m.contact_id::text, hashtextextended(c.id::text, 0)) % 100) < (c.test->>'share')::int`;

/** SQL that omits members `m` who got a message of the campaign `c` in its test. */
export const HAS_NO_MESSAGE = `NOT EXISTS (SELECT FROM conversations v JOIN messages sent ON sent.conversation_id = v.id
  WHERE v.contact_id = m.contact_id AND sent.campaign_id = c.id)`;

const NEXT_MEMBERS = buildForMembers<Statement>(({ join, condition }, suffix) => ({
  name: `campaigns-next-members${suffix}`,
  text: `
SELECT m.contact_id AS id
FROM campaigns c ${join}
WHERE c.id = $1 AND ${condition}
  AND m.contact_id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
  AND CASE
    WHEN c.test IS NULL THEN true
    WHEN c.winner IS NULL THEN ${IS_IN_TEST}
    ELSE ${HAS_NO_MESSAGE}
  END
ORDER BY m.contact_id LIMIT $3`,
}));

/** Finds only contacts who were recipients when the campaign started. */
export async function findNextMembers(pool: pg.Pool, campaign: RunningCampaign, limit: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    ...NEXT_MEMBERS[getMembersKind(campaign.groupId)],
    values: [campaign.id, campaign.cursor, limit],
  });
  return rows.map((row) => row.id);
}

const ADVANCE: Statement = {
  name: 'campaigns-advance',
  text: `
UPDATE campaigns SET cursor = $3, message_count = message_count + $4, skipped_count = skipped_count + $5,
  refused_count = refused_count + $6, capped_count = capped_count + $8, next_look = now()
WHERE id = $1 AND status = 'running' AND paused_at IS NULL AND cursor IS NOT DISTINCT FROM $2::uuid
  AND winner IS NOT DISTINCT FROM $7::smallint`,
};

export interface Progress {
  cursor: string;
  messages: number;
  /** Members skipped because a template parameter would be empty. */
  skipped: number;
  /** Members refused by the account's spending guard. */
  refused: number;
  /** Members who had reached the account's frequency cap. */
  capped: number;
}

/**
 * Moves the cursor and ends the turn, in the transaction that commits the batch's messages. Returns false if another
 * runner has moved the cursor or the campaign was canceled or paused, so that the caller must roll back.
 */
export async function advanceCursor(
  connection: pg.Pool | pg.PoolClient,
  campaign: RunningCampaign,
  { cursor, messages, skipped, refused, capped }: Progress,
): Promise<boolean> {
  const values = [campaign.id, campaign.cursor, cursor, messages, skipped, refused, campaign.winner, capped];
  const { rowCount } = await connection.query({ ...ADVANCE, values });
  return rowCount === 1;
}

const END_TURN: Statement = {
  name: 'campaigns-look-later',
  text: `UPDATE campaigns SET next_look = now() + $2 * interval '1 millisecond'
         WHERE id = $1 AND status = 'running' AND paused_at IS NULL`,
};

export async function endTurn(pool: pg.Pool, campaignId: string, delayMs: number): Promise<void> {
  await pool.query({ ...END_TURN, values: [campaignId, delayMs] });
}

/** Ends a running campaign and deletes its members' variables. */
const buildEndSql = (changes: string) => `
WITH ended AS (
  UPDATE campaigns SET ${changes}, next_look = NULL WHERE id = $1 AND status = 'running' AND paused_at IS NULL RETURNING id
)
DELETE FROM campaign_member_variables v USING ended WHERE v.campaign_id = ended.id`;

const COMPLETE: Statement = {
  name: 'campaigns-complete',
  text: buildEndSql(`status = 'completed', completed_at = $2`),
};

export async function completeCampaign(pool: pg.Pool, campaignId: string, now: Date): Promise<void> {
  await pool.query({ ...COMPLETE, values: [campaignId, now.toISOString()] });
}

const FAIL: Statement = {
  name: 'campaigns-fail',
  text: buildEndSql(`status = 'failed', error_message = $2`),
};

/** Messages that are already committed are still sent. */
export async function failCampaign(pool: pg.Pool, campaignId: string, reason: string): Promise<void> {
  await pool.query({ ...FAIL, values: [campaignId, reason] });
}

const GROUP_EXISTS: Statement = {
  name: 'campaigns-group-exists',
  text: 'SELECT FROM contact_groups WHERE id = $1',
};

export async function groupExists(pool: pg.Pool, groupId: string): Promise<boolean> {
  const { rowCount } = await pool.query({ ...GROUP_EXISTS, values: [groupId] });
  return rowCount === 1;
}

const RELEASE_ALL: Statement = {
  name: 'campaigns-release-all',
  text: 'UPDATE campaigns SET next_look = now() WHERE next_look > now()',
};

/** See src/process/startup/release-leases.ts. */
export async function releaseCampaigns(pool: pg.Pool): Promise<void> {
  await pool.query(RELEASE_ALL);
}
