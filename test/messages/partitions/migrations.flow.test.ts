import { expect, it } from 'vitest';
import { applyMigrations } from '../../../src/platform/store/migrations/migrate.js';
import { migrationDatabaseForEachTest } from '../../support/store/migration-database.js';
import { divideByMonths, ensureMonths, withClient } from '../../support/store/months.js';

const template = migrationDatabaseForEachTest();
const TABLE = 'CREATE TABLE "messages" ("id" uuid PRIMARY KEY, "next_look" timestamptz, "sender" text)';
const INDEX =
  '-- By sender.\nCREATE INDEX CONCURRENTLY IF NOT EXISTS "messages_sender_idx" ON "messages" ("sender") WHERE "sender" IS NOT NULL;';
const DROP = 'DROP INDEX CONCURRENTLY IF EXISTS "messages_sender_idx";';

const migrate = () => applyMigrations({ url: template.url, log: template.log, folder: template.folder });

const findBySender = async () =>
  (
    await template.client.query(
      `SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index
       WHERE pg_get_indexdef(indexrelid) LIKE '%(sender)%' ORDER BY 1`,
    )
  ).rows;

async function countPartitions(): Promise<number> {
  const { rows } = await template.client.query(
    `SELECT count(*)::int AS n FROM pg_inherits WHERE inhparent = 'messages'::regclass`,
  );
  return rows[0].n;
}

it('migrations create and drop an index on each month of a divided table', async () => {
  template.addMigration('1_table', TABLE);
  await migrate();
  await divideByMonths(template.url, { daysAgo: 40 });
  template.addMigration('2_index', INDEX);
  expect(await migrate()).toEqual(['2_index']);
  const indexes = await findBySender();
  expect(indexes).toHaveLength((await countPartitions()) + 1);
  expect(indexes.every(({ valid }) => valid)).toBe(true);
  expect(indexes.map(({ name }) => name)).toContain('messages_before_sender_idx');
  await withClient(template.url, (client) => ensureMonths(client, new Date(Date.now() + 40 * 24 * 60 * 60 * 1000)));
  expect(await findBySender()).toHaveLength((await countPartitions()) + 1);

  template.addMigration('3_drop', DROP);
  expect(await migrate()).toEqual(['3_drop']);
  expect(await findBySender()).toEqual([]);
});

it('migrations continue with an index that a kill left incomplete', async () => {
  template.addMigration('1_table', TABLE);
  await migrate();
  await divideByMonths(template.url, { daysAgo: 40 });
  await template.client.query('CREATE INDEX "messages_sender_idx" ON ONLY messages (sender) WHERE sender IS NOT NULL');
  await template.client.query(
    'CREATE INDEX messages_before_sender_idx ON messages_before (sender) WHERE sender IS NOT NULL',
  );
  await template.client.query('ALTER INDEX messages_sender_idx ATTACH PARTITION messages_before_sender_idx');
  await template.client.query(
    'CREATE INDEX messages_later_sender_idx ON messages_later (sender) WHERE sender IS NOT NULL',
  );
  await template.client.query(
    `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'messages_later_sender_idx'::regclass`,
  );
  template.addMigration('2_index', INDEX);
  expect(await migrate()).toEqual(['2_index']);
  const indexes = await findBySender();
  expect(indexes).toHaveLength((await countPartitions()) + 1);
  expect(indexes.every(({ valid }) => valid)).toBe(true);
});

it('migrations add a column, a constraint that is validated later, and a default', async () => {
  template.addMigration('1_table', TABLE);
  await migrate();
  await divideByMonths(template.url, { daysAgo: 40 });
  template.addMigration(
    '2_column',
    `ALTER TABLE "messages" ADD COLUMN "note" text, ADD COLUMN "tries" integer NOT NULL DEFAULT 0`,
  );
  template.addMigration(
    '3_rule',
    `ALTER TABLE "messages" ADD CONSTRAINT "messages_tries_check" CHECK ("tries" >= 0) NOT VALID`,
  );
  template.addMigration('4_valid', `ALTER TABLE "messages" VALIDATE CONSTRAINT "messages_tries_check"`);
  expect(await migrate()).toEqual(['2_column', '3_rule', '4_valid']);
  await expect(
    template.client.query('INSERT INTO messages (id, tries) VALUES (gen_random_uuid(), -1)'),
  ).rejects.toMatchObject({
    code: '23514',
  });
});
