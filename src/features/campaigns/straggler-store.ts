import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';
import { HAS_NO_MESSAGE, type RunningCampaign } from './campaign-store.js';
import { buildForMembers, getMembersKind } from './recipients/members-sql.js';

type CampaignKey = Pick<RunningCampaign, 'id' | 'groupId'>;

const RECORD_MOVED = buildForMembers<Statement>(({ join, condition }, suffix) => ({
  name: `campaigns-note-moved${suffix}`,
  text: `INSERT INTO campaign_stragglers (campaign_id, contact_id)
         SELECT c.id, m.contact_id FROM campaigns c ${join}
         WHERE c.id = $1 AND ${condition} AND m.contact_id <= $3
           AND m.contact_id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000') AND m.contact_id <> ALL ($4::uuid[])
           AND (c.winner IS NULL OR ${HAS_NO_MESSAGE})
         ON CONFLICT DO NOTHING`,
}));

/** Records members that a merge added to the ID range of a batch after the batch was read. */
export async function recordMovedMembers(
  client: pg.PoolClient,
  { id, groupId }: CampaignKey,
  { from, to, batch }: { from: string | null; to: string; batch: readonly string[] },
): Promise<void> {
  await client.query({ ...RECORD_MOVED[getMembersKind(groupId)], values: [id, from, to, batch] });
}

/** A straggler is owed no message after leaving the group, or if the contact already got the campaign's message. */
const FIND = buildForMembers<Statement>(({ join, condition }, suffix) => ({
  name: `campaigns-stragglers${suffix}`,
  text: `SELECT s.contact_id AS id,
           EXISTS (SELECT FROM campaigns c ${join}
                   WHERE c.id = s.campaign_id AND m.contact_id = s.contact_id AND ${condition})
           AND NOT EXISTS (SELECT FROM conversations v JOIN messages m ON m.conversation_id = v.id
                           WHERE v.contact_id = s.contact_id AND m.campaign_id = s.campaign_id) AS "isOwed"
         FROM campaign_stragglers s
         WHERE s.campaign_id = $1 ORDER BY s.contact_id LIMIT $2`,
}));

export async function findStragglers(
  pool: pg.Pool,
  { id, groupId }: CampaignKey,
  limit: number,
): Promise<{ owed: string[]; settled: string[] }> {
  const statement = FIND[getMembersKind(groupId)];
  const { rows } = await pool.query<{ id: string; isOwed: boolean }>({ ...statement, values: [id, limit] });
  const idsWhere = (isOwed: boolean) => rows.filter((each) => each.isOwed === isOwed).map(({ id }) => id);
  return { owed: idsWhere(true), settled: idsWhere(false) };
}

const DELETE: Statement = {
  name: 'campaigns-take-stragglers',
  text: 'DELETE FROM campaign_stragglers WHERE campaign_id = $1 AND contact_id = ANY($2::uuid[])',
};

/** Call this function in the transaction that commits the stragglers' messages. */
export async function deleteStragglers(
  client: pg.Pool | pg.PoolClient,
  campaignId: string,
  contactIds: readonly string[],
): Promise<number> {
  const { rowCount } = await client.query({ ...DELETE, values: [campaignId, contactIds] });
  return rowCount ?? 0;
}
