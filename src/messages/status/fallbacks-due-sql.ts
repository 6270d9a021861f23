/**
 * Opted-out recipients get no fallback SMS.
 * @param ending alias of the row with the new status and error
 */
export function fallsBack(ending: string): string {
  return `m.kind = 'whatsapp' AND ${ending}.status IN ('undelivered', 'failed', 'rejected', 'expired')
  AND ${ending}.error_code IS DISTINCT FROM 'OPTED_OUT' AND coalesce(m.content ? 'fallback', false)`;
}

/** Column for RETURNING. */
export const FALLS_BACK = `${fallsBack('m')} AS falls_back`;

/**
 * The status and the fallback must be written in one transaction.
 * @param moved name of a CTE that returns `id` and FALLS_BACK of `messages`
 */
export function insertFallbacks(moved: string): string {
  return `
INSERT INTO fallbacks (message_id) SELECT id FROM ${moved} WHERE falls_back ON CONFLICT (message_id) DO NOTHING`;
}
