import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { storableJson } from '../../platform/store/storable.js';
import type { CarrierConnection } from '../carrier.js';

/** How often a process writes its reports anew when nothing changes. */
export const REFRESH_MS = 10_000;
/** Seconds after which a report says nothing of how its carrier fares now: the process hangs or was killed. */
export const FRESH_SECONDS = 30;
/** How long the reports of a process that was killed can be looked at. */
const KEEP = "interval '10 minutes'";

/**
 * How a carrier fares in a process: it takes messages; it is there but wants to be left alone; it cannot be reached; it
 * cannot be opened with its settings.
 */
export type ReportedState = 'up' | 'limited' | 'down' | 'unusable';

/** What a process says of one of its carriers. */
export interface CarrierReport {
  carrier: string;
  state: ReportedState;
  since: Date;
  /** Why it is not up. */
  reason: string | null;
  connections: readonly CarrierConnection[];
  /** Messages that it took in a second, since the report before. */
  ratePerSecond: number;
  inHand: number;
  lastError: string | null;
  lastErrorAt: Date | null;
}

export interface ReportingProcess {
  /** Of one run of a process. */
  id: string;
  host: string;
  pid: number;
}

const WRITE: PlannedStatement = {
  text: `
WITH gone AS (
  DELETE FROM carrier_reports
  WHERE (process_id = $1 AND carrier <> ALL ($4::text[])) OR (process_id <> $1 AND refreshed_at < now() - ${KEEP})
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

/** Replaces what a process has said of its carriers, and deletes what processes that are gone said long ago. */
export async function writeReports(
  pool: pg.Pool,
  { id, host, pid }: ReportingProcess,
  reports: readonly CarrierReport[],
): Promise<void> {
  const names = reports.map(({ carrier }) => carrier);
  await pool.query({ ...WRITE, values: [id, host, pid, names, JSON.stringify(storableJson(reports))] });
}
