import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import type { CampaignRef } from '../cancel-store.js';
import { type CampaignFields, FIELD_COLUMNS, toFieldValues } from '../insert-store.js';

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

const UPDATE: PlannedStatement = {
  text: `UPDATE campaigns SET gathering = CASE WHEN $9::uuid IS NULL THEN 'groups' END, (${FIELD_COLUMNS})
           = ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
         WHERE id = $1 AND status = 'scheduled' AND xmin::text = $2`,
};

/** Returns false if the campaign has started, or has changed since its version was read. */
export async function updateCampaignRow(
  client: pg.PoolClient,
  { id, version }: { id: string; version: string },
  changes: CampaignFields,
): Promise<boolean> {
  const { rowCount } = await client.query({ ...UPDATE, values: [id, version, ...toFieldValues(changes)] });
  return rowCount === 1;
}
