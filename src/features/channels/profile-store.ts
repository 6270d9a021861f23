import type pg from 'pg';
import type { BusinessProfile } from '../../carriers/business-profile.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { toStorableJson } from '../../platform/store/storable.js';

const FIND: PlannedStatement = { text: 'SELECT profile FROM channels WHERE id = $1' };

/** Reads the profile of a channel whose carrier has no profiles. */
export async function findStoredProfile(pool: pg.Pool, channelId: string): Promise<BusinessProfile> {
  const { rows } = await pool.query<{ profile: Record<string, string | string[]> | null }>({
    ...FIND,
    values: [channelId],
  });
  const fields = Object.entries(rows[0]?.profile ?? {});
  return Object.fromEntries(fields.filter(([, value]) => value.length > 0));
}

const CHANGE: PlannedStatement = {
  text: `UPDATE channels SET profile = coalesce(profile, '{}') || $2::jsonb WHERE id = $1`,
};

/** Keeps the other fields. */
export async function changeStoredProfile(pool: pg.Pool, channelId: string, fields: BusinessProfile): Promise<void> {
  await pool.query({ ...CHANGE, values: [channelId, JSON.stringify(toStorableJson(fields))] });
}
