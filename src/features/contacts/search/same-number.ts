import type pg from 'pg';
import type { Statement } from '../../../platform/store/connections/pool.js';

export interface SameNumber {
  contactId: string;
  channelId: string;
  /** Empty if unset. */
  name: string;
}

/** An account rarely has more channels that the same person writes to. */
const MOST_LINKED = 20;

/** Reads one row per channel from the unique index on channel and number. */
const FIND_SAME_NUMBER: Statement = {
  name: 'contacts-find-same-number',
  text: `
SELECT c.id AS "contactId", c.channel_id AS "channelId", c.name
FROM channels ch JOIN contacts c ON c.channel_id = ch.id AND c.phone = $3
WHERE ch.account_id = $1 AND ch.id <> $2 AND ch.deleted_at IS NULL
ORDER BY c.id LIMIT $4`,
};

/** Finds the account's contacts on other channels with the same phone number, oldest first. */
export async function findSameNumber(
  connection: pg.Pool | pg.PoolClient,
  { accountId, channelId }: { accountId: string; channelId: string },
  phone: string | null,
): Promise<SameNumber[]> {
  if (phone === null) return [];
  const values = [accountId, channelId, phone, MOST_LINKED];
  const { rows } = await connection.query<SameNumber>({ ...FIND_SAME_NUMBER, values });
  return rows;
}
