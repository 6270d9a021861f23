import type { PrismaClient } from '../../../platform/generated/prisma/client.js';

type Asking = Pick<PrismaClient, '$queryRaw' | '$executeRaw'>;

/** Counts one more attempt; the first of a window begins it. Answers with the count, and when the window ends. */
export async function countAttempt(
  prisma: Asking,
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

/** Takes one attempt back, for it succeeded. */
export async function forgiveAttempt(prisma: Asking, keyHash: Uint8Array): Promise<void> {
  await prisma.$executeRaw`
    UPDATE sign_in_attempts SET attempts = greatest(attempts - 1, 0) WHERE key_hash = ${keyHash}`;
}
