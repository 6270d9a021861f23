import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';

/** A route as it decides about SMS. */
export interface RouteRow {
  /** Null: of every account. */
  accountId: string | null;
  /** Leading digits of the recipient; null: any. */
  callingCode: string | null;
  /** Sender ID without a leading plus sign; null: any. */
  sender: string | null;
  /** Names, in the order in which they are tried; at least one. */
  carriers: readonly string[];
}

const LOAD: Statement = {
  name: 'routes-load',
  text: `SELECT account_id AS "accountId", calling_code AS "callingCode", sender, carriers
         FROM routes ORDER BY position, id`,
};

/** All routes, in the order of their positions. */
export async function loadRoutes(pool: pg.Pool): Promise<RouteRow[]> {
  const { rows } = await pool.query<RouteRow>(LOAD);
  return rows;
}
