import type { Logger } from 'pino';
import type { ReadableStore, Reads } from '../../platform/reads/reads.js';
import { type MeasuredPool, openPool, openPrisma } from '../../platform/store/connections/pool.js';
import { requireSameDatabase } from '../../platform/store/connections/pooler.js';
import { isStoreUnreachable } from '../../platform/store/failures.js';
import { ReplicaReads } from '../../platform/store/servers/replica.js';
import { ReplicaAge } from '../../platform/store/servers/replica-age.js';
import type { Closers } from '../closers.js';
import type { Config } from '../settings/config.js';

/** DATABASE_POOL_SIZE does not limit connections to the replica, because the replica is another server. */
const REPLICA_CONNECTIONS = 4;

export interface OpenReads {
  read: Reads;
  replica: { reads: ReplicaReads; pool: MeasuredPool } | null;
}

/**
 * A process also starts while the replica is unavailable.
 * @throws {StartError}
 */
export async function openReads(
  { databaseReadUrl: url, databaseReadMaxAgeMs: maxAgeMs, databaseTimeoutMs: timeoutMs, role }: Config,
  { primary, url: storeUrl, log }: { primary: ReadableStore; url: string; log: Logger },
  closers: Closers,
): Promise<OpenReads> {
  if (url === undefined || role === 'worker') return { read: (work) => work(primary), replica: null };
  await requireSameDatabase({ setting: 'DATABASE_READ_URL', url }, { setting: 'DATABASE_URL', url: storeUrl }).catch(
    (error: unknown) => {
      if (!isStoreUnreachable(error)) throw error;
      log.warn({ err: error }, 'the replica is unavailable; the primary serves its queries until it responds');
    },
  );
  const replicaAge = new ReplicaAge(primary.pool, maxAgeMs);
  const pool = openPool({
    url,
    size: REPLICA_CONNECTIONS,
    log,
    patienceMs: timeoutMs,
    validate: replicaAge.requireRecent,
  });
  closers.add(() => pool.end());
  const prisma = openPrisma(pool);
  closers.add(() => prisma.$disconnect());
  const reads = new ReplicaReads({ primary, replica: { pool, prisma }, age: replicaAge, log });
  return { read: reads.read, replica: { reads, pool } };
}
