import type { MessageStatus } from '../../../messages/message-status.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';

export interface CampaignRecipient {
  id: string;
  contactId: string | null;
  /** A number in digits with country code, or null if the message was sent to a user ID. */
  phone: string | null;
  userId: string | null;
  username: string | null;
  status: MessageStatus;
  /** Index of the campaign's variant; null without variants. */
  variant: number | null;
  carrierMessageId: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  refunded: boolean;
  createdAt: Date;
  sentAt: Date | null;
  deliveredAt: Date | null;
  readAt: Date | null;
  endedAt: Date | null;
}

/** Limits the page before joining contacts, so that only the page's contacts are read. */
const LIST: PlannedStatement = {
  text: `WITH page AS MATERIALIZED (
           SELECT * FROM messages WHERE campaign_id = $1 AND account_id = $2 AND ($3::text IS NULL OR status = $3::message_status)
             AND ($6::uuid IS NULL OR id < $6)
           ORDER BY id DESC LIMIT $4 OFFSET $5)
         SELECT m.id, m.contact_id AS "contactId", CASE WHEN m.recipient ~ '^[A-Z]' THEN NULL ELSE m.recipient END AS phone,
                coalesce(c.user_id, CASE WHEN m.recipient ~ '^[A-Z]' THEN m.recipient END) AS "userId", c.username, m.status,
                m.campaign_variant AS variant,
                m.carrier_message_id AS "carrierMessageId", m.error_code AS "errorCode", m.error_message AS "errorMessage",
                m.refunded, m.created_at AS "createdAt", m.sent_at AS "sentAt", m.delivered_at AS "deliveredAt",
                m.read_at AS "readAt", m.ended_at AS "endedAt"
         FROM page m LEFT JOIN contacts c ON c.id = m.contact_id ORDER BY m.id DESC`,
};

/** Newest first. `before`: message ID. */
export async function findRecipients(
  pool: Connection,
  { accountId, id }: { accountId: string; id: string },
  page: { status: MessageStatus | null; limit: number; offset?: number; before?: string | null },
): Promise<CampaignRecipient[]> {
  const { status, limit, offset = 0, before = null } = page;
  const { rows } = await pool.query<CampaignRecipient>({
    ...LIST,
    values: [id, accountId, status, limit, offset, before],
  });
  return rows;
}
