import { Prisma, type PrismaClient } from '../../../platform/generated/prisma/client.js';
import type { Grant } from '../roles/roles.js';

export type SignInMethod = 'password' | 'link' | 'oidc';

export interface SessionRow {
  id: string;
  createdAt: Date;
  expiresAt: Date;
  lastSeenAt: Date;
  way: SignInMethod | null;
  confirmedAt: Date | null;
  operatorId: string;
  operatorName: string;
  grants: Grant[];
}

/** Reads a session and its operator's roles in a single statement, because every console request needs them. */
export async function findSession(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  tokenHash: Uint8Array,
  now: Date,
  idleSince: Date,
): Promise<SessionRow | null> {
  const rows = await findActive(prisma, Prisma.sql`s.token_hash = ${tokenHash}`, now, idleSince);
  return rows[0] ?? null;
}

export function findSessionsByIds(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  ids: readonly string[],
  now: Date,
  idleSince: Date,
): Promise<SessionRow[]> {
  return findActive(prisma, Prisma.sql`s.id = ANY(${ids}::uuid[])`, now, idleSince);
}

function findActive(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  condition: Prisma.Sql,
  now: Date,
  idleSince: Date,
): Promise<SessionRow[]> {
  return prisma.$queryRaw<SessionRow[]>`
    SELECT s.id, s.created_at AS "createdAt", s.expires_at AS "expiresAt", s.last_seen_at AS "lastSeenAt",
      s.confirmed_at AS "confirmedAt", s.way,
      o.id AS "operatorId", o.name AS "operatorName",
      coalesce((
        SELECT jsonb_agg(jsonb_build_object('role', g.role, 'accountId', g.account_id) ORDER BY g.id)
        FROM operator_grants g WHERE g.operator_id = o.id
      ), '[]') AS grants
    FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
    WHERE ${condition} AND s.expires_at > ${now} AND s.last_seen_at > ${idleSince} AND o.is_active`;
}
