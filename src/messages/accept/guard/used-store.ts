import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import type { SpendAmount } from './limits.js';
import { NO_KEY } from './spend-store.js';

const READ_USED: PlannedStatement = {
  text: `SELECT span, messages::text, micros::text FROM spend_counts
         WHERE account_id = $1 AND key_id = $2 AND scope = 'total' AND subject = '' AND ends_at > $3`,
};

export async function readUsedAmounts(
  pool: Connection,
  { accountId, keyId }: { accountId: string; keyId: string | null },
  now: Date,
): Promise<Map<string, SpendAmount>> {
  const { rows } = await pool.query<{ span: string; messages: string; micros: string }>({
    ...READ_USED,
    values: [accountId, keyId ?? NO_KEY, now.toISOString()],
  });
  return new Map(
    rows.map(({ span, messages, micros }) => [span, { messages: BigInt(messages), micros: BigInt(micros) }]),
  );
}
