import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { LAST_ID } from '../../../platform/ids.js';
import type { SealedBody } from './report-seal.js';
import type { UnmatchedReason } from './unmatched-report.js';

type Queries = Pick<PrismaClient, '$queryRaw'>;

export interface UnmatchedReportRow {
  id: string;
  carrier: string;
  channelId: string | null;
  kind: string;
  reason: UnmatchedReason;
  ids: string[];
  form: SealedBody['form'];
  receivedAt: Date;
  keptAt: Date;
  /** Queued for replay. */
  isQueued: boolean;
}

export interface UnmatchedFilter {
  id?: string;
  carrier?: string;
  kind?: string;
  /** Inclusive, by time received. */
  since?: Date;
  /** Exclusive. */
  until?: Date;
}

/** Returns reports older than the ID `before`, newest first. */
export function findUnmatched(
  prisma: Queries,
  { id, carrier, kind, since, until }: UnmatchedFilter,
  { limit, before }: { limit: number; before: string | null },
): Promise<UnmatchedReportRow[]> {
  return prisma.$queryRaw<UnmatchedReportRow[]>`
    SELECT id, carrier, channel_id AS "channelId", kind, reason, ids, form, received_at AS "receivedAt", kept_at AS "keptAt",
      replay_at IS NOT NULL AS "isQueued"
    FROM kept_reports
    WHERE id < ${before ?? LAST_ID}::uuid AND (${id ?? null}::uuid IS NULL OR id = ${id ?? null}::uuid)
      AND (${carrier ?? null}::text IS NULL OR carrier = ${carrier ?? null})
      AND (${kind ?? null}::text IS NULL OR kind = ${kind ?? null})
      AND (${since ?? null}::timestamptz IS NULL OR received_at >= ${since ?? null}::timestamptz)
      AND (${until ?? null}::timestamptz IS NULL OR received_at < ${until ?? null}::timestamptz)
    ORDER BY id DESC LIMIT ${limit}`;
}

export async function findUnmatchedBody(prisma: Queries, id: string): Promise<SealedBody | null> {
  const [row] = await prisma.$queryRaw<{ form: SealedBody['form']; body: Uint8Array }[]>`
    SELECT form, body FROM kept_reports WHERE id = ${id}::uuid`;
  return row ? { form: row.form, body: Buffer.from(row.body) } : null;
}
