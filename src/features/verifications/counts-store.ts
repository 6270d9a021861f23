import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';
import { idDaysAgo } from '../../platform/store/sweep.js';

export interface CodeCounts {
  /** The recipient's calling code, or empty if the number has no assigned calling code. */
  callingCode: string;
  /** Number of codes, without codes that a login system created. */
  codes: number;
  sent: number;
  checked: number;
  approved: number;
  /** Number of sends of codes that a login system created and checks. */
  passedOn: number;
}

const COUNT: Statement = {
  name: 'verifications-count',
  text: `
SELECT calling_code AS "callingCode",
       count(*) FILTER (WHERE NOT checked_elsewhere)::int AS codes,
       coalesce(sum(sends) FILTER (WHERE NOT checked_elsewhere), 0)::int AS sent,
       sum(checks)::int AS checked,
       count(*) FILTER (WHERE status = 'approved')::int AS approved,
       coalesce(sum(sends) FILTER (WHERE checked_elsewhere), 0)::int AS "passedOn"
FROM verifications WHERE id >= $1::uuid AND ($2::uuid IS NULL OR account_id = $2)
GROUP BY calling_code ORDER BY coalesce(sum(sends), 0) DESC, calling_code`,
};

/** Most sends first. */
export async function countCodes(
  pool: pg.Pool,
  { accountId, now, days }: { accountId: string | null; now: Date; days: number },
): Promise<CodeCounts[]> {
  const { rows } = await pool.query<CodeCounts>({ ...COUNT, values: [idDaysAgo(now, days), accountId] });
  return rows;
}
