import pg from 'pg';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import type { EchoReport } from '../../../src/carriers/inbound-message.js';
import { storeEchoes } from '../../../src/features/conversations/echoes.js';
import { Maintenance } from '../../../src/features/maintenance/maintenance.js';
import { detachMonths } from '../../../src/messages/partitions/drop-store.js';
import { BORDER_CHECK, readLayout } from '../../../src/messages/partitions/layout-store.js';
import { sweepMessages } from '../../../src/messages/stored-messages/sweep-store.js';
import { lowestIdAt } from '../../../src/platform/ids.js';
import { DETACHED } from '../../../src/platform/store/detached.js';
import { idDaysAgo } from '../../../src/platform/store/sweep.js';
import { createTestAccount } from '../../support/accounts.js';
import { createTestChannel } from '../../support/channels.js';
import { openForEachTest } from '../../support/for-suite.js';
import { ManualClock } from '../../support/manual-clock.js';
import { openTestStore, type TestStore } from '../../support/open-test-store.js';
import { divideByMonths, withClient } from '../../support/store/months.js';
import { insertOldMessages } from '../../support/store/old-messages.js';
import { flushStatistics } from '../../support/store/statistics.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const now = new Date();
const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
const toDay = (monthsAgo: number, day: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, day, 12));
const retentionDays = 70;

const plainStore: TestStore = openForEachTest(openTestStore);
const divided: TestStore = openForEachTest(openTestStore);

interface Swept {
  deleted: Record<string, number>;
}

async function sweep({ pool }: TestStore, days = retentionDays): Promise<Swept> {
  const isStopped = () => false;
  const deleted: Record<string, number> = {};
  const recordDeletion = (table: string, rows: number) => {
    deleted[table] = (deleted[table] ?? 0) + rows;
  };
  await sweepMessages({ pool, now, step: 7, isStopped, retentionDays: days, onDeleted: recordDeletion });
  return { deleted };
}

const TABLES = [
  'messages',
  'message_references',
  'message_parts',
  'message_tries',
  'superseded_receipts',
  'carrier_references',
];

async function readContents({ pool }: TestStore): Promise<Record<string, unknown[]>> {
  const contents: Record<string, unknown[]> = {};
  for (const table of TABLES) {
    const { rows } = await pool.query(`SELECT each::text AS row FROM ${table} each ORDER BY 1`);
    contents[table] = rows.map(({ row }) => row);
  }
  return contents;
}

async function fillStore(store: TestStore): Promise<void> {
  for (let months = 0; months <= 6; months += 1) {
    for (const day of [1, 27]) {
      if (toDay(months, day) > now) continue;
      const ids = await insertOldMessages(store, {
        from: toDay(months, day),
        count: 12,
        reference: `month ${months}`,
      });
      await store.pool.query(
        `INSERT INTO message_parts (message_id, part, carrier, carrier_message_id)
         SELECT id, part, 'simulator', id || '-' || part FROM unnest($1::uuid[]) AS id, generate_series(1, 2) AS part`,
        [ids],
      );
      await store.pool.query(
        `INSERT INTO message_tries (message_id, attempt, failed_at, error_code, error_message)
         SELECT id, 1, $2, 'busy', 'Busy' FROM unnest($1::uuid[]) AS id`,
        [ids.slice(0, 3), toDay(months, day)],
      );
      await store.pool.query(
        `INSERT INTO superseded_receipts (message_id, carrier, carrier_message_id, status, occurred_at)
         SELECT id, 'simulator', id::text, 'delivered', $2 FROM unnest($1::uuid[]) AS id`,
        [ids.slice(0, 3), toDay(months, day)],
      );
      await store.pool.query(
        `INSERT INTO carrier_references (carrier, carrier_message_id, message_id, created_at)
         SELECT 'simulator', id::text, id, $2 FROM unnest($1::uuid[]) AS id`,
        [ids.slice(0, 2), toDay(months, day)],
      );
    }
  }
  await insertOldMessages(store, { from: toDay(5, 15), count: 2, reference: 'under way', isInTransit: true });
}

/** Lists only queries of this store, because other applications in the same process may also send queries. */
function listCalls({ url }: TestStore, { mock }: { mock: { calls: unknown[][]; contexts: unknown[] } }): unknown[][] {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  return mock.calls.filter((_, index) => (mock.contexts[index] as pg.Client).database === name);
}

const listIds = async ({ pool }: TestStore) =>
  (await pool.query<{ id: string }>('SELECT id FROM messages ORDER BY id')).rows.map(({ id }) => id);

const listMonths = async ({ pool }: TestStore) => {
  const layout = await readLayout(pool);
  return layout.kind === 'months' ? layout.partitions.map(({ name }) => name) : [];
};
const toTableName = (monthsAgo: number) =>
  `messages_${toDay(monthsAgo, 1).toISOString().slice(0, 7).replace('-', '_')}`;

it('dropping months leaves the same rows as deleting row by row', async () => {
  await divideByMonths(divided.url, { daysAgo: 200 });
  for (const store of [plainStore, divided]) await fillStore(store);
  // Rows in a dropped table are counted by PostgreSQL's estimate, to which statistics reported after the ANALYZE would be
  // added.
  await flushStatistics(divided.pool);
  await divided.pool.query('ANALYZE messages');
  expect(await readContents(divided)).toEqual(await readContents(plainStore));

  const { deleted } = await sweep(plainStore);
  expect(await sweep(divided)).toEqual({ deleted });
  expect(deleted.messages).toBeGreaterThan(40);

  const remaining = await readContents(plainStore);
  expect(await readContents(divided)).toEqual(remaining);
  expect(remaining.messages?.length).toBeGreaterThan(20);
  const deletedTables = [6, 4].map(toTableName);
  const months = await listMonths(divided);
  for (const name of deletedTables) expect(months).not.toContain(name);
  expect(months).toEqual(expect.arrayContaining([toTableName(5), toTableName(0)]));
  const { rows } = await divided.pool.query('SELECT to_regclass($1) AS gone', [deletedTables[1]]);
  expect(rows).toEqual([{ gone: null }]);

  await divided.pool.query('UPDATE messages SET next_look = NULL');
  await plainStore.pool.query('UPDATE messages SET next_look = NULL');
  expect(await sweep(divided)).toMatchObject({ deleted: { messages: expect.any(Number) } });
  await sweep(plainStore);
  expect(await readContents(divided)).toEqual(await readContents(plainStore));
  expect(await listMonths(divided)).not.toContain(toTableName(5));
});

it.each([
  ['off', 0],
  ['longer', 3_650],
])('detached tables are dropped with their related rows, even if retention is then %s', async (_, days) => {
  await divideByMonths(divided.url, { daysAgo: 200 });
  await fillStore(divided);
  const { messages: all } = await readContents(divided);
  await detachMonths({ pool: divided.pool, now, step: 7, isStopped: () => false }, idDaysAgo(now, retentionDays));
  const { messages: remaining } = await readContents(divided);
  expect(remaining?.length).toBeLessThan(all?.length ?? 0);

  await sweep(divided, days);
  expect((await readContents(divided)).messages).toEqual(remaining);
  for (const table of ['message_references', 'message_parts', 'message_tries', 'superseded_receipts']) {
    const { rows } = await divided.pool.query(
      `SELECT count(*)::int AS rows, count(*) FILTER (WHERE NOT EXISTS (SELECT FROM messages WHERE id = message_id))::int AS orphans
       FROM ${table}`,
    );
    expect(rows, table).toEqual([{ rows: expect.any(Number), orphans: 0 }]);
    expect(rows[0].rows, table).toBeGreaterThan(0);
  }
  const { rows } = await divided.pool.query('SELECT to_regclass($1) AS table', [toTableName(4)]);
  expect(rows).toEqual([{ table: null }]);
});

it('the next sweep continues after a kill, and leaves other tables alone', async () => {
  await divideByMonths(divided.url, { daysAgo: 200 });
  await insertOldMessages(divided, { from: toDay(5, 3), count: 8, reference: 'old' });
  const recentIds = await insertOldMessages(divided, { from: daysAgo(1), count: 2, reference: 'new' });
  await divided.pool.query('CREATE TABLE messages_1999_01 (id uuid)');
  // Simulates a kill after the first statement that deletes references.
  let detached = 0;
  const recordDeletion = () => {
    detached += 1;
  };
  const isStopped = () => detached > 0;
  await detachMonths(
    { pool: divided.pool, now, step: 7, isStopped, onDeleted: recordDeletion },
    idDaysAgo(now, retentionDays),
  );
  const listMarked = async () =>
    (await divided.pool.query(`SELECT relname FROM pg_class WHERE obj_description(oid, 'pg_class') = $1`, [DETACHED]))
      .rowCount;
  expect(await listMarked()).toBeGreaterThan(0);

  await sweep(divided);
  expect(await listMarked()).toBe(0);
  expect((await divided.pool.query('SELECT id FROM messages ORDER BY id')).rows).toEqual(
    recentIds.map((id) => ({ id })),
  );
  expect((await divided.pool.query('SELECT message_id FROM message_references')).rows).toEqual([
    { message_id: recentIds[1] },
  ]);
  expect((await divided.pool.query(`SELECT to_regclass('messages_1999_01')::text AS name`)).rows).toEqual([
    { name: 'messages_1999_01' },
  ]);
});

it('a detached table that is being read is dropped later, and the sweep continues', async () => {
  await divideByMonths(divided.url, { daysAgo: 200 });
  await insertOldMessages(divided, { from: toDay(5, 3), count: 8 });
  let detached = 0;
  const recordDeletion = () => {
    detached += 1;
  };
  const isStopped = () => detached > 0;
  await detachMonths(
    { pool: divided.pool, now, step: 7, isStopped, onDeleted: recordDeletion },
    idDaysAgo(now, retentionDays),
  );
  const markedQuery = `SELECT relname AS name FROM pg_class WHERE obj_description(oid, 'pg_class') = $1`;
  const { rows } = await divided.pool.query<{ name: string }>(markedQuery, [DETACHED]);
  const [first] = rows;
  if (!first) throw new Error('no table was detached');
  await withClient(divided.url, async (readingClient) => {
    await readingClient.query(`BEGIN; SELECT FROM ${first.name}`);
    await sweep(divided);
    expect((await divided.pool.query(markedQuery, [DETACHED])).rows).toEqual([first]);
    expect((await divided.pool.query('SELECT FROM messages')).rowCount).toBe(0);
    await readingClient.query('COMMIT');
  });
  await sweep(divided);
  expect((await divided.pool.query(markedQuery, [DETACHED])).rows).toEqual([]);
});

it('the sweep tries for one lock per round, however many months are past', async () => {
  await divideByMonths(divided.url, { daysAgo: 200 });
  await withClient(divided.url, async (reader) => {
    await reader.query('BEGIN; SELECT FROM messages');
    const locks: string[] = [];
    const querySpy = vi.spyOn(pg.Client.prototype, 'query');
    try {
      await sweep(divided);
      for (const [text] of listCalls(divided, querySpy))
        if (/^LOCK TABLE ONLY messages/.test(String(text))) locks.push(String(text));
    } finally {
      querySpy.mockRestore();
    }
    expect(locks).toHaveLength(1);
    await reader.query('COMMIT');
  });
});

it('deleting related rows queries no month that is kept', async () => {
  await divideByMonths(divided.url, { daysAgo: 200 });
  const recordedQueries: pg.QueryConfig[] = [];
  // The spy must exist before the pool opens its connections, because a connection keeps the method that it first calls.
  const querySpy = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await insertOldMessages(divided, { from: toDay(5, 3), count: 1, isInTransit: true });
    await insertOldMessages(divided, { from: toDay(4, 3), count: 8, reference: 'old' });
    await sweep(divided);
    for (const [query] of listCalls(divided, querySpy)) {
      const { text = '' } = query as unknown as pg.QueryConfig;
      if (/DELETE FROM message_(references r WHERE|parts|tries)/.test(text))
        recordedQueries.push(query as unknown as pg.QueryConfig);
    }
  } finally {
    querySpy.mockRestore();
  }
  expect(recordedQueries.length).toBeGreaterThanOrEqual(3);
  for (const { text, values } of recordedQueries) {
    const { rows } = await divided.pool.query(`EXPLAIN ${text}`, values);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/ on messages_\d/);
    expect(plan).not.toContain(toTableName(0));
  }
});

it('the sweep does not wait long for readers: it deletes row by row and detaches the table later', async () => {
  await divideByMonths(divided.url, { daysAgo: 200 });
  await insertOldMessages(divided, { from: toDay(5, 3), count: 8 });
  await withClient(divided.url, async (reader) => {
    await reader.query('BEGIN; SELECT FROM messages');
    expect(await sweep(divided)).toEqual({ deleted: { messages: 8 } });
    expect(await listMonths(divided)).toContain(toTableName(5));
    await reader.query('COMMIT');
  });
  await sweep(divided);
  expect(await listMonths(divided)).not.toContain(toTableName(5));
});

it('with whole months, a month is kept until it is old enough and then dropped as a table', async () => {
  await divideByMonths(divided.url, { daysAgo: 200 });
  const midMonth = toDay(0, 15);
  const messagesInPart = await insertOldMessages(divided, { from: toDay(2, 1), count: 4 });
  await insertOldMessages(divided, { from: toDay(3, 27), count: 4 });
  const maintain = async (now: Date, inWholeMonths: boolean) => {
    const options = { pool: divided.pool, log: pino({ level: 'silent' }), clock: new ManualClock(now) };
    // In the middle of a month, 60 days ago is in the middle of the month before last.
    const maintenance = new Maintenance({ ...options, retentionDays: 60, inWholeMonths });
    await maintenance.sweep();
    return await listIds(divided);
  };
  const idsBefore = await listIds(divided);
  await withClient(divided.url, async (reader) => {
    await reader.query('BEGIN; SELECT FROM messages');
    expect(await maintain(midMonth, true)).toEqual(idsBefore);
    await reader.query('COMMIT');
  });
  expect(await maintain(midMonth, true)).toEqual(messagesInPart);
  expect(await listMonths(divided)).not.toContain(toTableName(3));
  expect(await listMonths(divided)).toContain(toTableName(2));
  expect(await maintain(midMonth, false)).toEqual([]);
});

it('corrections of an echo in a dropped month are ignored, and the rest of the callback is stored', async () => {
  await divideByMonths(divided.url, { daysAgo: 200 });
  const { account, channelId: id, phoneNumber } = await createTestChannel(divided);
  await sweep(divided);
  expect(await listMonths(divided)).not.toContain(toTableName(5));
  const channel = { id, accountId: account.id, kind: 'whatsapp', phoneNumber } as const;
  const createEcho = (sentAt: Date): EchoReport => ({
    ...{
      channel,
      sentAt,
      name: '',
      status: 'read',
      isPast: true,
      type: 'text',
      payload: { body: 'Hello' },
      body: 'Hello',
    },
    ...{ carrierMessageId: `wamid.${sentAt.getTime()}` },
    to: { phone: '16505551234', userId: null, parentUserId: null },
  });
  const echoReports = [toDay(5, 3), daysAgo(1)].map(createEcho);
  await storeEchoes({ pool: divided.pool, clock: new ManualClock(now) }, echoReports);
  expect((await divided.pool.query('SELECT sent_at AS at FROM messages')).rows).toEqual([{ at: daysAgo(1) }]);
});

it("months that have not ended by PostgreSQL's clock are kept, even if a server's clock is ahead", async () => {
  await divideByMonths(divided.url, { daysAgo: 200 });
  await insertOldMessages(divided, { from: toDay(3, 3), count: 4 });
  const futureDate = new Date(now.getTime() + 400 * DAY_MS);
  const options = { pool: divided.pool, now: futureDate, step: 7, isStopped: () => false };
  await sweepMessages({ ...options, retentionDays: 1 });
  const months = await listMonths(divided);
  expect(months).not.toContain(toTableName(1));
  expect(months).toEqual(expect.arrayContaining([toTableName(0), toTableName(-1), toTableName(-2)]));
  expect(await insertOldMessages(divided, { from: daysAgo(0), count: 1 })).toHaveLength(1);
});

it('a message is kept until its fallback SMS exists, in a divided and in an undivided table', async () => {
  await divideByMonths(divided.url, { daysAgo: 200 });
  for (const store of [plainStore, divided]) {
    const [due, settled] = await insertOldMessages(store, { from: toDay(5, 3), count: 2 });
    await store.pool.query(
      'INSERT INTO fallbacks (message_id, next_look) SELECT id, due FROM unnest($1::uuid[], $2::timestamptz[]) AS f(id, due)',
      [
        [due, settled],
        [now, null],
      ],
    );
    await sweep(store);
    expect(await listIds(store)).toEqual([due]);
    await store.pool.query('UPDATE fallbacks SET next_look = NULL');
    await sweep(store);
    expect(await listIds(store)).toEqual([]);
  }
  expect(await listMonths(divided)).not.toContain(toTableName(5));
});

it('the sweep deletes everything else if a detached table cannot be dropped', async () => {
  await divideByMonths(divided.url, { daysAgo: 200 });
  await insertOldMessages(divided, { from: toDay(5, 3), count: 4 });
  const account = await createTestAccount(divided);
  await divided.pool.query(
    `INSERT INTO idempotency_keys (account_id, key, route, body_hash, created_at) VALUES ($1, 'old', '', '', $2)`,
    [account.id, daysAgo(9)],
  );
  await divided.pool.query(`CREATE VIEW of_somebody AS SELECT id FROM ${toTableName(5)}`);
  await expect(sweep(divided)).rejects.toThrow(/cannot drop table/);
  expect((await divided.pool.query('SELECT FROM idempotency_keys')).rowCount).toBe(0);
});

it('maintenance removes a border that IDs are about to reach', async () => {
  const boundaryId = lowestIdAt(new Date(now.getTime() + 1_000));
  await plainStore.pool.query(
    `ALTER TABLE messages ADD CONSTRAINT ${BORDER_CHECK} CHECK (id < '${boundaryId}'::uuid) NOT VALID`,
  );
  const options = {
    pool: plainStore.pool,
    log: pino({ level: 'silent' }),
    clock: new ManualClock(now),
    retentionDays: 0,
  };
  const maintenance = new Maintenance(options);
  maintenance.start();
  await maintenance.stop();
  expect(await readLayout(plainStore.pool)).toEqual({ kind: 'plain', border: null });
});
