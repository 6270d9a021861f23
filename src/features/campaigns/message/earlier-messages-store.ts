import type { Statement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';

/** A refunded message was never accepted by a carrier, so it does not count. */
const FIND: Statement = {
  name: 'campaigns-find-messaged',
  text: `
SELECT v.contact_id AS id FROM conversations v
WHERE v.contact_id = ANY($1::uuid[])
  AND EXISTS (SELECT FROM messages m WHERE m.conversation_id = v.id AND NOT m.refunded)`,
};

/** Finds the contacts to whom a message was sent or is waiting. */
export async function findMessagedContacts(
  connection: Connection,
  contactIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await connection.query<{ id: string }>({ ...FIND, values: [contactIds] });
  return new Set(rows.map(({ id }) => id));
}
