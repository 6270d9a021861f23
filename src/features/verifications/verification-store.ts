import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';

export interface RecipientRow {
  sends: Date[];
  checks: Date[];
}

export interface VerificationRow {
  id: string;
  expiresAt: Date;
  digits: number;
  sends: number;
  checks: number;
  codeHash: Buffer;
}

const UPSERT_AND_LOCK: Statement = {
  name: 'verifications-lock-or-make',
  text: `INSERT INTO verification_recipients (account_id, recipient, touched_at) VALUES ($1, $2, $3)
         ON CONFLICT (account_id, recipient) DO UPDATE SET touched_at = excluded.touched_at RETURNING sends, checks`,
};

export async function createAndLockRecipient(
  client: pg.PoolClient,
  accountId: string,
  recipient: string,
  now: Date,
): Promise<RecipientRow> {
  const { rows } = await client.query<RecipientRow>({ ...UPSERT_AND_LOCK, values: [accountId, recipient, now] });
  return rows[0] as RecipientRow;
}

const LOCK_RECIPIENT: Statement = {
  name: 'verifications-lock',
  text: 'SELECT sends, checks FROM verification_recipients WHERE account_id = $1 AND recipient = $2 FOR UPDATE',
};

export async function lockRecipient(
  client: pg.PoolClient,
  accountId: string,
  recipient: string,
): Promise<RecipientRow | null> {
  const { rows } = await client.query<RecipientRow>({ ...LOCK_RECIPIENT, values: [accountId, recipient] });
  return rows[0] ?? null;
}

const UPDATE_RECIPIENT: Statement = {
  name: 'verifications-note',
  text: `UPDATE verification_recipients SET sends = $3::timestamptz[], checks = $4::timestamptz[], touched_at = $5
         WHERE account_id = $1 AND recipient = $2`,
};

export async function updateRecipient(
  client: pg.PoolClient,
  accountId: string,
  recipient: string,
  { sends, checks }: RecipientRow,
  now: Date,
): Promise<void> {
  await client.query({ ...UPDATE_RECIPIENT, values: [accountId, recipient, sends, checks, now] });
}

const FIND_LIVE: Statement = {
  name: 'verifications-live',
  text: `SELECT id, expires_at AS "expiresAt", digits, sends, checks, code_hash AS "codeHash" FROM verifications
         WHERE account_id = $1 AND recipient = $2 AND status = 'pending' AND expires_at > $3 AND code_hash IS NOT NULL
           AND service_id IS NOT DISTINCT FROM $4
         ORDER BY id DESC LIMIT 1`,
};

/** @param serviceId the sign-in service, or null for a verification that was created through the API */
export async function findLiveVerification(
  client: pg.PoolClient,
  accountId: string,
  recipient: string,
  now: Date,
  serviceId: string | null,
): Promise<VerificationRow | null> {
  const { rows } = await client.query<VerificationRow>({
    ...FIND_LIVE,
    values: [accountId, recipient, now, serviceId],
  });
  return rows[0] ?? null;
}

export interface NewVerification {
  id: string;
  accountId: string;
  recipient: string;
  callingCode: string;
  createdAt: Date;
  expiresAt: Date;
  digits: number;
  /** Hash of the code; null if a login system checks the code. */
  hash: Buffer | null;
  sealed: Buffer;
  serviceId: string | null;
}

const INSERT: Statement = {
  name: 'verifications-insert',
  text: `INSERT INTO verifications
           (id, account_id, recipient, calling_code, created_at, expires_at, digits, code_hash, sealed_code, service_id,
            checked_elsewhere, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $8::bytea IS NULL, $5)`,
};

export async function insertVerification(client: pg.PoolClient, row: NewVerification): Promise<void> {
  const { id, accountId, recipient, callingCode, createdAt, expiresAt, digits, hash, sealed, serviceId } = row;
  const values = [id, accountId, recipient, callingCode, createdAt, expiresAt, digits, hash, sealed, serviceId];
  await client.query({ ...INSERT, values });
}

const COUNT_SEND: Statement = {
  name: 'verifications-sent',
  text: 'UPDATE verifications SET sends = sends + 1, updated_at = $2 WHERE id = $1 RETURNING sends',
};

export async function countSend(client: pg.PoolClient, id: string, now: Date): Promise<number> {
  const { rows } = await client.query<{ sends: number }>({ ...COUNT_SEND, values: [id, now] });
  return rows[0]?.sends ?? 0;
}

const COUNT_CHECK: Statement = {
  name: 'verifications-checked',
  text: `UPDATE verifications SET checks = checks + 1, updated_at = $3,
           status = CASE WHEN $2 THEN 'approved' ELSE status END,
           approved_at = CASE WHEN $2 THEN $3::timestamptz END,
           code_hash = CASE WHEN NOT $2 THEN code_hash END,
           sealed_code = CASE WHEN NOT $2 THEN sealed_code END
         WHERE id = $1`,
};

export async function countCheck(client: pg.PoolClient, id: string, isCorrect: boolean, now: Date): Promise<void> {
  await client.query({ ...COUNT_CHECK, values: [id, isCorrect, now] });
}

const FIND_BY_MESSAGE: Statement = {
  name: 'verifications-of-message',
  text: `SELECT v.id, v.expires_at AS "expiresAt", v.sends FROM messages m JOIN verifications v ON v.id = m.verification_id
         WHERE m.id = $1 AND m.account_id = $2`,
};

export async function findByMessage(
  pool: pg.Pool,
  accountId: string,
  messageId: string,
): Promise<Pick<VerificationRow, 'id' | 'expiresAt' | 'sends'> | null> {
  const { rows } = await pool.query({ ...FIND_BY_MESSAGE, values: [messageId, accountId] });
  return rows[0] ?? null;
}

const CONFIRM: Statement = {
  name: 'verifications-confirm',
  text: `UPDATE verifications v SET status = 'approved', approved_at = $3, updated_at = $3 FROM messages m
         WHERE m.id = $1 AND m.account_id = $2 AND v.id = m.verification_id AND v.checked_elsewhere AND v.status = 'pending'
         RETURNING v.calling_code AS "callingCode"`,
};

/** Returns the calling code of the approved code's recipient, or null if there was nothing to approve. */
export async function confirmByMessage(
  pool: pg.Pool,
  accountId: string,
  messageId: string,
  now: Date,
): Promise<string | null> {
  const values = [messageId, accountId, now.toISOString()];
  const { rows } = await pool.query<{ callingCode: string }>({ ...CONFIRM, values });
  return rows[0]?.callingCode ?? null;
}
