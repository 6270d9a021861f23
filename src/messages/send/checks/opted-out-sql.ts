import { purposeSql } from '../../compose/purpose.js';

/**
 * Opt-outs must be checked in the same statement that claims the message. The outer EXISTS makes the check free while nobody
 * has opted out. The inner query is a scalar subquery, because PostgreSQL may scan the whole table for an EXISTS.
 * Replies to STOP and HELP also go to people who have opted out.
 * @param message alias of a row of `messages`
 */
export function isOptedOut(message: string): string {
  return `CASE WHEN ${message}.ignores_opt_out THEN false WHEN EXISTS (SELECT FROM opt_outs) THEN coalesce((
    SELECT true FROM opt_outs o
    WHERE o.account_id = ${message}.account_id AND o.kind = ${message}.kind AND o.phone = ${message}.recipient
      AND o.is_active AND ${blocksMessage('o', message)}
      AND o.sender = CASE ${message}.kind WHEN 'sms' THEN opt_out_sender(${message}.sender) ELSE ${message}.channel_id::text END
  ), false) ELSE false END`;
}

/**
 * Whether an active opt-out applies to the purpose of a message.
 * @param optOut alias of a row of `opt_outs`
 * @param message alias of a row of `messages`
 */
export function blocksMessage(optOut: string, message: string): string {
  return `(NOT ${optOut}.marketing_only OR ${purposeSql(message)} = 'marketing')`;
}
