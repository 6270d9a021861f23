import type pg from 'pg';
import type { Statement } from '../../../platform/store/connections/pool.js';

export interface ServiceCode {
  id: string;
  /** Digits with country code. */
  recipient: string;
  status: 'pending' | 'approved' | 'canceled';
  createdAt: Date;
  /** Business time of the last change. */
  updatedAt: Date;
  /** Oldest first, including fallbacks. */
  attempts: { messageId: string; kind: 'sms' | 'whatsapp'; at: string }[];
}

export interface ServiceCodeRef {
  accountId: string;
  serviceId: string;
  id: string;
}

const FIND: Statement = {
  name: 'verifications-of-service',
  text: `
SELECT v.id, v.recipient, v.status, v.created_at AS "createdAt",
       greatest(v.created_at, v.approved_at, v.updated_at, (SELECT max(m.created_at) FROM messages m WHERE m.verification_id = v.id))
         AS "updatedAt",
       coalesce((SELECT json_agg(json_build_object('messageId', m.id, 'kind', m.kind, 'at', m.created_at) ORDER BY m.id)
                 FROM messages m WHERE m.verification_id = v.id), '[]') AS attempts
FROM verifications v WHERE v.id = $1 AND v.account_id = $2 AND v.service_id = $3`,
};

/** Finds a code regardless of its status. */
export async function findServiceCode(
  pool: pg.Pool,
  { accountId, serviceId, id }: ServiceCodeRef,
): Promise<ServiceCode | null> {
  const { rows } = await pool.query<ServiceCode>({ ...FIND, values: [id, accountId, serviceId] });
  return rows[0] ?? null;
}

const FIND_PENDING: Statement = {
  name: 'verifications-pending-of-service',
  text: `SELECT recipient FROM verifications WHERE id = $1 AND account_id = $2 AND service_id = $3
           AND status = 'pending' AND expires_at > $4`,
};

/** Returns the recipient's digits, or null if the code is not live. */
export async function findPendingRecipient(
  pool: pg.Pool,
  { accountId, serviceId, id }: ServiceCodeRef,
  now: Date,
): Promise<string | null> {
  const { rows } = await pool.query<{ recipient: string }>({
    ...FIND_PENDING,
    values: [id, accountId, serviceId, now],
  });
  return rows[0]?.recipient ?? null;
}

const END: Statement = {
  name: 'verifications-end',
  text: `UPDATE verifications SET status = $5::"VerificationStatus", code_hash = NULL, sealed_code = NULL, updated_at = $4,
           approved_at = CASE WHEN $5 = 'approved' THEN $4::timestamptz END
         WHERE id = $1 AND account_id = $2 AND service_id = $3 AND status = 'pending' AND expires_at > $4`,
};

/** Returns whether the code was live. */
export async function endCode(
  client: pg.PoolClient,
  { accountId, serviceId, id }: ServiceCodeRef,
  status: 'approved' | 'canceled',
  now: Date,
): Promise<boolean> {
  const { rowCount } = await client.query({ ...END, values: [id, accountId, serviceId, now, status] });
  return rowCount === 1;
}
