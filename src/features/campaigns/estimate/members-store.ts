import type { Statement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/within.js';

/** A member of a group, as a campaign that begins now would see it. */
export interface EstimatedMember {
  id: string;
  /** Digits with country code; null of one who is known by an id alone. */
  phone: string | null;
  /** Where messages go; null where neither a number nor an id is left. */
  address: string | null;
  name: string;
  email: string;
  /** No message is sent to them from this channel. */
  optedOut: boolean;
}

/** A sub-select for each member, as in the claim of a message: see src/messages/send/checks/opted-out-sql.ts. */
const NEXT: Statement = {
  name: 'campaigns-estimate-members',
  text: `
SELECT c.id, c.phone, c.address, c.name, c.email, coalesce((
    SELECT true FROM opt_outs o
    WHERE o.account_id = $1 AND o.kind = 'whatsapp' AND o.phone = c.address AND o.sender = $2 AND o.is_active
  ), false) AS "optedOut"
FROM group_members m
JOIN (SELECT id, phone, coalesce(phone, user_id, parent_user_id) AS address, name, email FROM contacts) c ON c.id = m.contact_id
WHERE m.group_id = $3 AND m.contact_id > coalesce($4::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY m.contact_id LIMIT $5`,
};

/** The members of a group that follow a contact, in the order of a campaign. */
export async function membersAfter(
  pool: Connection,
  { accountId, channelId }: { accountId: string; channelId: string },
  groupId: string,
  after: string | null,
  limit: number,
): Promise<EstimatedMember[]> {
  const values = [accountId, channelId, groupId, after, limit];
  const { rows } = await pool.query<EstimatedMember>({ ...NEXT, values });
  return rows;
}
