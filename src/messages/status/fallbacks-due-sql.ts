/**
 * The condition that a message is a WhatsApp message that failed and has a fallback. Not where the recipient has opted
 * out: an SMS would go round what it wants.
 * @param ending alias of the row with its status and error
 */
export function fallsBack(ending: string): string {
  return `m.kind = 'whatsapp' AND ${ending}.status IN ('undelivered', 'failed', 'rejected', 'expired')
  AND ${ending}.error_code IS DISTINCT FROM 'OPTED_OUT' AND coalesce(m.content ? 'fallback', false)`;
}

/** Whether a message that a statement moved falls back, to be returned as a column of that statement. */
export const FALLS_BACK = `${fallsBack('m')} AS falls_back`;

/**
 * The part of a statement that notes the fallbacks of the messages which it ended, so that whatever happens next, they
 * are made. It lies here, below the feature that works them off, because it must be one transaction with the status.
 * @param moved name of a common table expression that returns `id` and FALLS_BACK of `messages`
 */
export function insertFallbacks(moved: string): string {
  return `
INSERT INTO fallbacks (message_id) SELECT id FROM ${moved} WHERE falls_back ON CONFLICT (message_id) DO NOTHING`;
}
