import type { MessageStatus } from '../../../messages/message-status.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import { buildOptedOutAt, CLICKED_AT, REPLIED_AT } from '../responses-sql.js';

export interface CampaignRef {
  accountId: string;
  campaignId: string;
}

/** Messages of a campaign with the same variant, status, carrier and error. */
export interface OutcomeGroup {
  /** Index of the campaign's variant; null without variants. */
  variant: number | null;
  status: MessageStatus;
  carrier: string;
  errorCode: string | null;
  /** One of the texts that the carrier sent with the code. */
  errorMessage: string | null;
  isRefunded: boolean;
  messages: number;
  /** Messages that a carrier accepted. */
  sent: number;
  priceMicros: bigint;
  /** Messages accepted by a carrier since the requested time, and the earliest such time. */
  recentlySent: number;
  recentlySentFrom: Date | null;
}

const OUTCOMES: PlannedStatement = {
  text: `SELECT campaign_variant AS variant, status, carrier, error_code AS "errorCode", max(error_message) AS "errorMessage", refunded AS "isRefunded",
           count(*)::int AS messages,
           count(*) FILTER (WHERE sent_at IS NOT NULL OR status IN ('delivered', 'read'))::int AS sent,
           sum(price_micros)::text AS "priceMicros", count(*) FILTER (WHERE sent_at >= $3)::int AS "recentlySent",
           min(sent_at) FILTER (WHERE sent_at >= $3) AS "recentlySentFrom"
         FROM messages m WHERE campaign_id = $1 AND account_id = $2
         GROUP BY campaign_variant, status, carrier, error_code, refunded`,
};

/** @param recentFrom business time */
export async function groupOutcomes(
  pool: Connection,
  { accountId, campaignId }: CampaignRef,
  recentFrom: Date,
): Promise<OutcomeGroup[]> {
  const { rows } = await pool.query<Omit<OutcomeGroup, 'priceMicros'> & { priceMicros: string }>({
    ...OUTCOMES,
    values: [campaignId, accountId, recentFrom.toISOString()],
  });
  return rows.map((row) => ({ ...row, priceMicros: BigInt(row.priceMicros) }));
}

export const HOURLY_EVENTS = ['sent', 'delivered', 'read', 'failed'] as const;

export interface HourlyCount {
  /** Start of an hour in UTC. */
  hour: Date;
  event: (typeof HOURLY_EVENTS)[number];
  count: number;
}

const HOURS: PlannedStatement = {
  text: `SELECT date_trunc('hour', e.at, 'UTC') AS hour, e.event, count(*)::int AS count
         FROM messages m CROSS JOIN LATERAL (VALUES
           ('sent', coalesce(m.sent_at, m.delivered_at, m.read_at)),
           ('delivered', coalesce(m.delivered_at, m.read_at)),
           ('read', m.read_at),
           ('failed', CASE WHEN m.status <> 'canceled' THEN m.ended_at END)) AS e(event, at)
         WHERE m.campaign_id = $1 AND m.account_id = $2 AND e.at IS NOT NULL
         GROUP BY 1, 2 ORDER BY 1`,
};

export async function countByHour(pool: Connection, { accountId, campaignId }: CampaignRef): Promise<HourlyCount[]> {
  const { rows } = await pool.query<HourlyCount>({ ...HOURS, values: [campaignId, accountId] });
  return rows;
}

export interface ResponseCounts {
  replied: number;
  /** Recipients who clicked a short link. */
  clicked: number;
  optedOut: number;
}

export interface VariantResponses extends ResponseCounts {
  /** Index of the campaign's variant; null without variants. */
  variant: number | null;
}

const RESPONSES: PlannedStatement = {
  text: `SELECT campaign_variant AS variant, count(${REPLIED_AT})::int AS replied, count(${CLICKED_AT})::int AS clicked,
           count(${buildOptedOutAt('$3')})::int AS "optedOut"
         FROM messages m WHERE campaign_id = $1 AND account_id = $2 AND sent_at IS NOT NULL GROUP BY campaign_variant`,
};

/** @param optOutSender as returned by `toOptOutSender` */
export async function countResponses(
  pool: Connection,
  { accountId, campaignId }: CampaignRef,
  optOutSender: string,
): Promise<VariantResponses[]> {
  const { rows } = await pool.query<VariantResponses>({ ...RESPONSES, values: [campaignId, accountId, optOutSender] });
  return rows;
}
