import type pg from 'pg';
import type { OptOutSender } from '../../messages/send/opted-out.js';
import type { Statement } from '../../platform/store/pool.js';
import type { OptOutMeaning } from './keywords.js';

const FIND_WORD: Statement = {
  name: 'opt-outs-find-word',
  text: 'SELECT meaning FROM opt_out_words WHERE account_id = $1 AND word = $2',
};

/** What an account has a word mean, in the form of `toKeyword`; null when the word is none of its own. */
export async function findOwnMeaning(
  client: pg.PoolClient,
  accountId: string,
  word: string,
): Promise<OptOutMeaning | null> {
  const { rows } = await client.query<{ meaning: OptOutMeaning }>({ ...FIND_WORD, values: [accountId, word] });
  return rows[0]?.meaning ?? null;
}

/** What a contact has decided about a sender. */
export interface OptOutDecision {
  accountId: string;
  kind: OptOutSender['kind'];
  /** As `senderOf` tells it. */
  sender: string;
  /** Digits with country code. */
  phone: string;
  /** The word that the contact wrote. */
  keyword: string;
  /** Whether the sender is blocked from now on; false takes an earlier block back. */
  isActive: boolean;
  /** When the contact wrote it. */
  decidedAt: Date;
}

/**
 * Carriers do not keep the order of messages: the one that was written last counts, in whatever order they arrive. Of two
 * of the same time, which a carrier may tell in whole seconds, it is the one that arrives last.
 */
const DECIDE: Statement = {
  name: 'opt-outs-decide',
  text: `INSERT INTO opt_outs AS known (account_id, kind, sender, phone, keyword, is_active, decided_at)
         VALUES ($1, $2::channel_kind, $3, $4, $5, $6, $7)
         ON CONFLICT (account_id, kind, sender, phone) DO UPDATE
           SET keyword = EXCLUDED.keyword, is_active = EXCLUDED.is_active, decided_at = EXCLUDED.decided_at
           WHERE known.decided_at <= EXCLUDED.decided_at`,
};

/** Keeps what a contact has decided, unless a later decision is known. */
export async function decideOptOut(client: pg.PoolClient, decision: OptOutDecision): Promise<void> {
  const { accountId, kind, sender, phone, keyword, isActive, decidedAt } = decision;
  await client.query({
    ...DECIDE,
    values: [accountId, kind, sender, phone, keyword, isActive, decidedAt.toISOString()],
  });
}

/** A sender as `opt_outs` names it. */
export type OptOutPlace = Pick<OptOutDecision, 'accountId' | 'kind' | 'sender'>;

const FIND_AMONG: Statement = {
  name: 'opt-outs-find-among',
  text: `SELECT phone FROM opt_outs
         WHERE account_id = $1 AND kind = $2::channel_kind AND sender = $3 AND phone = ANY($4::text[]) AND is_active`,
};

/** Those of some numbers that a sender is blocked for. */
export async function findOptedOut(
  pool: pg.Pool,
  { accountId, kind, sender }: OptOutPlace,
  phones: readonly string[],
): Promise<string[]> {
  const values = [accountId, kind, sender, phones];
  const { rows } = await pool.query<{ phone: string }>({ ...FIND_AMONG, values });
  return rows.map(({ phone }) => phone);
}

const SET: Statement = {
  name: 'opt-outs-set',
  text: `INSERT INTO opt_outs AS known (account_id, kind, sender, phone, decided_at)
         VALUES ($1, $2::channel_kind, $3, $4, $5)
         ON CONFLICT (account_id, kind, sender, phone) DO UPDATE
           SET keyword = NULL, is_active = true, decided_at = EXCLUDED.decided_at WHERE NOT known.is_active`,
};

/** Blocks a number for a sender without a word of its own. */
export async function setOptOut(pool: pg.Pool, decided: OptOutPlace & { phone: string; at: Date }): Promise<void> {
  await pool.query({ ...SET, values: valuesOf(decided) });
}

/** Makes no row where there is none: while none at all is there, sending asks for none. */
const LIFT: Statement = {
  name: 'opt-outs-lift',
  text: `UPDATE opt_outs SET keyword = NULL, is_active = false, decided_at = $5
         WHERE account_id = $1 AND kind = $2::channel_kind AND sender = $3 AND phone = $4 AND is_active`,
};

/** Lets a sender write to a number again. */
export async function liftOptOut(pool: pg.Pool, decided: OptOutPlace & { phone: string; at: Date }): Promise<void> {
  await pool.query({ ...LIFT, values: valuesOf(decided) });
}

function valuesOf({ accountId, kind, sender, phone, at }: OptOutPlace & { phone: string; at: Date }): unknown[] {
  return [accountId, kind, sender, phone, at.toISOString()];
}
