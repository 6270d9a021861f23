import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { ConsentPurpose, ConsentScope } from '../opt-outs/ledger/ledger-store.js';
import { decideOptOut, limitOptOuts } from '../opt-outs/opt-out-store.js';

type Addressees = ConsentScope & { addresses: readonly string[] };

interface ConsentChange {
  purpose: ConsentPurpose;
  isGranted: boolean;
  isByOperator: boolean;
  decidedAt: Date;
}

/**
 * Changes the opt-out as a consent decision requires, unless a later decision is stored. Returns the change, or null.
 */
export async function applyConsent(
  client: pg.PoolClient,
  { addresses, ...scope }: Addressees,
  { purpose, isGranted, isByOperator, decidedAt }: ConsentChange,
): Promise<{ isActive: boolean; marketingOnly: boolean } | null> {
  const optOut = { ...scope, addresses, keyword: null, decidedAt };
  if (!isGranted) {
    const marketingOnly = purpose === 'marketing';
    const { hasChanged } = await decideOptOut(client, { ...optOut, isActive: true, marketingOnly });
    return hasChanged ? { isActive: true, marketingOnly } : null;
  }
  if (!isByOperator || (await readActiveOptOut(client, { ...scope, addresses })) === null) return null;
  if (purpose === 'transactional') {
    const hasChanged = await limitOptOuts(client, optOut);
    return hasChanged ? { isActive: true, marketingOnly: true } : null;
  }
  const { hasChanged } = await decideOptOut(client, { ...optOut, isActive: false });
  return hasChanged ? { isActive: false, marketingOnly: false } : null;
}

/** The strictest and oldest opt-out of the addresses. */
const READ_ACTIVE: PlannedStatement = {
  text: `SELECT CASE WHEN marketing_only THEN 'marketing' ELSE 'all' END AS scope, decided_at AS since FROM opt_outs
         WHERE account_id = $1 AND kind = $2::channel_kind AND sender = $3 AND phone = ANY($4::text[]) AND is_active
         ORDER BY marketing_only, decided_at LIMIT 1`,
};

export async function readActiveOptOut(
  connection: pg.Pool | pg.PoolClient,
  { accountId, kind, sender, addresses }: Addressees,
): Promise<{ scope: 'all' | 'marketing'; since: Date } | null> {
  const { rows } = await connection.query<{ scope: 'all' | 'marketing'; since: Date }>({
    ...READ_ACTIVE,
    values: [accountId, kind, sender, addresses],
  });
  return rows[0] ?? null;
}
