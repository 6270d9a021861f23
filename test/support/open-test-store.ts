import type pg from 'pg';
import { pino } from 'pino';
import type { PrismaClient } from '../../src/platform/generated/prisma/client.js';
import { openPool, openPrisma } from '../../src/platform/store/connections/pool.js';
import { createTestDatabase } from './store/databases.js';

/** A migrated database without the application. */
export interface TestStore {
  url: string;
  pool: pg.Pool;
  prisma: PrismaClient;
  close(): Promise<void>;
}

export async function openTestStore(): Promise<TestStore> {
  const database = await createTestDatabase();
  const pool = openPool({ url: database.url, size: 5, log: pino({ level: 'silent' }) });
  const prisma = openPrisma(pool);
  const close = async () => {
    await prisma.$disconnect();
    await pool.end();
    await database.drop();
  };
  return { url: database.url, pool, prisma, close };
}
