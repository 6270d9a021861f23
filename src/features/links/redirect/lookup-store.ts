import type { Statement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';

export interface FoundLink {
  code: string;
  accountId: string;
  /** Null if the link has expired. */
  target: string | null;
  /** Null if the link has expired. */
  messageId: string | null;
}

const FIND: Statement = {
  name: 'links-look-up',
  text: `SELECT code, account_id AS "accountId", target, message_id AS "messageId" FROM links WHERE code = ANY($1::text[])
         UNION ALL
         SELECT code, account_id, NULL, NULL FROM expired_links WHERE code = ANY($1::text[])`,
};

export async function findLinksByCode(pool: Connection, codes: readonly string[]): Promise<FoundLink[]> {
  const { rows } = await pool.query<FoundLink>({ ...FIND, values: [codes] });
  return rows;
}
