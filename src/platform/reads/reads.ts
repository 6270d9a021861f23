import type pg from 'pg';
import type { PrismaClient } from '../generated/prisma/client.js';

/** What only reads is asked of. */
export interface Readable {
  pool: pg.Pool;
  prisma: PrismaClient;
}

/** Runs what only reads: on a replica that is not too old, else on the primary. It may run a second time. */
export type Reads = <T>(work: (store: Readable) => Promise<T>) => Promise<T>;
