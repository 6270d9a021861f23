import type pg from 'pg';
import type { PrismaClient } from '../generated/prisma/client.js';

export interface ReadableStore {
  pool: pg.Pool;
  prisma: PrismaClient;
}

/** Uses a replica if its data is recent enough, otherwise the primary. The work may run twice. */
export type Reads = <T>(work: (store: ReadableStore) => Promise<T>) => Promise<T>;
