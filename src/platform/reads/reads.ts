import type pg from 'pg';
import type { PrismaClient } from '../generated/prisma/client.js';

export interface ReadableStore {
  pool: pg.Pool;
  prisma: PrismaClient;
}

/**
 * Runs the work on a replica if its data is recent enough, otherwise on the primary. The work may run twice, because a read
 * that fails on the replica is repeated on the primary.
 */
export type Reads = <T>(work: (store: ReadableStore) => Promise<T>) => Promise<T>;
