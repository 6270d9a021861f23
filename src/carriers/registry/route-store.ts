import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';

export interface RouteRow {
  /** Null: all accounts. */
  accountId: string | null;
  /** Leading digits of the recipient numbers for which the route applies. Null matches any recipient. */
  callingCode: string | null;
  /** Sender for which the route applies, without a leading plus sign. Null matches any sender. */
  sender: string | null;
  /** In order of preference. */
  carriers: readonly string[];
}

const LOAD: Statement = {
  name: 'routes-load',
  text: `SELECT account_id AS "accountId", calling_code AS "callingCode", sender, carriers
         FROM routes ORDER BY position, id`,
};

/** By position. */
export async function loadRoutes(pool: pg.Pool): Promise<RouteRow[]> {
  const { rows } = await pool.query<RouteRow>(LOAD);
  return rows;
}
