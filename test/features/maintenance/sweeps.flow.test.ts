import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Maintenance } from '../../../src/features/maintenance/maintenance.js';
import { openForEachTest } from '../../support/for-suite.js';
import { ManualClock } from '../../support/manual-clock.js';
import { openTestStore, type TestStore } from '../../support/open-test-store.js';
import { divideByMonths } from '../../support/store/months.js';

const store: TestStore = openForEachTest(openTestStore);

/** Counts failed sign-ins, which a sweep deletes last. */
async function countAttempts(): Promise<number> {
  return (await store.pool.query('SELECT FROM sign_in_attempts')).rowCount ?? 0;
}

async function addOldAttempt(): Promise<void> {
  await store.pool.query(
    `INSERT INTO sign_in_attempts (key_hash, attempts, ends_at) VALUES ('x', 1, now() - interval '1 day')`,
  );
}

function createMaintenance(logLines: string[] = []) {
  const log = pino({ level: 'error' }, { write: (line: string) => logLines.push(JSON.parse(line).msg) });
  return new Maintenance({ pool: store.pool, log, clock: new ManualClock(new Date()), retentionDays: 30 });
}

it('maintenance continues with other tables if one cannot be swept, and reports every failure', async () => {
  await addOldAttempt();
  await store.pool.query('ALTER TABLE early_receipts RENAME TO away');
  await expect(createMaintenance().sweep()).rejects.toMatchObject({ code: '42P01' });
  expect(await countAttempts()).toBe(0);

  await addOldAttempt();
  await store.pool.query('ALTER TABLE contact_import_jobs RENAME TO away_too');
  await expect(createMaintenance().sweep()).rejects.toThrow(/early_receipts.*contact_import_jobs/);
  expect(await countAttempts()).toBe(0);
});

it('maintenance deletes old rows even if monthly partitions cannot be created, and reports it', async () => {
  await divideByMonths(store.url, { daysAgo: 200 });
  const { rows } = await store.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relname ~ '^messages_2' AND relkind = 'r' ORDER BY 1 DESC LIMIT 1`,
  );
  const lastName = rows[0]?.name;
  await store.pool.query(`ALTER TABLE messages DETACH PARTITION messages_later; ALTER TABLE messages DETACH PARTITION ${lastName};
    DO $$ DECLARE border text; BEGIN
      border := (SELECT max((regexp_match(pg_get_expr(relpartbound, oid), 'TO \\(''([^'']+)'))[1]) FROM pg_class
                 WHERE relispartition AND relname ~ '^messages_2' AND relkind = 'r');
      EXECUTE format('ALTER TABLE messages ATTACH PARTITION messages_later FOR VALUES FROM (%L) TO (MAXVALUE)', border);
    END $$`);
  await addOldAttempt();
  const logLines: string[] = [];
  const sweeping = createMaintenance(logLines);
  await sweeping.sweep();
  expect(await countAttempts()).toBe(0);
  expect(sweeping.monthsAhead).toBe(2);
  expect(logLines).toEqual(['could not create monthly partitions']);
});
