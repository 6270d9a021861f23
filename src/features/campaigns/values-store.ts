import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/within.js';
import { ofPortfolio } from '../contacts/identity/portfolio-sql.js';

/** What a campaign's variables are to one member, who is named by exactly one of these. */
export interface MemberVariables {
  /** Digits with country code. */
  phone?: string;
  /** WhatsApp's id of the person. */
  userId?: string;
  contactId?: string;
  variables: Readonly<Record<string, string>>;
}

/** By what a member is named, as `campaign_member_variables` keeps it: a number, a user id and an id of ours differ in form. */
export function memberKey({ phone, userId, contactId }: Omit<MemberVariables, 'variables'>): string {
  return phone ?? userId ?? contactId ?? '';
}

const INSERT: Statement = {
  name: 'campaigns-insert-variables',
  text: `INSERT INTO campaign_member_variables (campaign_id, phone, variables)
         SELECT $1, phone, variables FROM unnest($2::text[], $3::jsonb[]) AS given(phone, variables)`,
};

/** Keeps the members' own variables of a new campaign, in the transaction that makes it. */
export async function insertMemberVariables(
  client: pg.PoolClient,
  campaignId: string,
  members: readonly MemberVariables[],
): Promise<void> {
  if (members.length === 0) return;
  const values = [campaignId, members.map(memberKey), members.map(({ variables }) => JSON.stringify(variables))];
  await client.query({ ...INSERT, values });
}

/** Each key of a contact leads to what was given by it; what names the person most surely goes first. */
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

/** The members' own variables, by contact; those who have none are not in it. */
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

const FIND_MEANT: Statement = {
  name: 'campaigns-find-meant',
  text: `
SELECT user_id AS key, contact_id AS "contactId" FROM contact_identities
WHERE channel_id = $1 AND user_id = ANY($2::text[]) AND ${ofPortfolio('$1')}
UNION ALL SELECT id::text, contact_id FROM merged_contacts WHERE id = ANY($3::uuid[])`,
};

/** The members' own variables of a campaign that is not made yet: what tells them of a contact. */
export async function readMemberVariables(
  connection: Connection,
  channelId: string,
  members: readonly MemberVariables[],
): Promise<(contact: { id: string; phone: string | null }) => MemberVariables['variables'] | undefined> {
  const userIds = members.flatMap(({ userId }) => userId ?? []);
  const contactIds = members.flatMap(({ contactId }) => contactId ?? []);
  const { rows } =
    userIds.length + contactIds.length === 0
      ? { rows: [] }
      : await connection.query<{ key: string; contactId: string }>({
          ...FIND_MEANT,
          values: [channelId, userIds, contactIds],
        });
  const meant = new Map(rows.map(({ key, contactId }) => [key, contactId]));
  const byKey = new Map(members.map((member) => [memberKey(member), member.variables]));
  const byContact = new Map(
    // What names the person most surely comes last, and stays.
    [...byKey].reverse().flatMap(([key, variables]) => {
      const contactId = meant.get(key);
      return contactId === undefined ? [] : [[contactId, variables] as const];
    }),
  );
  return ({ id, phone }) => byKey.get(id) ?? byContact.get(id) ?? byKey.get(phone ?? '');
}

const DELETE: Statement = {
  name: 'campaigns-delete-variables',
  text: 'DELETE FROM campaign_member_variables WHERE campaign_id = $1',
};

/** Deletes the members' own variables of a campaign that has ended. */
export async function deleteMemberVariables(connection: pg.Pool | pg.PoolClient, campaignId: string): Promise<void> {
  await connection.query({ ...DELETE, values: [campaignId] });
}
