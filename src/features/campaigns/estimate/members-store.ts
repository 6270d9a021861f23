import type { Statement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import type { ContactFieldValues } from '../../contacts/contact-fields.js';
import { listFieldColumns, selectFieldColumns } from '../../contacts/contact-fields-sql.js';
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
const FIND_MEMBERS: Statement = {
  name: 'campaigns-estimate-members',
  text: `
SELECT c.id, c.phone, c.address, ${selectFieldColumns('c.')}, c.fields, coalesce((
    SELECT true FROM opt_outs o
    WHERE o.account_id = $1 AND o.kind = $6::channel_kind AND o.phone = c.address AND o.is_active
      AND o.sender = CASE $6::channel_kind WHEN 'sms' THEN opt_out_sender($7) ELSE $2 END
  ), false) AS "optedOut"
FROM group_members m
JOIN (SELECT id, phone, coalesce(phone, user_id, parent_user_id) AS address, ${listFieldColumns()}, fields FROM contacts) c
  ON c.id = m.contact_id
WHERE m.group_id = $3 AND m.contact_id > coalesce($4::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY m.contact_id LIMIT $5`,
};

export async function findMembersAfter(
  pool: Connection,
  { kind = 'whatsapp', phoneNumber }: ChannelSender['channel'],
  { accountId, channelId }: { accountId: string; channelId: string },
  { groupId, after, limit }: { groupId: string; after: string | null; limit: number },
): Promise<EstimatedMember[]> {
  const values = [accountId, channelId, groupId, after, limit, kind, phoneNumber];
  const { rows } = await pool.query<EstimatedMember>({ ...FIND_MEMBERS, values });
  return rows;
}
