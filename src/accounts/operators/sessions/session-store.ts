import { Prisma, type PrismaClient } from '../../../platform/generated/prisma/client.js';
import type { Grant } from '../roles/roles.js';

/** By which way an operator signs in, as their session and the audit log tell it. */
export type SignInWay = 'password' | 'link' | 'oidc';

/** A session that has not ended, with its operator and what they may do. */
export interface SessionRow {
  id: string;
  createdAt: Date;
  expiresAt: Date;
  lastSeenAt: Date;
  way: SignInWay | null;
  confirmedAt: Date | null;
  operatorId: string;
  operatorName: string;
  grants: Grant[];
}

/**
 * The session of a token, unless it has ended or its operator is switched off; one statement, for every request of the
 * console asks it.
 * @param idleSince one that was not seen since then has ended
 */
export async function findSession(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  tokenHash: Uint8Array,
  now: Date,
  idleSince: Date,
): Promise<SessionRow | null> {
  const rows = await findWhere(prisma, Prisma.sql`s.token_hash = ${tokenHash}`, now, idleSince);
  return rows[0] ?? null;
}

/** The same for the sessions with these IDs, in one statement. */
export function findSessionsByIds(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  ids: readonly string[],
  now: Date,
  idleSince: Date,
): Promise<SessionRow[]> {
  return findWhere(prisma, Prisma.sql`s.id = ANY(${ids}::uuid[])`, now, idleSince);
}

function findWhere(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  which: Prisma.Sql,
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
    WHERE ${which} AND s.expires_at > ${now} AND s.last_seen_at > ${idleSince} AND o.is_active`;
}
