import type { PrismaClient } from '../../../platform/generated/prisma/client.js';

type QueryClient = Pick<PrismaClient, '$queryRaw' | '$executeRaw'>;

/** The first sign-in attempt after a time window has ended starts a new window. */
export async function incrementAttempts(
  prisma: QueryClient,
  keyHash: Uint8Array,
  { now, endsAt }: { now: Date; endsAt: Date },
): Promise<{ attempts: number; endsAt: Date }> {
  const rows = await prisma.$queryRaw<{ attempts: number; endsAt: Date }[]>`
    INSERT INTO sign_in_attempts AS a (key_hash, attempts, ends_at) VALUES (${keyHash}, 1, ${endsAt})
    ON CONFLICT (key_hash) DO UPDATE SET
      attempts = CASE WHEN a.ends_at <= ${now} THEN 1 ELSE a.attempts + 1 END,
      ends_at = CASE WHEN a.ends_at <= ${now} THEN excluded.ends_at ELSE a.ends_at END
    RETURNING attempts, ends_at AS "endsAt"`;
  return rows[0] ?? { attempts: 1, endsAt };
}

export async function decrementAttempts(prisma: QueryClient, keyHash: Uint8Array): Promise<void> {
  await prisma.$executeRaw`
    UPDATE sign_in_attempts SET attempts = greatest(attempts - 1, 0) WHERE key_hash = ${keyHash}`;
}
