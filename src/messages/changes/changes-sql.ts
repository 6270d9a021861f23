/**
 * SQL for the transaction number plus an offset, so that numbers keep rising when the data moves to another PostgreSQL (see
 * `adoptChangeHistory`).
 */
const XID = 'pg_current_xact_id()::text::bigint + coalesce((SELECT xid_base FROM change_history), 0)';

/**
 * CTE that records the status changes of Surface A messages for `GET /v2/changes`, in one row per account. Intermediate
 * statuses are recorded before the message's current status.
 * @param moved name of a CTE that returns STATUS_EVENT_COLUMNS
 * @param passed column of the CTE with the intermediate statuses (text[]) of a message, in order
 */
export function statusChangesSql(moved: string, passed?: string): string {
  const steps = `SELECT m.account_id, ${XID}, 'status'::change_kind, array_agg(m.id ORDER BY step.no),
  array_agg(step.status::message_status ORDER BY step.no)
FROM ${moved} m CROSS JOIN LATERAL unnest(m.${passed}) WITH ORDINALITY AS step(status, no)
WHERE m.surface = 'a' AND m.${passed} <> '{}' GROUP BY m.account_id
UNION ALL `;
  return `changes AS (
INSERT INTO message_changes (account_id, xid, kind, ids, statuses)
${passed ? steps : ''}SELECT m.account_id, ${XID}, 'status', array_agg(m.id), array_agg(m.status)
FROM ${moved} m WHERE m.surface = 'a' GROUP BY m.account_id
)`;
}

export function insertChangesSql(kind: 'message' | 'inbound', accountsAndIds: string): string {
  return `INSERT INTO message_changes (account_id, xid, kind, ids)
  SELECT account_id, ${XID}, '${kind}', ids FROM (${accountsAndIds}) AS changed(account_id, ids)`;
}
