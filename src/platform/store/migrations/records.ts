import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { MigrationFile } from './migration-files.js';

/** Table definition of Prisma's schema engine (sql-schema-connector, flavour/postgres). */
export const CREATE_RECORDS = `CREATE TABLE _prisma_migrations (
  id                  varchar(36) PRIMARY KEY NOT NULL,
  checksum            varchar(64) NOT NULL,
  finished_at         timestamptz,
  migration_name      varchar(255) NOT NULL,
  logs                text,
  rolled_back_at      timestamptz,
  started_at          timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0
)`;

export async function recordMigration(client: pg.Client, { name, checksum }: MigrationFile): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
}
