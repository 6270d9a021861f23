/**
 * The number of the transaction, above all that stores had in which this one was before: see `adoptChanges`. Read once a
 * statement, from a table of one row.
 */
const XID = 'pg_current_xact_id()::text::bigint + coalesce((SELECT xid_base FROM change_history), 0)';

/**
 * The common table expression of a statement that writes down, for `GET /v2/changes`, which messages of Surface A it
 * moved: one row for each account, whatever their number, and before it one for what they passed on the way.
 * @param moved name of a common table expression that returns STATUS_EVENT_COLUMNS
 * @param passed name of its column, if any, that lists the statuses (text[]) which a message passed, in order
 */
export function statusChanges(moved: string, passed?: string): string {
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

/** The statement, or its common table expression, that writes down what was accepted on Surface A, or was written to an account. */
export function newChanges(kind: 'message' | 'inbound', accountsAndIds: string): string {
  return `INSERT INTO message_changes (account_id, xid, kind, ids)
  SELECT account_id, ${XID}, '${kind}', ids FROM (${accountsAndIds}) AS made(account_id, ids)`;
}
