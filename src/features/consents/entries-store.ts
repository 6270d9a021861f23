import type pg from 'pg';
import { buildIsNumberSql } from '../../carriers/numbers/user-ids.js';
import type { ConsentSource } from '../../messages/events/webhook-events.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { ConsentPurpose, ConsentScope } from '../opt-outs/ledger/ledger-store.js';

/** An entry of the consent ledger. Texts are null if they were not given, or after the person was erased. */
export interface ConsentEntry {
  id: string;
  phone: string | null;
  userId: string | null;
  purpose: ConsentPurpose;
  isGranted: boolean;
  source: ConsentSource;
  name: string | null;
  wording: string | null;
  wordingVersion: string | null;
  ip: string | null;
  url: string | null;
  decidedAt: Date;
  createdAt: Date;
}

export interface ConsentFilter {
  id?: string;
  /** Entries about one of these. */
  addresses?: readonly string[];
  purpose?: ConsentPurpose;
  isGranted?: boolean;
  source?: ConsentSource;
}

/** With addresses, the index by address finds the entries. */
const MATCHES = `c.account_id = $1 AND c.kind = $2::channel_kind AND c.sender = $3 AND c.is_main
  AND ($4::uuid IS NULL OR c.id = $4)
  AND ($5::text[] IS NULL OR c.id = ANY(ARRAY(SELECT a.id FROM consents a WHERE a.account_id = $1 AND a.phone = ANY($5)
    AND a.kind = $2::channel_kind AND a.sender = $3)))
  AND ($6::message_purpose IS NULL OR c.purpose = $6)
  AND ($7::boolean IS NULL OR c.is_granted = $7)
  AND ($8::consent_source IS NULL OR c.source = $8)`;

const READ_ENTRIES = `SELECT c.id, p.phone, p."userId", c.purpose, c.is_granted AS "isGranted", c.source, c.name, c.wording,
           c.wording_version AS "wordingVersion", c.ip, c.url, c.decided_at AS "decidedAt", c.created_at AS "createdAt"
         FROM consents c CROSS JOIN LATERAL (
           SELECT min(a.phone) FILTER (WHERE ${buildIsNumberSql('a.phone')}) AS phone,
             min(a.phone) FILTER (WHERE NOT ${buildIsNumberSql('a.phone')}) AS "userId"
           FROM consents a WHERE a.id = c.id) p`;

const READ: PlannedStatement = {
  text: `${READ_ENTRIES} WHERE ${MATCHES} ORDER BY c.id DESC LIMIT $9 OFFSET $10`,
};

function toValues({ accountId, kind, sender }: ConsentScope, filter: ConsentFilter) {
  const { id, addresses, purpose, isGranted, source } = filter;
  return [accountId, kind, sender, ...[id, addresses, purpose, isGranted, source].map((value) => value ?? null)];
}

/** Newest first, by the time at which the entries were written. */
export async function readConsents(
  connection: pg.Pool | pg.PoolClient,
  scope: ConsentScope,
  filter: ConsentFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<ConsentEntry[]> {
  const values = [...toValues(scope, filter), limit, offset];
  const { rows } = await connection.query<ConsentEntry>({ ...READ, values });
  return rows;
}

const READ_AFTER: PlannedStatement = {
  text: `${READ_ENTRIES} WHERE c.account_id = $1 AND c.kind = $2::channel_kind AND c.sender = $3 AND c.is_main AND c.id > $4
         ORDER BY c.id LIMIT $5`,
};

/** Oldest first. */
export async function readConsentsAfter(
  pool: pg.Pool,
  { accountId, kind, sender }: ConsentScope,
  afterId: string,
  limit: number,
): Promise<ConsentEntry[]> {
  const { rows } = await pool.query<ConsentEntry>({ ...READ_AFTER, values: [accountId, kind, sender, afterId, limit] });
  return rows;
}

const COUNT: PlannedStatement = { text: `SELECT count(*)::int AS count FROM consents c WHERE ${MATCHES}` };

export async function countConsents(pool: pg.Pool, scope: ConsentScope, filter: ConsentFilter): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({ ...COUNT, values: toValues(scope, filter) });
  return rows[0]?.count ?? 0;
}
