import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { MessageStatus } from '../message-status.js';

/** A place between two changes. Numbers are decimal texts: they may be larger than JavaScript's integers. */
export interface ChangePlace {
  /** Of the transaction, as it is written down. */
  xid: string;
  /** Of the row. */
  id: string;
  /** How many ids of the row lie before it. */
  no: number;
}

/** Something that happened to a message, or a message that came. */
export interface Change extends ChangePlace {
  kind: 'message' | 'status' | 'inbound';
  messageId: string;
  /** What it came to, where the kind is `status`. */
  status: MessageStatus | null;
  /** PostgreSQL's time of the transaction. */
  at: Date;
}

/** Changes that are settled, and where they stand. */
export interface ChangePage {
  changes: Change[];
  /** Every transaction below this one has ended: all that it changed can be seen, and nothing can come before it. */
  settledXid: string;
  /** Of which store the places are: the PostgreSQL that numbers its transactions, or by chance since it was restored. */
  store: string;
  /** Since when changes are written down. */
  beganAt: Date;
  /** PostgreSQL's time. */
  now: Date;
}

/**
 * One statement, and so one snapshot: what it takes for settled and what it sees belong together.
 * $1 account, $2 and $3 the row to begin with, $4 how many of its ids are known, $5 most changes, $6 how many days back it
 * looks; null: as far as there is anything.
 */
const READ: PlannedStatement = {
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

/**
 * The settled changes of an account after a place, at most `limit`.
 * @param days how many days old they may be; null: any that are left
 */
export async function readChanges(
  pool: pg.Pool,
  accountId: string,
  { xid, id, no }: ChangePlace,
  { limit, days }: { limit: number; days: number | null },
): Promise<ChangePage> {
  const { rows } = await pool.query<Row>({ ...READ, values: [accountId, xid, id, no, limit, days] });
  const { settledXid, store, beganAt, now } = rows[0] as Row;
  const changes = rows.filter((row): row is Row & Change => row.messageId !== null);
  return { changes, settledXid, store, beganAt, now };
}

const ANY_EPOCH = '1 + floor(random() * 1e15)::bigint';

/** More transactions than a PostgreSQL ever numbers: 30,000 a second for a hundred years. */
const NUMBERS_OF_A_STORE = '1e14::bigint';

const ADOPT: PlannedStatement = {
  text: `
UPDATE change_history h SET cluster = s.system_identifier, epoch = CASE WHEN h.epoch IS NOT NULL THEN ${ANY_EPOCH} END,
  xid_base = h.xid_base + CASE WHEN h.cluster IS NULL THEN 0 ELSE ${NUMBERS_OF_A_STORE} END
FROM pg_control_system() s
WHERE h.cluster IS DISTINCT FROM s.system_identifier`,
};

/**
 * To be called when a process starts, before it works. Where the store was copied from another PostgreSQL, the transactions that
 * made its changes are over, whatever their numbers mean here: from now on numbers are written down above all of them. No
 * change is rewritten: there may be millions.
 */
export async function adoptChanges(pool: pg.Pool): Promise<void> {
  await pool.query(ADOPT);
}

/**
 * To be called when a store was filled with what it was at another time: whoever followed its changes, or those of the store that
 * it took the place of, is to begin anew.
 */
export async function beginChangesAnew(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(`UPDATE change_history SET epoch = ${ANY_EPOCH}`);
}
