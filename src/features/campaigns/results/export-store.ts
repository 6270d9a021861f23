import type { MessageStatus } from '../../../messages/message-status.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import { buildOptedOutAt, CLICKED_AT, REPLIED_AT } from '../responses-sql.js';

export interface ExportedRecipient {
  id: string;
  /** Digits with country code, or null if the message was sent to a user ID. */
  phone: string | null;
  userId: string | null;
  /** Null after the contact was deleted. */
  name: string | null;
  status: MessageStatus;
  /** Index of the campaign's variant; null without variants. */
  variant: number | null;
  priceMicros: string;
  refunded: boolean;
  carrier: string;
  errorCode: string | null;
  errorMessage: string | null;
  createdAt: Date;
  sentAt: Date | null;
  deliveredAt: Date | null;
  readAt: Date | null;
  repliedAt: Date | null;
  clickedAt: Date | null;
  optedOutAt: Date | null;
  endedAt: Date | null;
}

/** Limits the page first, so that responses are searched only for the page's messages. */
const READ: PlannedStatement = {
  text: `WITH page AS MATERIALIZED (
           SELECT * FROM messages WHERE campaign_id = $1 AND account_id = $2 AND id > $3 ORDER BY id LIMIT $4)
         SELECT m.id, CASE WHEN m.recipient ~ '^[A-Z]' THEN NULL ELSE m.recipient END AS phone,
                CASE WHEN m.recipient ~ '^[A-Z]' THEN m.recipient END AS "userId", c.name, m.status,
                m.campaign_variant AS variant,
                m.price_micros::text AS "priceMicros", m.refunded, m.carrier, m.error_code AS "errorCode",
                m.error_message AS "errorMessage", m.created_at AS "createdAt", m.sent_at AS "sentAt",
                m.delivered_at AS "deliveredAt", m.read_at AS "readAt", m.ended_at AS "endedAt",
                ${REPLIED_AT} AS "repliedAt", ${CLICKED_AT} AS "clickedAt", ${buildOptedOutAt('$5')} AS "optedOutAt"
         FROM page m LEFT JOIN contacts c ON c.id = m.contact_id ORDER BY m.id`,
};

/** @param after message ID */
export async function readRecipientsAfter(
  pool: Connection,
  { accountId, campaignId, optOutSender }: { accountId: string; campaignId: string; optOutSender: string },
  after: string,
  limit: number,
): Promise<ExportedRecipient[]> {
  const { rows } = await pool.query<ExportedRecipient>({
    ...READ,
    values: [campaignId, accountId, after, limit, optOutSender],
  });
  return rows;
}
