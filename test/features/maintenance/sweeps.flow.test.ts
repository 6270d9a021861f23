import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Maintenance } from '../../../src/features/maintenance/maintenance.js';
import { openedForEachTest } from '../../support/for-suite.js';
import { ManualClock } from '../../support/manual-clock.js';
import { openTestStore, type TestStore } from '../../support/open-test-store.js';
import { divideByMonths } from '../../support/store/months.js';

const store: TestStore = openedForEachTest(openTestStore);

/** Failed sign-ins, which are swept last of all. */
async function attempts(): Promise<number> {
  return (await store.pool.query('SELECT FROM sign_in_attempts')).rowCount ?? 0;
}

async function anOldAttempt(): Promise<void> {
  await store.pool.query(
    `INSERT INTO sign_in_attempts (key_hash, attempts, ends_at) VALUES ('x', 1, now() - interval '1 day')`,
  );
}

function maintenance(lines: string[] = []) {
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
  return new Maintenance({ pool: store.pool, log, clock: new ManualClock(new Date()), retentionDays: 30 });
}

it('goes on with other tables where one cannot be swept, and tells all that failed', async () => {
  await anOldAttempt();
  await store.pool.query('ALTER TABLE early_receipts RENAME TO away');
  await expect(maintenance().sweep()).rejects.toMatchObject({ code: '42P01' });
  expect(await attempts()).toBe(0);

  await anOldAttempt();
  await store.pool.query('ALTER TABLE contact_import_jobs RENAME TO away_too');
  await expect(maintenance().sweep()).rejects.toThrow(/early_receipts.*contact_import_jobs/);
  expect(await attempts()).toBe(0);
});

it('deletes old rows also where no months can be made ahead, and says so', async () => {
  await divideByMonths(store.url, { daysAgo: 200 });
  // Made at another place of the months ahead, so that its name is taken.
  const { rows } = await store.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relname ~ '^messages_2' AND relkind = 'r' ORDER BY 1 DESC LIMIT 1`,
  );
  const last = rows[0]?.name;
  await store.pool.query(`ALTER TABLE messages DETACH PARTITION messages_later; ALTER TABLE messages DETACH PARTITION ${last};
    DO $$ DECLARE border text; BEGIN
      border := (SELECT max((regexp_match(pg_get_expr(relpartbound, oid), 'TO \\(''([^'']+)'))[1]) FROM pg_class
                 WHERE relispartition AND relname ~ '^messages_2' AND relkind = 'r');
      EXECUTE format('ALTER TABLE messages ATTACH PARTITION messages_later FOR VALUES FROM (%L) TO (MAXVALUE)', border);
    END $$`);
  await anOldAttempt();
  const lines: string[] = [];
  const swept = maintenance(lines);
  await swept.sweep();
  expect(await attempts()).toBe(0);
  expect(swept.monthsAhead).toBe(2);
  expect(lines).toEqual(['tables of the months ahead could not be made']);
});
