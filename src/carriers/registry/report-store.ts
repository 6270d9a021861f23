import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { toStorableJson } from '../../platform/store/storable.js';
import type { CarrierConnection } from '../carrier.js';

/** Interval at which reports are refreshed if nothing has changed. */
export const REFRESH_INTERVAL_MS = 10_000;
/** If the last report of a process is older than this, the process has hung or was killed. */
export const FRESH_SECONDS = 30;
const RETENTION = "interval '10 minutes'";

/**
 * A `limited` carrier is connected but throttled, a `down` carrier is unreachable, and an `unusable` carrier cannot be opened
 * with its settings.
 */
export type ReportedState = 'up' | 'limited' | 'down' | 'unusable';

export interface CarrierReport {
  carrier: string;
  state: ReportedState;
  since: Date;
  reason: string | null;
  connections: readonly CarrierConnection[];
  /** How many messages per second the carrier has accepted since the previous report. */
  ratePerSecond: number;
  inHand: number;
  lastError: string | null;
  lastErrorAt: Date | null;
}

export interface ReportingProcess {
  id: string;
  host: string;
  pid: number;
}

const WRITE: PlannedStatement = {
  text: `
WITH deleted AS (
  DELETE FROM carrier_reports
  WHERE (process_id = $1 AND carrier <> ALL ($4::text[])) OR (process_id <> $1 AND refreshed_at < now() - ${RETENTION})
)
INSERT INTO carrier_reports (process_id, carrier, host, pid, state, since, reason, connections, rate_per_second, in_hand,
                             last_error, last_error_at, refreshed_at)
SELECT $1, r.carrier, $2, $3, r.state, r.since, r.reason, r.connections, r."ratePerSecond", r."inHand", r."lastError",
       r."lastErrorAt", now()
FROM jsonb_to_recordset($5::jsonb) AS r(carrier text, state text, since timestamptz, reason text, connections jsonb,
  "ratePerSecond" float8, "inHand" int, "lastError" text, "lastErrorAt" timestamptz)
ON CONFLICT (process_id, carrier) DO UPDATE SET
  state = EXCLUDED.state, since = EXCLUDED.since, reason = EXCLUDED.reason, connections = EXCLUDED.connections,
  rate_per_second = EXCLUDED.rate_per_second, in_hand = EXCLUDED.in_hand, last_error = EXCLUDED.last_error,
  last_error_at = EXCLUDED.last_error_at, refreshed_at = now()`,
};

export async function writeReports(
  pool: pg.Pool,
  { id, host, pid }: ReportingProcess,
  reports: readonly CarrierReport[],
): Promise<void> {
  const names = reports.map(({ carrier }) => carrier);
  await pool.query({ ...WRITE, values: [id, host, pid, names, JSON.stringify(toStorableJson(reports))] });
}
