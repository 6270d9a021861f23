import type { Statement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/within.js';

const FIND: Statement = {
  name: 'identities-survivors',
  text: 'SELECT id, contact_id AS "contactId" FROM merged_contacts WHERE id = ANY($1::uuid[])',
};

/** Those of some ids whose contacts have become part of others, each with the contact that it is part of now. */
export async function findSurvivors(connection: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await connection.query<{ id: string; contactId: string }>({ ...FIND, values: [ids] });
  return new Map(rows.map(({ id, contactId }) => [id, contactId]));
}

const FIND_CONVERSATION: Statement = {
  name: 'identities-survivor-conversation',
  text: 'SELECT conversation_id AS "conversationId" FROM merged_conversations WHERE id = $1',
};

/** The conversation that one has become part of; null where it has not. */
async function findJoined(connection: Connection, id: string): Promise<string | null> {
  const { rows } = await connection.query<{ conversationId: string }>({ ...FIND_CONVERSATION, values: [id] });
  return rows[0]?.conversationId ?? null;
}

/**
 * What is found of the contact that an id means: of one that has become part of another, that one.
 * @param find null where there is no contact with the id, or no longer
 */
export function asSurvivor<T>(
  connection: Connection,
  id: string,
  find: (id: string) => Promise<T | null>,
): Promise<T | null> {
  return follow(id, find, async (gone) => (await findSurvivors(connection, [gone])).get(gone) ?? null);
}

/** The same of the conversation that an id means. */
export function asJoined<T>(
  connection: Connection,
  id: string,
  find: (id: string) => Promise<T | null>,
): Promise<T | null> {
  return follow(id, find, (gone) => findJoined(connection, gone));
}

/** Looks first and asks afterwards, so that one that goes meanwhile is found where it has gone. */
async function follow<T>(
  id: string,
  find: (id: string) => Promise<T | null>,
  next: (id: string) => Promise<string | null>,
): Promise<T | null> {
  for (let asked: string | null = id; asked !== null; asked = await next(asked)) {
    const found = await find(asked);
    if (found !== null) return found;
  }
  return null;
}
