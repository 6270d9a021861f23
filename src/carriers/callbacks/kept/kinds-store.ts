import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

/** How many reports are looked at, the newest first; where more are, the numbers are of these. */
const LOOKED_AT = 10_000;
/** Kinds that are told by their names, those of which most are kept; the others are told as `other`. */
const KINDS = 20;

/** How many reports of a kind are kept. */
export interface KeptKind {
  kind: string;
  reports: number;
}

const BY_KIND: PlannedStatement = {
  text: `
WITH looked AS (SELECT kind FROM kept_reports ORDER BY id DESC LIMIT $1),
kinds AS (SELECT kind, count(*)::int AS reports, row_number() OVER (ORDER BY count(*) DESC, kind) AS place
          FROM looked GROUP BY kind)
SELECT CASE WHEN place <= $2 THEN kind ELSE 'other' END AS kind, sum(reports)::int AS reports
FROM kinds GROUP BY 1 ORDER BY 2 DESC, 1`,
};

/** Kept reports by kind: Meta may name a new one at any time, so that no more than some are told by name. */
export async function readKeptKinds(pool: Pick<pg.Pool, 'query'>): Promise<KeptKind[]> {
  return (await pool.query<KeptKind>({ ...BY_KIND, values: [LOOKED_AT, KINDS] })).rows;
}
