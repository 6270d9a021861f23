import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import type { CampaignRef } from '../cancel-store.js';
import { type CampaignContent, toContentRow } from '../message/content.js';
import type { CampaignVariant, VariantTest } from '../variants/variants.js';

/** PostgreSQL's ID of the transaction that last wrote the row. */
const READ_VERSION: PlannedStatement = {
  text: 'SELECT xmin::text AS version FROM campaigns WHERE id = $1 AND account_id = $2 AND channel_id = $3',
};

/** Returns a value that differs after every change of the campaign, or null for an unknown campaign. */
export async function readVersion(
  connection: Connection,
  { id, accountId, channelId }: CampaignRef,
): Promise<string | null> {
  const values = [id, accountId, channelId];
  return (await connection.query<{ version: string }>({ ...READ_VERSION, values })).rows[0]?.version ?? null;
}

interface StoredVariables {
  key: string;
  variables: Record<string, string>;
}

const READ_VARIABLES: PlannedStatement = {
  text: 'SELECT phone AS key, variables FROM campaign_member_variables WHERE campaign_id = $1 ORDER BY phone',
};

/** The keys are numbers, user IDs and contact IDs, as in `toMemberKey`. */
export async function readStoredVariables(connection: Connection, campaignId: string): Promise<StoredVariables[]> {
  return (await connection.query<StoredVariables>({ ...READ_VARIABLES, values: [campaignId] })).rows;
}

export interface CampaignChanges {
  name: string;
  content: CampaignContent;
  variables: Readonly<Record<string, string>> | null;
  shortenLinks: boolean;
  groupId: string | null;
  groupIds: readonly string[];
  audienceIds: readonly string[];
  listedCount: number;
  scheduledAt: Date | null;
  variants: readonly CampaignVariant[] | null;
  test: VariantTest | null;
}

const UPDATE: PlannedStatement = {
  text: `UPDATE campaigns SET name = $2, template_name = $3, language = $4, components = $5, group_id = $6, scheduled_at = $7,
           variables = $8, text = $9, opt_out_line = $10, variants = $11, test = $12, shorten_links = $13,
           group_ids = $15, audience_ids = $16, listed_count = $17, gathering = CASE WHEN $6::uuid IS NULL THEN 'groups' END
         WHERE id = $1 AND status = 'scheduled' AND xmin::text = $14`,
};

/** Returns false if the campaign has started, or has changed since its version was read. */
export async function updateCampaignRow(
  client: pg.PoolClient,
  { id, version }: { id: string; version: string },
  changes: CampaignChanges,
): Promise<boolean> {
  const { templateName, language, components, text, optOutLine } = toContentRow(changes.content);
  const { name, groupId, scheduledAt, variables, variants, test, shortenLinks } = changes;
  const { rowCount } = await client.query({
    ...UPDATE,
    values: [
      id,
      name,
      templateName,
      language,
      JSON.stringify(components),
      groupId,
      scheduledAt?.toISOString() ?? null,
      variables && JSON.stringify(variables),
      text,
      optOutLine,
      variants && JSON.stringify(variants),
      test && JSON.stringify(test),
      shortenLinks,
      version,
      changes.groupIds,
      changes.audienceIds,
      changes.listedCount,
    ],
  });
  return rowCount === 1;
}
