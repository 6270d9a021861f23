import type { Logger } from 'pino';
import type { Readable, Reads } from '../../platform/reads/reads.js';
import { type MeasuredPool, openPool, openPrisma } from '../../platform/store/connections/pool.js';
import { isStoreAway } from '../../platform/store/failures.js';
import { expectSameDatabase } from '../../platform/store/reaching/pooler.js';
import { ReplicaReads } from '../../platform/store/reaching/replica.js';
import { ReplicaAge } from '../../platform/store/reaching/replica-age.js';
import type { Closers } from '../closers.js';
import type { Config } from '../settings/config.js';

/** Of a process to the replica, beside DATABASE_POOL_SIZE: it is another server. */
const CONNECTIONS = 4;

/** How what only reads is read. */
export interface OpenReads {
  read: Reads;
  /** Null where the primary is read. */
  replica: { reads: ReplicaReads; pool: MeasuredPool } | null;
}

/**
 * What only reads goes to the replica of DATABASE_READ_URL, or, without one, to the primary as all else. A replica that is
 * away does not keep a process from starting.
 * @throws {StartError} when it is no replica of this store
 */
export async function openReads(
  { databaseReadUrl: url, databaseReadMaxAgeMs: maxAgeMs, databaseTimeoutMs: timeoutMs, role }: Config,
  { primary, url: storeUrl, log }: { primary: Readable; url: string; log: Logger },
  closers: Closers,
): Promise<OpenReads> {
  if (url === undefined || role === 'worker') return { read: (work) => work(primary), replica: null };
  await expectSameDatabase({ setting: 'DATABASE_READ_URL', url }, { setting: 'DATABASE_URL', url: storeUrl }).catch(
    (error: unknown) => {
      if (!isStoreAway(error)) throw error;
      log.warn({ err: error }, 'the replica is away; the primary is read until it answers');
    },
  );
  const age = new ReplicaAge(primary.pool, maxAgeMs);
  const pool = openPool({ url, size: CONNECTIONS, log, patienceMs: timeoutMs, admit: age.admit });
  closers.add(() => pool.end());
  const prisma = openPrisma(pool);
  closers.add(() => prisma.$disconnect());
  const reads = new ReplicaReads({ primary, replica: { pool, prisma }, age, log });
  return { read: reads.read, replica: { reads, pool } };
}
