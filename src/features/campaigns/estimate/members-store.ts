import { newId } from '../../../platform/ids.js';
import type { PlannedStatement, Statement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import type { ContactFieldValues } from '../../contacts/contact-fields.js';
import { forEachField, listFieldColumns, selectFieldColumns } from '../../contacts/contact-fields-sql.js';
import type { CustomValues } from '../../contacts/custom/field-values.js';
import type { ChannelSender } from '../../conversations/sending/compose.js';

export interface EstimatedMember extends ContactFieldValues {
  id: string;
  /** A number in digits with country code, or null if the contact is known only by user ID. */
  phone: string | null;
  address: string | null;
  optedOut: boolean;
  fields: CustomValues | null;
}

/** Checks opt-outs in a subquery per member, for the reason given in src/messages/send/checks/opted-out-sql.ts. */
const MEMBER_COLUMNS = `c.id, c.phone, c.address, ${selectFieldColumns('c.')}, c.fields, coalesce((
    SELECT true FROM opt_outs o
    WHERE o.account_id = $1 AND o.kind = $3::channel_kind AND o.phone = c.address AND o.is_active
      AND o.sender = CASE $3::channel_kind WHEN 'sms' THEN opt_out_sender($4) ELSE $2 END
  ), false) AS "optedOut"`;
const CONTACTS = `(SELECT id, phone, coalesce(phone, user_id, parent_user_id) AS address, ${listFieldColumns()}, fields FROM contacts)`;

/** What the checks of opt-outs depend on. */
export interface EstimateScope {
  accountId: string;
  channelId: string;
  channel: ChannelSender['channel'];
}

const toScopeValues = ({ accountId, channelId, channel }: EstimateScope) => [
  accountId,
  channelId,
  channel.kind ?? 'whatsapp',
  channel.phoneNumber,
];

const FIND_MEMBERS: Statement = {
  name: 'campaigns-estimate-members',
  text: `SELECT ${MEMBER_COLUMNS} FROM ${CONTACTS} c WHERE c.id = ANY ($5::uuid[]) ORDER BY c.id`,
};

export async function findMembers(
  pool: Connection,
  scope: EstimateScope,
  ids: readonly string[],
): Promise<EstimatedMember[]> {
  const { rows } = await pool.query<EstimatedMember>({ ...FIND_MEMBERS, values: [...toScopeValues(scope), ids] });
  return rows;
}

/** Numbers that are not contacts yet. */
const FIND_NUMBERS: PlannedStatement = {
  text: `SELECT ${MEMBER_COLUMNS} FROM (
           SELECT n.id, n.phone, n.phone AS address, ${forEachField((name) => `''::text AS ${name}`)}, NULL::jsonb AS fields
           FROM unnest($5::uuid[], $6::text[]) AS n(id, phone)
           WHERE NOT EXISTS (SELECT FROM contacts k WHERE k.channel_id = $7 AND k.phone = n.phone)) c`,
};

export async function findNewNumbers(
  pool: Connection,
  scope: EstimateScope,
  phones: readonly string[],
): Promise<EstimatedMember[]> {
  const values = [...toScopeValues(scope), phones.map(() => newId()), phones, scope.channelId];
  return (await pool.query<EstimatedMember>({ ...FIND_NUMBERS, values })).rows;
}

/** @param membersSql selects contact IDs, with values from $3 on */
export async function findMemberIdsAfter(
  pool: Connection,
  { membersSql, values }: { membersSql: string; values: readonly unknown[] },
  after: string | null,
  limit: number,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    text: `SELECT id FROM (${membersSql}) AS found WHERE id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
           ORDER BY id LIMIT $2`,
    values: [after, limit, ...values],
  });
  return rows.map(({ id }) => id);
}
