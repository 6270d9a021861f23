import type pg from 'pg';
import { isUuid } from '../../platform/ids.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

export interface PersonContact {
  id: string;
  accountId: string;
  channelId: string;
  /** Null without a conversation. */
  conversationId: string | null;
  /** Includes former addresses. */
  addresses: string[];
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

export async function findContacts(
  pool: pg.Pool,
  channelIds: readonly string[],
  address: string,
): Promise<PersonContact[]> {
  const { rows } = await pool.query<PersonContact>({
    ...FIND,
    values: [channelIds, address, isUuid(address) ? address : null],
  });
  return rows;
}

const FIND_LOGGED: PlannedStatement = {
  text: `SELECT DISTINCT subject FROM audit_log
         WHERE account_id = ANY($1::uuid[]) AND action LIKE 'contact.%'
           AND (before ->> 'phone' = $2 OR after ->> 'phone' = $2 OR after ->> 'userId' = $2)`,
};

/** Includes deleted contacts. */
export async function findLoggedContactIds(
  pool: pg.Pool,
  accountIds: readonly string[],
  address: string,
): Promise<string[]> {
  const { rows } = await pool.query<{ subject: string }>({ ...FIND_LOGGED, values: [accountIds, address] });
  return rows.map(({ subject }) => subject);
}
