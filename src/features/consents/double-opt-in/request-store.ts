import type pg from 'pg';
import { newId } from '../../../platform/ids.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import {
  type ConsentEvidence,
  type ConsentPurpose,
  type ConsentScope,
  toEvidenceValues,
} from '../../opt-outs/ledger/ledger-store.js';

export interface ConsentRequest extends ConsentEvidence {
  id: string;
  purpose: ConsentPurpose;
  /** Normalized as a keyword; null if only words for yes confirm. */
  buttonLabel: string | null;
}

export interface NewConsentRequest extends Omit<ConsentRequest, 'id'> {
  messageId: string;
  /** The number or user ID that the message was sent to. */
  address: string;
  requestedAt: Date;
}

const INSERT: PlannedStatement = {
  text: `INSERT INTO consent_requests (id, account_id, kind, sender, phone, purpose, message_id, button_label, name, wording,
           wording_version, ip, url, requested_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
};

/** Returns the ID of the request. */
export async function insertConsentRequest(
  client: pg.PoolClient,
  { accountId, kind, sender }: ConsentScope,
  { address, purpose, messageId, buttonLabel, requestedAt, ...evidence }: NewConsentRequest,
): Promise<string> {
  const id = newId();
  const key = [id, accountId, kind, sender, address];
  await client.query({
    ...INSERT,
    values: [...key, purpose, messageId, buttonLabel, ...toEvidenceValues(evidence), requestedAt.toISOString()],
  });
  return id;
}

const FIND_LAST: PlannedStatement = {
  text: `SELECT requested_at AS "requestedAt" FROM consent_requests
         WHERE account_id = $1 AND kind = $2::channel_kind AND sender = $3 AND phone = ANY($4::text[])
         ORDER BY requested_at DESC LIMIT 1`,
};

/** The caller must have locked the account, so that no concurrent transaction sends a request. */
export async function findLastRequest(
  client: pg.PoolClient,
  { accountId, kind, sender }: ConsentScope,
  addresses: readonly string[],
): Promise<Date | null> {
  const { rows } = await client.query<{ requestedAt: Date }>({
    ...FIND_LAST,
    values: [accountId, kind, sender, addresses],
  });
  return rows[0]?.requestedAt ?? null;
}

/**
 * A person who has opted out since the request must write START first. Times of inbound messages may be whole seconds, so an
 * answer may seem to be up to a second older than the request.
 */
const LOCK_OPEN: PlannedStatement = {
  text: `SELECT r.id, r.purpose, r.button_label AS "buttonLabel", r.name, r.wording, r.wording_version AS "wordingVersion", r.ip, r.url
         FROM consent_requests r
         WHERE r.account_id = $1 AND r.kind = $2::channel_kind AND r.sender = $3 AND r.phone = ANY($4::text[])
           AND r.consent_id IS NULL AND r.requested_at > $5 AND date_trunc('second', r.requested_at) <= $6
           AND NOT EXISTS (
             SELECT FROM opt_outs o
             WHERE o.account_id = $1 AND o.kind = $2::channel_kind AND o.sender = $3 AND o.phone = ANY($4::text[]) AND o.is_active
               AND (r.purpose = 'marketing' OR NOT o.marketing_only))
         ORDER BY r.requested_at DESC LIMIT 1 FOR UPDATE OF r`,
};

/** Locks the request that an answer received at `until` would confirm, if it was sent after `since`. */
export async function lockOpenRequest(
  client: pg.PoolClient,
  { accountId, kind, sender }: ConsentScope,
  addresses: readonly string[],
  { since, until }: { since: Date; until: Date },
): Promise<ConsentRequest | null> {
  const values = [accountId, kind, sender, addresses, since.toISOString(), until.toISOString()];
  const { rows } = await client.query<ConsentRequest>({ ...LOCK_OPEN, values });
  return rows[0] ?? null;
}

const CONFIRM: PlannedStatement = { text: 'UPDATE consent_requests SET consent_id = $2 WHERE id = $1' };

export async function markConfirmed(client: pg.PoolClient, id: string, consentId: string): Promise<void> {
  await client.query({ ...CONFIRM, values: [id, consentId] });
}
