import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import { DUE, HEADS } from './due-sql.js';

export interface OutboxState {
  due: number;
  /** Failing webhooks are excluded, because their delay is not this server's fault. */
  lagSeconds: number;
  /** Includes callback hosts. */
  failing: number;
}

const READ_STATE: PlannedStatement = {
  text: `${HEADS}
SELECT count(*)::int AS due,
       coalesce(date_part('epoch', now() - min(head.next_attempt_at) FILTER (WHERE w.failing_since IS NULL)), 0)::float8 AS "lagSeconds",
       (SELECT count(*)::int FROM webhooks WHERE is_active AND failing_since IS NOT NULL) AS failing
${DUE}`,
};

export async function readOutboxState(pool: pg.Pool): Promise<OutboxState> {
  return (await pool.query<OutboxState>(READ_STATE)).rows[0] as OutboxState;
}
