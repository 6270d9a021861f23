import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

/** At most this many reports are counted, newest first. */
const MAX_COUNTED = 10_000;
/** The rest is counted as `other`, because Meta may add kinds at any time. */
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
