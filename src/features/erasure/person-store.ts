import type pg from 'pg';
import { isUuid } from '../../platform/ids.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

/** A contact with the number, and the conversation with it. */
export interface PersonContact {
  id: string;
  accountId: string;
  channelId: string;
  /** Null while there is none. */
  conversationId: string | null;
  /** All that it is or was known by. */
  addresses: string[];
  /** Ids of contacts that became part of it. */
  formerIds: string[];
}

const FIND: PlannedStatement = {
  text: `SELECT c.id, c.account_id AS "accountId", c.channel_id AS "channelId", v.id AS "conversationId"
           , array_remove(ARRAY[c.phone, c.user_id, c.parent_user_id]
             || ARRAY(SELECT i.user_id FROM contact_identities i WHERE i.contact_id = c.id), NULL) AS addresses
           , ARRAY(SELECT m.id FROM merged_contacts m WHERE m.contact_id = c.id) AS "formerIds"
         FROM contacts c LEFT JOIN conversations v ON v.contact_id = c.id
         WHERE c.id IN (
           SELECT id FROM contacts WHERE channel_id = ANY($1::uuid[]) AND phone = $2
           UNION SELECT id FROM contacts WHERE channel_id = ANY($1::uuid[]) AND id = coalesce((SELECT contact_id FROM merged_contacts WHERE id = $3::uuid), $3::uuid)
           UNION SELECT contact_id FROM contact_identities WHERE channel_id = ANY($1::uuid[]) AND user_id = $2)
         ORDER BY c.id`,
};

/** The contacts of some channels that have a number or an id. */
export async function findContacts(
  pool: pg.Pool,
  channelIds: readonly string[],
  phone: string,
): Promise<PersonContact[]> {
  const { rows } = await pool.query<PersonContact>({
    ...FIND,
    values: [channelIds, phone, isUuid(phone) ? phone : null],
  });
  return rows;
}

const FIND_TRACED: PlannedStatement = {
  text: `SELECT DISTINCT subject FROM audit_log
         WHERE account_id = ANY($1::uuid[]) AND action LIKE 'contact.%'
           AND (before ->> 'phone' = $2 OR after ->> 'phone' = $2 OR after ->> 'userId' = $2)`,
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
