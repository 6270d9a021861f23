import type pg from 'pg';
import type { ConsentSource } from '../../../messages/events/webhook-events.js';
import { newId } from '../../../platform/ids.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';

export const CONSENT_PURPOSES = ['marketing', 'transactional'] as const;
export type ConsentPurpose = (typeof CONSENT_PURPOSES)[number];

/** Identifies the sender whose messages the person decides about, as opt-outs do. */
export interface ConsentScope {
  accountId: string;
  kind: 'sms' | 'whatsapp';
  /** As returned by `toOptOutSender`. */
  sender: string;
}

/** What proves a decision. All of it is removed if the person is erased. */
export interface ConsentEvidence {
  name?: string | null;
  /** The text that the person agreed to, or the keyword that the person wrote. */
  wording?: string | null;
  wordingVersion?: string | null;
  ip?: string | null;
  url?: string | null;
}

export interface ConsentDecision extends ConsentEvidence {
  purposes: readonly ConsentPurpose[];
  isGranted: boolean;
  source: ConsentSource;
  /** Time of the person's decision. */
  decidedAt: Date;
}

const INSERT: PlannedStatement = {
  text: `INSERT INTO consents (id, account_id, kind, sender, phone, is_main, purpose, is_granted, source, name, wording,
           wording_version, ip, url, decided_at, created_at)
         SELECT e.id, $1, $2::channel_kind, $3, a.phone, a.number = 1, e.purpose::message_purpose, $6, $7::consent_source,
           $8, $9, $10, $11, $12, $13, $14
         FROM unnest($4::text[]) WITH ORDINALITY AS a(phone, number) CROSS JOIN unnest($5::uuid[], $15::text[]) AS e(id, purpose)`,
};

/** Returns the values of the columns name, wording, wording_version, ip and url. */
export function toEvidenceValues({ name, wording, wordingVersion, ip, url }: ConsentEvidence): (string | null)[] {
  return [name, wording, wordingVersion, ip, url].map((text) => text ?? null);
}

/** Returns the IDs of the entries, one for each purpose. */
export async function insertConsents(
  client: pg.PoolClient,
  { accountId, kind, sender }: ConsentScope,
  addresses: readonly string[],
  { decision, at }: { decision: ConsentDecision; at: Date },
): Promise<string[]> {
  const { purposes, isGranted, source, decidedAt } = decision;
  const ids = purposes.map(() => newId());
  const place = [accountId, kind, sender, [...new Set(addresses)], ids];
  const values = [
    ...place,
    isGranted,
    source,
    ...toEvidenceValues(decision),
    decidedAt.toISOString(),
    at.toISOString(),
    purposes,
  ];
  await client.query({ ...INSERT, values });
  return ids;
}

/** SQL for the newest decision of each address and purpose. Of two at the same time, the withdrawal counts. */
const NEWEST = `SELECT DISTINCT ON (phone, purpose) phone, purpose, is_granted, id, source, decided_at FROM consents
    WHERE account_id = $1 AND kind = $2::channel_kind AND sender = $3 AND phone = ANY($4::text[])
    ORDER BY phone, purpose, decided_at DESC, is_granted, id DESC`;

const READ_CURRENT: PlannedStatement = {
  text: `SELECT DISTINCT ON (purpose) purpose, is_granted AS "isGranted", id, source, decided_at AS "decidedAt"
         FROM (${NEWEST}) newest ORDER BY purpose, is_granted, decided_at DESC`,
};

export interface CurrentConsent {
  id: string;
  purpose: ConsentPurpose;
  isGranted: boolean;
  source: ConsentSource;
  decidedAt: Date;
}

/** Reads the decision that counts for each purpose. A purpose without a decision is absent. */
export async function readCurrentConsents(
  connection: Connection,
  { accountId, kind, sender }: ConsentScope,
  addresses: readonly string[],
): Promise<CurrentConsent[]> {
  const { rows } = await connection.query<CurrentConsent>({
    ...READ_CURRENT,
    values: [accountId, kind, sender, addresses],
  });
  return rows;
}

/**
 * If addresses of one person have different decisions, the strictest one is copied to the others as a new entry, without its
 * evidence. The copy counts even where a newer grant is stored. An address without a decision gets the one of the others.
 */
const JOIN: PlannedStatement = {
  text: `WITH newest AS (${NEWEST}),
         strictest AS (
           SELECT DISTINCT ON (purpose) purpose, is_granted, source, max(decided_at) OVER (PARTITION BY purpose) AS decided_at
           FROM newest ORDER BY purpose, is_granted, newest.decided_at DESC
         ), missing AS (
           SELECT s.*, a.phone, row_number() OVER (PARTITION BY s.purpose ORDER BY a.phone) = 1 AS is_main
           FROM strictest s CROSS JOIN unnest($4::text[]) AS a(phone)
           WHERE NOT EXISTS (SELECT FROM newest n WHERE n.phone = a.phone AND n.purpose = s.purpose AND n.is_granted = s.is_granted)
         )
         INSERT INTO consents (id, account_id, kind, sender, phone, is_main, purpose, is_granted, source, decided_at, created_at)
         SELECT CASE m.purpose WHEN 'marketing' THEN $5::uuid ELSE $6::uuid END, $1, $2::channel_kind, $3, m.phone, m.is_main,
           m.purpose, m.is_granted, m.source, m.decided_at, now()
         FROM missing m`,
};

/** Finds no account if there is nothing to join. */
const FIND_ACCOUNT: PlannedStatement = {
  text: `SELECT account_id AS "accountId" FROM channels ch WHERE ch.id = $1 AND ch.kind = 'whatsapp' AND EXISTS (
           SELECT FROM consents c WHERE c.account_id = ch.account_id AND c.kind = 'whatsapp' AND c.sender = ch.id::text
             AND c.phone = ANY($2::text[]))`,
};

/** Call this function after addresses were found to belong to one person, in the same transaction. */
export async function joinConsents(
  client: pg.PoolClient,
  channelId: string,
  addresses: readonly string[],
): Promise<void> {
  const { rows } = await client.query<{ accountId: string }>({ ...FIND_ACCOUNT, values: [channelId, addresses] });
  const [found] = rows;
  if (found)
    await client.query({ ...JOIN, values: [found.accountId, 'whatsapp', channelId, addresses, newId(), newId()] });
}
