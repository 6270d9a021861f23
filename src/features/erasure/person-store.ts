import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/pool.js';

/** A contact with the number, and the conversation with it. */
export interface PersonContact {
  id: string;
  accountId: string;
  channelId: string;
  /** Null while there is none. */
  conversationId: string | null;
}

const FIND: PlannedStatement = {
  text: `SELECT c.id, c.account_id AS "accountId", c.channel_id AS "channelId", v.id AS "conversationId"
         FROM contacts c LEFT JOIN conversations v ON v.contact_id = c.id
         WHERE c.channel_id = ANY($1::uuid[]) AND c.phone = $2 ORDER BY c.id`,
};

/** The contacts of some channels that have a number. */
export async function findContacts(
  pool: pg.Pool,
  channelIds: readonly string[],
  phone: string,
): Promise<PersonContact[]> {
  const { rows } = await pool.query<PersonContact>({ ...FIND, values: [channelIds, phone] });
  return rows;
}

const FIND_TRACED: PlannedStatement = {
  text: `SELECT DISTINCT subject FROM audit_log
         WHERE account_id = ANY($1::uuid[]) AND action LIKE 'contact.%'
           AND (before ->> 'phone' = $2 OR after ->> 'phone' = $2)`,
};

/** Ids of contacts that lines of the audit log give the number, be they deleted since. */
export async function findTracedContacts(
  pool: pg.Pool,
  accountIds: readonly string[],
  phone: string,
): Promise<string[]> {
  const { rows } = await pool.query<{ subject: string }>({ ...FIND_TRACED, values: [accountIds, phone] });
  return rows.map(({ subject }) => subject);
}
