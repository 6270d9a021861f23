import type pg from 'pg';
import type { PrismaClient } from '../generated/prisma/client.js';

/** The connections for read-only work. */
export interface ReadableStore {
  pool: pg.Pool;
  prisma: PrismaClient;
}

/** Runs read-only work on a replica if that is recent enough, otherwise on the primary. The work may run twice. */
export type Reads = <T>(work: (store: ReadableStore) => Promise<T>) => Promise<T>;
