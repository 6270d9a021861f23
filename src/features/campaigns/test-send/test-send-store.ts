import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';

export interface TestMessage {
  id: string;
  /** Digits with country code. */
  to: string;
  body: string;
  /** SMS segments; always 1 on WhatsApp. */
  segments: number;
}

const FIND: PlannedStatement = {
  text: `SELECT id, recipient AS to, body, parts::int AS segments FROM messages
         WHERE id = ANY($1::uuid[]) AND account_id = $2 ORDER BY id`,
};

/** Omits deleted messages. */
export async function findTestMessages(
  connection: Connection,
  accountId: string,
  ids: readonly string[],
): Promise<TestMessage[]> {
  return (await connection.query<TestMessage>({ ...FIND, values: [ids, accountId] })).rows;
}
