import type pg from 'pg';
import { purposeSql } from '../../messages/compose/purpose.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

/** A row of an export. Values are those of JSON, or dates. */
export type ExportedRow = Record<string, unknown>;

const amount = (column: string) => `trim_scale(${column} / 1000000::numeric)::text`;

/** $1: the IDs of contacts. */
const CONTACT_TABLES = {
  contacts: `SELECT id, account_id AS "accountId", channel_id AS "channelId", phone, user_id AS "userId"
               , parent_user_id AS "parentUserId", username, name, email, first_name AS "firstName", last_name AS "lastName"
               , language, time_zone AS "timeZone"
               , coalesce(tags, '{}') AS tags, coalesce(fields, '{}') AS fields, created_at AS "createdAt", updated_at AS "updatedAt"
             FROM contacts WHERE id = ANY($1::uuid[]) ORDER BY id`,
  identities: `SELECT contact_id AS "contactId", user_id AS "userId", is_parent AS "isParent", since
               FROM contact_identities WHERE contact_id = ANY($1::uuid[]) ORDER BY contact_id, since, user_id`,
  groups: `SELECT m.contact_id AS "contactId", g.id, g.name, m.added_at AS "addedAt"
           FROM group_members m JOIN contact_groups g ON g.id = m.group_id
           WHERE m.contact_id = ANY($1::uuid[]) ORDER BY m.added_at, g.id`,
  conversations: `SELECT id, contact_id AS "contactId", channel_id AS "channelId", last_inbound_at AS "lastInboundAt"
                    , last_message_at AS "lastMessageAt", unread_count AS "unreadCount", created_at AS "createdAt"
                  FROM conversations WHERE contact_id = ANY($1::uuid[]) ORDER BY id`,
  automationRuns: `SELECT r.id, r.contact_id AS "contactId", a.name AS automation, r.status, r.variables
                     , r.started_at AS "startedAt", r.completed_at AS "completedAt", r.canceled_at AS "canceledAt"
                   FROM automation_runs r JOIN automations a ON a.id = r.automation_id
                   WHERE r.contact_id = ANY($1::uuid[]) ORDER BY r.id`,
} as const;

/** $1: the IDs of messages. The stored text of a sign-in code does not contain the code. */
const MESSAGE_TABLES = {
  sentMessages: `SELECT m.id, m.account_id AS "accountId", m.channel_id AS "channelId", m.kind AS channel, m.sender AS "from"
                   , m.recipient AS "to", m.body AS text, m.content, ${purposeSql('m')} AS purpose, m.status, m.parts AS segments
                   , ${amount('m.price_micros')} AS price, a.currency, m.refunded, m.carrier
                   , m.error_code AS "errorCode", m.error_message AS "errorMessage", m.reference, m.metadata
                   , m.callback_url AS "callbackUrl", m.created_at AS "createdAt", m.scheduled_at AS "scheduledAt"
                   , m.sent_at AS "sentAt", m.delivered_at AS "deliveredAt", m.read_at AS "readAt", m.ended_at AS "endedAt"
                 FROM messages m JOIN accounts a ON a.id = m.account_id WHERE m.id = ANY($1::uuid[]) ORDER BY m.id`,
  links: `SELECT l.code, l.message_id AS "messageId", l.target, l.clicks, l.bot_clicks AS "botClicks"
            , l.first_clicked_at AS "firstClickedAt", l.last_clicked_at AS "lastClickedAt"
          FROM links l WHERE l.message_id = ANY($1::uuid[]) ORDER BY l.message_id, l.code`,
  receivedMessages: `SELECT id, account_id AS "accountId", channel_id AS "channelId", conversation_id AS "conversationId"
                       , type, body AS text, payload, received_at AS "receivedAt", edited_at AS "editedAt"
                       , revoked_at AS "revokedAt"
                     FROM inbound_messages WHERE id = ANY($1::uuid[]) ORDER BY id`,
  receivedFiles: `SELECT id, message_id AS "messageId", status, mime_type AS "mimeType", size::float8 AS size, sha256, filename
                    , created_at AS "createdAt"
                  FROM media WHERE message_id = ANY($1::uuid[]) ORDER BY id`,
} as const;

/** $1: a JSON array of keys, as in `RowKey`. */
const KEYED_TABLES = {
  receivedParts: `SELECT t.carrier, t.sender AS "from", t.recipient AS "to", t.part, t.total, t.body AS text
                    , t.received_at AS "receivedAt"
                  FROM inbound_parts t JOIN jsonb_populate_recordset(NULL::inbound_parts, $1::jsonb) k
                    USING (carrier, sender, recipient, reference, total, part) ORDER BY t.received_at, t.part`,
  optOuts: `SELECT t.account_id AS "accountId", t.kind AS channel, t.sender, t.phone, t.keyword, t.is_active AS "isActive"
              , CASE WHEN t.marketing_only THEN 'marketing' ELSE 'all' END AS scope
              , t.decided_at AS "decidedAt"
            FROM opt_outs t JOIN jsonb_populate_recordset(NULL::opt_outs, $1::jsonb) k
              USING (account_id, kind, sender, phone) ORDER BY t.decided_at, t.account_id, t.sender`,
  consents: `SELECT t.id, t.account_id AS "accountId", t.kind AS channel, t.sender, t.phone, t.purpose
               , CASE WHEN t.is_granted THEN 'granted' ELSE 'withdrawn' END AS decision, t.source, t.name, t.wording
               , t.wording_version AS "wordingVersion", t.ip, t.url, t.decided_at AS "decidedAt", t.created_at AS "createdAt"
             FROM consents t JOIN jsonb_populate_recordset(NULL::consents, $1::jsonb) k USING (id, phone)
             ORDER BY t.decided_at, t.id, t.phone`,
  consentRequests: `SELECT t.id, t.account_id AS "accountId", t.kind AS channel, t.sender, t.phone, t.purpose
                      , t.message_id AS "messageId", t.name, t.wording, t.wording_version AS "wordingVersion", t.ip, t.url
                      , t.requested_at AS "requestedAt", t.consent_id AS "consentId"
                    FROM consent_requests t JOIN jsonb_populate_recordset(NULL::consent_requests, $1::jsonb) k USING (id)
                    ORDER BY t.requested_at, t.id`,
  campaignVariables: `SELECT t.campaign_id AS "campaignId", c.name AS campaign, t.phone, t.variables
                      FROM campaign_member_variables t
                        JOIN jsonb_populate_recordset(NULL::campaign_member_variables, $1::jsonb) k
                          USING (campaign_id, phone)
                        JOIN campaigns c ON c.id = t.campaign_id ORDER BY t.campaign_id, t.phone`,
  signInCodes: `SELECT t.id, t.account_id AS "accountId", t.recipient, t.status, t.sends, t.checks
                  , t.created_at AS "createdAt", t.approved_at AS "approvedAt", t.expires_at AS "expiresAt"
                FROM verifications t JOIN jsonb_populate_recordset(NULL::verifications, $1::jsonb) k USING (id) ORDER BY t.id`,
  signInCodeLimits: `SELECT t.account_id AS "accountId", t.recipient, t.sends, t.checks
                     FROM verification_recipients t
                       JOIN jsonb_populate_recordset(NULL::verification_recipients, $1::jsonb) k
                         USING (account_id, recipient) ORDER BY t.account_id`,
  spendingLimits: `SELECT t.account_id AS "accountId", t.subject AS recipient, t.span, t.ends_at AS "endsAt"
                     , t.messages::float8 AS messages, ${amount('t.micros')} AS spent
                   FROM spend_counts t JOIN jsonb_populate_recordset(NULL::spend_counts, $1::jsonb) k
                     USING (account_id, scope, subject, span, ends_at, key_id) ORDER BY t.ends_at, t.span, t.account_id`,
} as const;

export type ContactTable = keyof typeof CONTACT_TABLES;
export type MessageTable = keyof typeof MESSAGE_TABLES;
export type KeyedTable = keyof typeof KEYED_TABLES;

export const CONTACT_TABLE_NAMES = Object.keys(CONTACT_TABLES) as ContactTable[];

const STATEMENTS: Readonly<Record<string, PlannedStatement>> = Object.fromEntries(
  Object.entries({ ...CONTACT_TABLES, ...MESSAGE_TABLES, ...KEYED_TABLES }).map(([name, text]) => [name, { text }]),
);

/** Number of rows that one statement reads. */
const SLICE_ROWS = 1_000;

export async function readRows(
  pool: pg.Pool,
  table: ContactTable | MessageTable,
  ids: readonly string[],
): Promise<ExportedRow[]> {
  const rows: ExportedRow[] = [];
  for (let start = 0; start < ids.length; start += SLICE_ROWS) {
    const result = await pool.query<ExportedRow>({
      ...(STATEMENTS[table] as PlannedStatement),
      values: [ids.slice(start, start + SLICE_ROWS)],
    });
    rows.push(...result.rows);
  }
  return rows;
}

/** @param keys values by column name */
export async function readKeyedRows(
  pool: pg.Pool,
  table: KeyedTable,
  keys: readonly Record<string, unknown>[],
): Promise<ExportedRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await pool.query<ExportedRow>({
    ...(STATEMENTS[table] as PlannedStatement),
    values: [JSON.stringify(keys)],
  });
  return rows;
}
