import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

/** Maximum number of reports to count, newest first. */
const MAX_COUNTED = 10_000;
/** Maximum number of kinds to return; all further kinds are counted as `other`, because Meta may add kinds at any time. */
const MAX_KINDS = 20;

export interface UnmatchedKind {
  kind: string;
  reports: number;
}

const BY_KIND: PlannedStatement = {
  text: `
WITH newest AS (SELECT kind FROM kept_reports ORDER BY id DESC LIMIT $1),
kinds AS (SELECT kind, count(*)::int AS reports, row_number() OVER (ORDER BY count(*) DESC, kind) AS rank
          FROM newest GROUP BY kind)
SELECT CASE WHEN rank <= $2 THEN kind ELSE 'other' END AS kind, sum(reports)::int AS reports
FROM kinds GROUP BY 1 ORDER BY 2 DESC, 1`,
};

export async function countUnmatchedByKind(pool: Pick<pg.Pool, 'query'>): Promise<UnmatchedKind[]> {
  return (await pool.query<UnmatchedKind>({ ...BY_KIND, values: [MAX_COUNTED, MAX_KINDS] })).rows;
}
