import type pg from 'pg';
import type { Statement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import { inPortfolioSql } from '../../contacts/identity/portfolio-sql.js';

/** Exactly one of `phone`, `userId` and `contactId` identifies the member. */
export interface MemberVariables {
  /** Digits with country code. */
  phone?: string;
  /** WhatsApp's ID. */
  userId?: string;
  contactId?: string;
  variables: Readonly<Record<string, string>>;
}

/** The keys are unambiguous, because phone numbers, user IDs and contact IDs have different formats. */
export function toMemberKey({ phone, userId, contactId }: Omit<MemberVariables, 'variables'>): string {
  return phone ?? userId ?? contactId ?? '';
}

const INSERT: Statement = {
  name: 'campaigns-insert-variables',
  text: `INSERT INTO campaign_member_variables (campaign_id, phone, variables)
         SELECT $1, phone, variables FROM unnest($2::text[], $3::jsonb[]) AS input(phone, variables)`,
};

export async function insertMemberVariables(
  client: pg.PoolClient,
  campaignId: string,
  members: readonly MemberVariables[],
): Promise<void> {
  if (members.length === 0) return;
  const values = [campaignId, members.map(toMemberKey), members.map(({ variables }) => JSON.stringify(variables))];
  await client.query({ ...INSERT, values });
}

/** If several keys match a contact, the most specific key is used. */
const FIND: Statement = {
  name: 'campaigns-find-variables',
  text: `
SELECT DISTINCT ON (k.contact_id) k.contact_id AS "contactId", v.variables
FROM (
  SELECT id AS contact_id, id::text AS key, 1 AS rank FROM contacts WHERE id = ANY($2::uuid[])
  UNION ALL SELECT contact_id, id::text, 2 FROM merged_contacts WHERE contact_id = ANY($2::uuid[])
  UNION ALL SELECT contact_id, user_id, 3 FROM contact_identities WHERE contact_id = ANY($2::uuid[])
  UNION ALL SELECT id, phone, 4 FROM contacts WHERE id = ANY($2::uuid[]) AND phone IS NOT NULL
) k JOIN campaign_member_variables v ON v.campaign_id = $1 AND v.phone = k.key
ORDER BY k.contact_id, k.rank, k.key`,
};

/** By contact ID. */
export async function findMemberVariables(
  client: pg.PoolClient,
  campaignId: string,
  contactIds: readonly string[],
): Promise<Map<string, MemberVariables['variables']>> {
  const { rows } = await client.query<{ contactId: string; variables: MemberVariables['variables'] }>({
    ...FIND,
    values: [campaignId, contactIds],
  });
  return new Map(rows.map(({ contactId, variables }) => [contactId, variables]));
}

const FIND_KEY_CONTACTS: Statement = {
  name: 'campaigns-find-meant',
  text: `
SELECT user_id AS key, contact_id AS "contactId" FROM contact_identities
WHERE channel_id = $1 AND user_id = ANY($2::text[]) AND ${inPortfolioSql('$1')}
UNION ALL SELECT id::text, contact_id FROM merged_contacts WHERE id = ANY($3::uuid[])`,
};

export async function readMemberVariables(
  connection: Connection,
  channelId: string,
  members: readonly MemberVariables[],
): Promise<(contact: { id: string; phone: string | null }) => MemberVariables['variables'] | undefined> {
  const userIds = members.flatMap(({ userId }) => userId ?? []);
  const mergedIds = members.flatMap(({ contactId }) => contactId ?? []);
  const { rows } =
    userIds.length + mergedIds.length === 0
      ? { rows: [] }
      : await connection.query<{ key: string; contactId: string }>({
          ...FIND_KEY_CONTACTS,
          values: [channelId, userIds, mergedIds],
        });
  const contactIds = new Map(rows.map(({ key, contactId }) => [key, contactId]));
  const byKey = new Map(members.map((member) => [toMemberKey(member), member.variables]));
  const byContact = new Map(
    // The list is reversed, so that the first member wins if several keys lead to the same contact.
    [...byKey].reverse().flatMap(([key, variables]) => {
      const contactId = contactIds.get(key);
      return contactId === undefined ? [] : [[contactId, variables] as const];
    }),
  );
  return ({ id, phone }) => byKey.get(id) ?? byContact.get(id) ?? byKey.get(phone ?? '');
}

const DELETE: Statement = {
  name: 'campaigns-delete-variables',
  text: 'DELETE FROM campaign_member_variables WHERE campaign_id = $1',
};

export async function deleteMemberVariables(connection: pg.Pool | pg.PoolClient, campaignId: string): Promise<void> {
  await connection.query({ ...DELETE, values: [campaignId] });
}
