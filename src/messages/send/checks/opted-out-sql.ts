/**
 * The part of a statement that tells whether the recipient of a message has opted out. It reads what the feature
 * opt-outs writes, and lies here because the claim of a message asks it, in the same statement. While no contact has ever
 * written STOP or START, which is asked once, it costs nothing. A plain sub-select per message: for an EXISTS,
 * PostgreSQL may choose to read the whole table instead of one entry of its key.
 * @param message alias of a row of `messages`
 */
export function isOptedOut(message: string): string {
  return `CASE WHEN EXISTS (SELECT FROM opt_outs) THEN coalesce((
    SELECT true FROM opt_outs o
    WHERE o.account_id = ${message}.account_id AND o.kind = ${message}.kind AND o.phone = ${message}.recipient
      AND o.is_active
      AND o.sender = CASE ${message}.kind WHEN 'sms' THEN opt_out_sender(${message}.sender) ELSE ${message}.channel_id::text END
  ), false) ELSE false END`;
}
