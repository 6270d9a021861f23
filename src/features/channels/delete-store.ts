import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

export interface Dependents {
  /** Number of unsent messages, counted only up to 1000. */
  messages: number;
  /** IDs of scheduled or running campaigns. */
  campaigns: string[];
  /** Unfinished. */
  imports: number;
  /** Active keys that are not bound to any other existing channel. */
  keys: number;
  /** Active automation runs. */
  runs: number;
  automations: number;
  webhooks: number;
}

const COUNT_DEPENDENTS: PlannedStatement = {
  text: `SELECT
  (SELECT count(*)::int FROM (SELECT FROM messages WHERE next_look IS NOT NULL AND status IN ('queued', 'sending')
     AND channel_id = $1 LIMIT 1000) waiting) AS messages,
  array(SELECT id::text FROM campaigns WHERE channel_id = $1 AND status IN ('scheduled', 'running') ORDER BY id) AS campaigns,
  (SELECT count(*)::int FROM contact_import_jobs WHERE channel_id = $1 AND completed_at IS NULL) AS imports,
  (SELECT count(*)::int FROM api_keys k WHERE k.revoked_at IS NULL AND ${isOnlyChannelSql('k')}) AS keys,
  (SELECT count(*)::int FROM automation_runs r JOIN automations a ON a.id = r.automation_id
     WHERE a.channel_id = $1 AND r.completed_at IS NULL) AS runs,
  (SELECT count(*)::int FROM automations WHERE channel_id = $1 AND is_active) AS automations,
  (SELECT count(*)::int FROM webhooks WHERE channel_id = $1 AND is_active) AS webhooks`,
};

function isOnlyChannelSql(key: string): string {
  return `EXISTS (SELECT FROM api_key_channels b WHERE b.api_key_id = ${key}.id AND b.channel_id = $1)
    AND NOT EXISTS (SELECT FROM api_key_channels b JOIN channels c ON c.id = b.channel_id
      WHERE b.api_key_id = ${key}.id AND b.channel_id <> $1 AND c.deleted_at IS NULL)`;
}

export async function findDependents(connection: pg.Pool | pg.PoolClient, channelId: string): Promise<Dependents> {
  const { rows } = await connection.query<Dependents>({ ...COUNT_DEPENDENTS, values: [channelId] });
  return rows[0] as Dependents;
}

/** The statements follow the general lock order, and wait for steps of automation runs that are in progress. */
const DEACTIVATE: readonly string[] = [
  `UPDATE automation_runs r SET status = 'failed', error_message = 'The channel was deleted.', canceled_at = $2,
     completed_at = $2, due_at = NULL, lease_until = NULL
   FROM automations a WHERE a.id = r.automation_id AND a.channel_id = $1 AND r.completed_at IS NULL AND $2::timestamptz IS NOT NULL`,
  'UPDATE automations SET is_active = false, updated_at = $2 WHERE channel_id = $1 AND is_active',
  'UPDATE webhooks SET is_active = false, updated_at = $2 WHERE channel_id = $1 AND is_active',
  `UPDATE api_keys k SET revoked_at = $2 WHERE k.revoked_at IS NULL AND ${isOnlyChannelSql('k')}`,
];

export async function deactivateDependents(client: pg.PoolClient, channelId: string, now: Date): Promise<void> {
  for (const text of DEACTIVATE) await client.query({ text, values: [channelId, now.toISOString()] });
}

const LOCK: PlannedStatement = { text: 'SELECT FROM channels WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE' };

export async function lockChannel(client: pg.PoolClient, channelId: string): Promise<boolean> {
  const { rowCount } = await client.query({ ...LOCK, values: [channelId] });
  return rowCount === 1;
}

const DELETE: PlannedStatement = {
  text: `UPDATE channels SET deleted_at = $2, is_active = false, is_default = false, paused_at = NULL, pause_code = NULL,
           pause_reason = NULL WHERE id = $1`,
};

export async function deleteChannelRow(client: pg.PoolClient, channelId: string, now: Date): Promise<void> {
  await client.query({ ...DELETE, values: [channelId, now.toISOString()] });
}
