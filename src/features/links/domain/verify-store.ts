import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';

/** Uses PostgreSQL's clock, because the interval only protects name servers. */
const CLAIM: PlannedStatement = {
  text: `
WITH claimed AS (
  UPDATE link_settings SET checked_at = now()
  WHERE account_id = $1 AND host IS NOT NULL
    AND (checked_at IS NULL OR checked_at <= now() - $2 * interval '1 second')
  RETURNING host
)
SELECT s.host, EXISTS (SELECT FROM claimed) AS "isClaimed" FROM link_settings s WHERE s.account_id = $1`,
};

/** Allows one check per interval. `host` is null for an account without a domain. */
export async function claimCheck(
  pool: Connection,
  accountId: string,
  intervalSeconds: number,
): Promise<{ host: string | null; isClaimed: boolean }> {
  const { rows } = await pool.query<{ host: string | null; isClaimed: boolean }>({
    ...CLAIM,
    values: [accountId, intervalSeconds],
  });
  return rows[0] ?? { host: null, isClaimed: false };
}

const FORGET: PlannedStatement = { text: 'UPDATE link_settings SET checked_at = NULL WHERE account_id = $1' };

/** Allows another check at once, because the result of the last check could not be stored. */
export async function forgetCheck(pool: Connection, accountId: string): Promise<void> {
  await pool.query({ ...FORGET, values: [accountId] });
}

const FIND_VERIFIED: PlannedStatement = {
  text: 'SELECT host, account_id AS "accountId" FROM link_settings WHERE verified_at IS NOT NULL',
};

export async function findVerifiedDomains(pool: Connection): Promise<{ host: string; accountId: string }[]> {
  const { rows } = await pool.query<{ host: string; accountId: string }>(FIND_VERIFIED);
  return rows;
}

const FIND_HOST: PlannedStatement = {
  text: 'SELECT host FROM link_settings WHERE account_id = $1 AND verified_at IS NOT NULL',
};

/** Null for an account without a proved domain. */
export async function findVerifiedHost(pool: Connection, accountId: string): Promise<string | null> {
  const { rows } = await pool.query<{ host: string }>({ ...FIND_HOST, values: [accountId] });
  return rows[0]?.host ?? null;
}
