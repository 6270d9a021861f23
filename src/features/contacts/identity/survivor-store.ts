import type { Statement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';

const FIND: Statement = {
  name: 'identities-survivors',
  text: 'SELECT id, contact_id AS "contactId" FROM merged_contacts WHERE id = ANY($1::uuid[])',
};

/** By ID. */
export async function findSurvivors(connection: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await connection.query<{ id: string; contactId: string }>({ ...FIND, values: [ids] });
  return new Map(rows.map(({ id, contactId }) => [id, contactId]));
}

const FIND_CONVERSATION: Statement = {
  name: 'identities-survivor-conversation',
  text: 'SELECT conversation_id AS "conversationId" FROM merged_conversations WHERE id = $1',
};

async function findMergedConversation(connection: Connection, id: string): Promise<string | null> {
  const { rows } = await connection.query<{ conversationId: string }>({ ...FIND_CONVERSATION, values: [id] });
  return rows[0]?.conversationId ?? null;
}

/** @param find a function that returns null if no contact has the ID */
export function followContactMerges<T>(
  connection: Connection,
  id: string,
  find: (id: string) => Promise<T | null>,
): Promise<T | null> {
  return followRedirects(id, find, async (merged) => (await findSurvivors(connection, [merged])).get(merged) ?? null);
}

export function followConversationMerges<T>(
  connection: Connection,
  id: string,
  find: (id: string) => Promise<T | null>,
): Promise<T | null> {
  return followRedirects(id, find, (merged) => findMergedConversation(connection, merged));
}

/** Looks up the row before its redirect, so that a concurrent merge is not missed. */
async function followRedirects<T>(
  id: string,
  find: (id: string) => Promise<T | null>,
  findRedirect: (id: string) => Promise<string | null>,
): Promise<T | null> {
  for (let current: string | null = id; current !== null; current = await findRedirect(current)) {
    const row = await find(current);
    if (row !== null) return row;
  }
  return null;
}
