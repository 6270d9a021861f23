import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { readBackup, restoreBackup, takeBackup } from '../../../src/features/backup/backup.js';
import { moveStore } from '../../../src/features/backup/move.js';
import { detachMonths } from '../../../src/messages/partitions/drop-store.js';
import { lowestIdAt } from '../../../src/platform/ids.js';
import { openPool } from '../../../src/platform/store/connections/pool.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { createTestDatabase } from '../../support/store/databases.js';
import { divideByMonths, withClient } from '../../support/store/months.js';
import { insertOldMessages } from '../../support/store/old-messages.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const log = pino({ level: 'silent' });
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

async function createEmptyDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase({ empty: true });
  onTestFinished(drop);
  return url;
}

async function findMessages(url: string): Promise<Record<string, string[]>> {
  return await withClient(url, async (client) => {
    const messages: Record<string, string[]> = {};
    for (const table of ['messages', 'message_references', 'message_parts', 'message_tries']) {
      const { rows } = await client.query(
        `SELECT ${table === 'messages' ? 'id' : 'message_id AS id'} FROM ${table} ORDER BY 1`,
      );
      messages[table] = rows.map(({ id }) => id);
    }
    return messages;
  });
}

it('a backup excludes messages of a detached month that is not dropped yet', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  // The pool has a neutral connection name, because a move refuses a store to which a server is connected.
  const pool = openPool({ url, size: 2, log, name: 'test' });
  onTestFinished(() => pool.end());
  const store = { url, pool };
  await divideByMonths(store.url, { daysAgo: 200 });
  const oldIds = await insertOldMessages(store, { from: daysAgo(120), count: 3, reference: 'old' });
  const recentIds = await insertOldMessages(store, { from: daysAgo(1), count: 2, reference: 'kept' });
  await store.pool.query(
    `INSERT INTO message_parts (message_id, part, carrier, carrier_message_id)
     SELECT id, 1, 'simulator', id::text FROM unnest($1::uuid[]) AS id`,
    [[...oldIds, ...recentIds]],
  );
  await store.pool.query(
    `INSERT INTO message_tries (message_id, attempt, failed_at, error_code, error_message)
     SELECT id, 1, now(), 'busy', 'Busy' FROM unnest($1::uuid[]) AS id`,
    [[...oldIds, ...recentIds]],
  );
  const sweep = { pool: store.pool, now: new Date(), step: 100, isStopped: () => false };
  await detachMonths(sweep, lowestIdAt(daysAgo(60)));
  const remaining = await findMessages(store.url);
  const lostIds = new Set(oldIds);
  expect(Object.values(remaining).map((ids) => ids.some((id) => lostIds.has(id)))).toEqual([false, true, true, true]);

  const folder = mkdtempSync(join(tmpdir(), 'heliograph-detached-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'backup.tar.gz');
  await takeBackup({ url: store.url, dataDir: folder, path, clock: systemClock });
  const restoredDatabase = await createEmptyDatabase();
  const contents = await readBackup(path);
  const restoreOptions = { replace: false, withoutUnsent: false, log };
  await restoreBackup({ url: restoredDatabase, dataDir: folder, path, contents, ...restoreOptions });
  const targetUrl = await createEmptyDatabase();
  await moveStore({ from: store.url, to: targetUrl, log, clock: systemClock });

  const expected = Object.fromEntries(
    Object.entries(remaining).map(([table, ids]) => [table, ids.filter((id) => !lostIds.has(id))]),
  );
  expect({ restored: await findMessages(restoredDatabase), targetUrl: await findMessages(targetUrl) }).toEqual({
    restored: expected,
    targetUrl: expected,
  });
});
