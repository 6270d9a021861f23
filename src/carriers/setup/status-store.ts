import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { type CarrierReport, FRESH_SECONDS, type ReportingProcess } from '../registry/report-store.js';

export interface StoredReport extends CarrierReport, Omit<ReportingProcess, 'id'> {
  refreshedAt: Date;
  /** Whether the process is alive: false if it has hung or was killed. */
  isFresh: boolean;
}

type Queries = Pick<PrismaClient, '$queryRaw'>;

export function findReports(prisma: Queries): Promise<StoredReport[]> {
  return prisma.$queryRaw<StoredReport[]>`
    SELECT carrier, host, pid, state, since, reason, connections, rate_per_second AS "ratePerSecond",
           in_hand AS "inHand", last_error AS "lastError", last_error_at AS "lastErrorAt",
           refreshed_at AS "refreshedAt", refreshed_at > now() - ${FRESH_SECONDS} * interval '1 second' AS "isFresh"
    FROM carrier_reports ORDER BY carrier, host, pid`;
}

/** Finds carriers that are disabled, or that are down in every process that reports on them. */
export function findUnavailable(
  prisma: Queries,
  carriers: readonly string[],
): Promise<{ name: string; isActive: boolean }[]> {
  return prisma.$queryRaw<{ name: string; isActive: boolean }[]>`
    SELECT c.name, c.is_active AS "isActive" FROM carriers c
    WHERE c.name = ANY(${carriers}::text[]) AND (NOT c.is_active OR (
      SELECT bool_and(r.state IN ('down', 'unusable')) FROM carrier_reports r
      WHERE r.carrier = c.name AND r.refreshed_at > now() - ${FRESH_SECONDS} * interval '1 second'))`;
}
