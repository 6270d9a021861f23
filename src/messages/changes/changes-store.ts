import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { MessageStatus } from '../message-status.js';

/** Transaction numbers are decimal strings, because they may exceed JavaScript's safe integers. */
export interface ChangePosition {
  xid: string;
  /** `message_changes.id` */
  id: string;
  /** Number of message IDs before this position within the row, which may contain several. */
  no: number;
}

export interface Change extends ChangePosition {
  kind: 'message' | 'status' | 'inbound';
  messageId: string;
  /** Only for kind `status`. */
  status: MessageStatus | null;
  /** Start of the transaction, by PostgreSQL's clock. */
  at: Date;
}

export interface ChangePage {
  changes: Change[];
  /** All transactions with lower numbers have finished, so no further change can appear below this number. */
  settledXid: string;
  /** Identifies the database by PostgreSQL's system identifier, or by a random number after a restore. */
  store: string;
  beganAt: Date;
  /** By PostgreSQL's clock. */
  now: Date;
}

/**
 * A single statement reads the settled transaction number and the rows, so that both come from one snapshot. Parameters: $1
 * account, $2 and $3 first row, $4 number of its IDs to skip, $5 limit, $6 maximum age in days or null.
 */
const READ_CHANGES: PlannedStatement = {
  text: `
WITH present AS MATERIALIZED (
  SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + h.xid_base AS xmin, now() AS now, h.began_at, coalesce(h.epoch, s.system_identifier) AS store
  FROM change_history h CROSS JOIN pg_control_system() s
)
SELECT p.xmin::text AS "settledXid", p.store::text AS store, p.began_at AS "beganAt", p.now,
       page.xid::text, page.id::text, page.no::int, page.kind, page.message_id AS "messageId", page.status, page.at
FROM present p LEFT JOIN LATERAL (
  SELECT c.xid, c.id, e.no, c.kind, e.message_id, e.status, c.created_at AS at
  FROM message_changes c CROSS JOIN LATERAL unnest(c.ids, c.statuses) WITH ORDINALITY AS e(message_id, status, no)
  WHERE c.account_id = $1 AND (c.xid, c.id) >= ($2::bigint, $3::bigint) AND c.xid < p.xmin
    AND ((c.xid, c.id) > ($2::bigint, $3::bigint) OR e.no > $4)
    AND ($6::float8 IS NULL OR c.created_at >= p.now - $6 * interval '1 day')
  ORDER BY c.xid, c.id, e.no LIMIT $5
) page ON true
ORDER BY page.xid, page.id, page.no`,
};

type Row = Omit<ChangePage, 'changes'> & (Change | { [Key in keyof Change]: null });

/** @param days maximum age, or null for no limit */
export async function readChanges(
  pool: pg.Pool,
  accountId: string,
  { xid, id, no }: ChangePosition,
  { limit, days }: { limit: number; days: number | null },
): Promise<ChangePage> {
  const { rows } = await pool.query<Row>({ ...READ_CHANGES, values: [accountId, xid, id, no, limit, days] });
  const { settledXid, store, beganAt, now } = rows[0] as Row;
  const changes = rows.filter((row): row is Row & Change => row.messageId !== null);
  return { changes, settledXid, store, beganAt, now };
}

const RANDOM_EPOCH = '1 + floor(random() * 1e15)::bigint';

/** More transactions than a single PostgreSQL will ever run: 30,000 per second for 100 years. */
const MAX_XIDS_PER_STORE = '1e14::bigint';

const ADOPT_HISTORY: PlannedStatement = {
  text: `
UPDATE change_history h SET cluster = s.system_identifier, epoch = CASE WHEN h.epoch IS NOT NULL THEN ${RANDOM_EPOCH} END,
  xid_base = h.xid_base + CASE WHEN h.cluster IS NULL THEN 0 ELSE ${MAX_XIDS_PER_STORE} END
FROM pg_control_system() s
WHERE h.cluster IS DISTINCT FROM s.system_identifier`,
};

/**
 * A process must call this function before it does any other work. Transaction numbers start over if the database was copied
 * from another PostgreSQL.
 */
export async function adoptChangeHistory(pool: pg.Pool): Promise<void> {
  await pool.query(ADOPT_HISTORY);
}

/** Must be called after a database is restored, because its history may differ from what clients have seen. */
export async function restartChangeHistory(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(`UPDATE change_history SET epoch = ${RANDOM_EPOCH}`);
}
