import type pg from 'pg';
import { LONG_TIMEOUT_MS, type PlannedStatement } from '../../../platform/store/connections/pool.js';

/** What is being stored. All audiences are evaluated together. */
export type Gathering = 'groups' | 'audiences';

/** Bounds how long a step holds its locks on contacts, which only delay their deletion. */
export const GATHER_STEP = 5_000;

/** The parts of a campaign from which its recipients are stored. */
export interface GatheredCampaign {
  id: string;
  groupIds: readonly string[];
  audienceIds: readonly string[];
  gathering: Gathering | null;
  /** The last contact that is stored. */
  gatheredTo: string | null;
}

/** SQL that selects the IDs of everyone in the campaign's groups at its start. */
export const GROUPS_SQL = `SELECT DISTINCT g.contact_id AS id FROM campaigns k
  JOIN group_members g ON g.group_id = ANY (k.group_ids) AND g.added_at <= k.members_at WHERE k.id = $1`;

/**
 * Stores the next recipients in the order of their IDs.
 * @param membersSql selects contact IDs, with $1 for the campaign and further values from $5 on
 * @returns the last contact of the step, or null after the last step
 */
export async function storeNext(
  client: pg.PoolClient,
  { id, gathering, gatheredTo }: GatheredCampaign,
  membersSql: string,
  values: readonly unknown[],
): Promise<string | null> {
  const { rows } = await client.query<{ size: number; last: string | null }>({
    text: `
WITH page AS MATERIALIZED (
  SELECT id FROM (${membersSql}) AS found WHERE id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
  ORDER BY id LIMIT $3
), held AS MATERIALIZED (
  SELECT id FROM contacts WHERE id IN (SELECT id FROM page) ORDER BY id FOR KEY SHARE
), stored AS (
  INSERT INTO campaign_recipients AS r (campaign_id, contact_id, from_group) SELECT $1, id, $4::boolean FROM held ORDER BY id
  ON CONFLICT (campaign_id, contact_id) DO UPDATE SET from_group = false WHERE r.from_group AND NOT EXCLUDED.from_group
)
SELECT count(*)::int AS size, (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last FROM page`,
    values: [id, gatheredTo, GATHER_STEP, gathering === 'groups', ...values],
    patienceMs: LONG_TIMEOUT_MS,
  } as PlannedStatement & { values: unknown[] });
  const [row] = rows;
  return row && row.size === GATHER_STEP ? row.last : null;
}

const COUNT_GROUPS: PlannedStatement = {
  text: 'SELECT count(*)::int AS count FROM contact_groups WHERE id = ANY ($1::uuid[])',
};

export async function countGroups(client: pg.PoolClient, groupIds: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ count: number }>({ ...COUNT_GROUPS, values: [groupIds] });
  return rows[0]?.count ?? 0;
}

/** Recipients are counted once, after the last step. */
const ADVANCE: PlannedStatement = {
  text: `UPDATE campaigns SET gathering = $4, gathered_to = $5, next_look = now(),
           member_count = CASE WHEN $4::text IS NULL THEN (
             SELECT count(*)::int FROM campaign_recipients r WHERE r.campaign_id = campaigns.id) END
         WHERE id = $1 AND status = 'running' AND paused_at IS NULL AND gathering = $2
           AND gathered_to IS NOT DISTINCT FROM $3::uuid`,
};

/** Returns false if another runner took the step, or the campaign was paused or canceled, so that the caller must roll back. */
export async function advanceGathering(
  client: pg.PoolClient,
  { id, gathering, gatheredTo }: GatheredCampaign,
  next: Pick<GatheredCampaign, 'gathering' | 'gatheredTo'>,
): Promise<boolean> {
  const values = [id, gathering, gatheredTo, next.gathering, next.gatheredTo];
  return (await client.query({ ...ADVANCE, values })).rowCount === 1;
}
