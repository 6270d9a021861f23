import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

export type QueryRunner = Pick<pg.Pool | pg.PoolClient, 'query'>;

export type AuditRow = readonly [
  id: string,
  actorKind: string,
  actorId: string | null,
  actorName: string,
  address: string | null,
  action: string,
  accountId: string | null,
  subject: string,
  before: string | null,
  after: string | null,
];

const INSERT: PlannedStatement = {
  text: `INSERT INTO audit_log
    (id, actor_kind, actor_id, actor_name, address, action, account_id, subject, before, after)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10::jsonb)`,
};

export async function insertAuditEntry(connection: QueryRunner, row: AuditRow): Promise<void> {
  await (connection as pg.PoolClient).query({ ...INSERT, values: [...row] });
}
