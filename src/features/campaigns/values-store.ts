import type pg from 'pg';
import type { Statement } from '../../platform/store/pool.js';

/** What a campaign's variables are to one member. */
export interface MemberVariables {
  /** Digits with country code. */
  phone: string;
  variables: Readonly<Record<string, string>>;
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
  const values = [
    campaignId,
    members.map(({ phone }) => phone),
    members.map(({ variables }) => JSON.stringify(variables)),
  ];
  await client.query({ ...INSERT, values });
}

const FIND: Statement = {
  name: 'campaigns-find-variables',
  text: 'SELECT phone, variables FROM campaign_member_variables WHERE campaign_id = $1 AND phone = ANY($2::text[])',
};

/** The members' own variables, by phone number; those who have none are not in it. */
export async function findMemberVariables(
  client: pg.PoolClient,
  campaignId: string,
  phones: readonly string[],
): Promise<Map<string, Readonly<Record<string, string>>>> {
  const { rows } = await client.query<MemberVariables>({ ...FIND, values: [campaignId, phones] });
  return new Map(rows.map(({ phone, variables }) => [phone, variables]));
}

const DELETE: Statement = {
  name: 'campaigns-delete-variables',
  text: 'DELETE FROM campaign_member_variables WHERE campaign_id = $1',
};

/** Deletes the members' own variables of a campaign that has ended. */
export async function deleteMemberVariables(connection: pg.Pool | pg.PoolClient, campaignId: string): Promise<void> {
  await connection.query({ ...DELETE, values: [campaignId] });
}
