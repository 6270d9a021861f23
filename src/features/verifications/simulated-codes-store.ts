import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';

export interface SimulatedFilter {
  /** Digits with country code, or null for any recipient. */
  recipient: string | null;
  accountId: string | null;
  /** Codes that have expired at this business time are excluded. */
  now: Date;
  limit: number;
}

export interface SimulatedRow {
  verificationId: string;
  accountId: string;
  recipient: string;
  messageId: string;
  kind: 'sms' | 'whatsapp';
  sender: string;
  body: string;
  sealed: Buffer;
  expiresAt: Date;
}

/**
 * Only sent messages count, because a queued message may be sent by a different carrier than its row names. Codes that
 * were also sent through a real carrier are excluded.
 */
const FIND: Statement = {
  name: 'verifications-simulated',
  text: `
WITH simulators AS (SELECT $1::text AS name UNION ALL SELECT name FROM carriers WHERE type = $1)
SELECT v.id AS "verificationId", v.account_id AS "accountId", v.recipient, m.id AS "messageId", m.kind, m.sender, m.body,
       v.sealed_code AS sealed, v.expires_at AS "expiresAt"
FROM verifications v JOIN messages m ON m.verification_id = v.id
WHERE v.sealed_code IS NOT NULL AND v.expires_at > $2
  AND ($3::text IS NULL OR v.recipient = $3) AND ($4::uuid IS NULL OR v.account_id = $4)
  AND m.carrier IN (SELECT name FROM simulators) AND m.sent_at IS NOT NULL
  AND NOT EXISTS (
    SELECT FROM messages o WHERE o.verification_id = v.id AND o.carrier NOT IN (SELECT name FROM simulators))
ORDER BY m.id DESC LIMIT $5`,
};

/** @param type carrier type of simulators */
export async function findSimulatedCodes(
  pool: pg.Pool,
  type: string,
  { recipient, accountId, now, limit }: SimulatedFilter,
): Promise<SimulatedRow[]> {
  const { rows } = await pool.query<SimulatedRow>({ ...FIND, values: [type, now, recipient, accountId, limit] });
  return rows;
}
