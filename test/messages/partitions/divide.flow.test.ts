import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { divideByMonth } from '../../../src/messages/partitions/divide-store.js';
import { ensureMonths as keepWithin } from '../../../src/messages/partitions/ensure-months-store.js';
import { monthsAhead, readLayout } from '../../../src/messages/partitions/layout-store.js';
import { lowestIdAt, readIdTime } from '../../../src/platform/ids.js';
import { openForEachTest } from '../../support/for-suite.js';
import { openTestStore, type TestStore } from '../../support/open-test-store.js';
import { ensureMonths, withClient } from '../../support/store/months.js';
import { insertOldMessages } from '../../support/store/old-messages.js';
import { waitFor } from '../../support/wait-for.js';

const store: TestStore = openForEachTest(openTestStore);
const NOW = new Date('2026-11-24T12:00:00Z');
const DAY_MS = 24 * 60 * 60 * 1000;
const addDays = (days: number) => new Date(NOW.getTime() + days * DAY_MS);

const divide = (options: { report?(sentence: string): void; now?: Date; patienceMs?: number } = {}) =>
  withClient(store.url, (client) => divideByMonth({ client, now: NOW, report: () => undefined, ...options }));

async function listTableNames(): Promise<string[]> {
  const layout = await readLayout(store.pool);
  return layout.kind === 'months' ? layout.partitions.map(({ name }) => name) : [layout.kind];
}

const ask = async <T extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
  (await store.pool.query<T>(text, values)).rows;

const FILES = `SELECT relname, relfilenode FROM pg_class WHERE oid IN (
  SELECT indexrelid FROM pg_index WHERE indrelid = to_regclass($1)) ORDER BY relfilenode`;
const FORMS = `
  SELECT column_name, data_type, column_default, is_nullable FROM information_schema.columns WHERE table_name = 'messages'
  ORDER BY ordinal_position`;
const INDEXES = `SELECT replace(indexdef, ' ONLY ', ' ') AS def FROM pg_indexes WHERE tablename = 'messages' ORDER BY 1`;
const RULES = `SELECT conname, pg_get_constraintdef(oid) AS def FROM pg_constraint
               WHERE conrelid = 'messages'::regclass AND contype IN ('c', 'p') ORDER BY 1`;

describe('the table of messages after dividing it by month', () => {
  it('dividing keeps rows, columns, constraints, rights and storage parameters, and rebuilds no index', async () => {
    await insertOldMessages(store, { from: addDays(-60), count: 50 });
    await store.pool.query(`COMMENT ON TABLE messages IS 'looked after by us'; GRANT SELECT (id, status), UPDATE ON messages TO PUBLIC;
      ALTER TABLE messages ADD COLUMN gone text; ALTER TABLE messages DROP COLUMN gone`);
    const readState = async () => ({
      rows: await ask('SELECT * FROM messages ORDER BY id'),
      form: await ask(FORMS),
      indexes: await ask(INDEXES),
      rules: await ask(RULES),
      comment: await ask(`SELECT obj_description('messages'::regclass)`),
      rights: await ask(`SELECT grantee, privilege_type FROM information_schema.table_privileges
                         WHERE table_name = 'messages' ORDER BY 1, 2`),
      columnRights: await ask(`SELECT grantee, column_name, privilege_type FROM information_schema.column_privileges
                               WHERE table_name = 'messages' AND grantee = 'PUBLIC' ORDER BY 1, 2, 3`),
    });
    const stateBefore = await readState();
    const files = await ask<{ relfilenode: number }>(FILES, ['messages']);

    expect(await divide()).toBeGreaterThan(0);

    expect(await readState()).toEqual(stateBefore);
    expect((await ask<{ relfilenode: number }>(FILES, ['messages_before'])).map((row) => row.relfilenode)).toEqual(
      files.map((row) => row.relfilenode),
    );
    expect(await ask('SELECT FROM pg_index WHERE NOT indisvalid')).toEqual([]);
    expect(await listTableNames()).toEqual([
      'messages_before',
      'messages_2026_12',
      'messages_2027_01',
      'messages_2027_02',
      'messages_later',
    ]);
    const options = await ask<{ reloptions: string[] }>(
      `SELECT DISTINCT reloptions FROM pg_class WHERE relname ~ '^messages_(before|later|2)' AND relkind = 'r'`,
    );
    expect(options).toHaveLength(1);
    expect(options[0]?.reloptions).toContain('fillfactor=50');
    expect(await divide()).toBeNull();
  });

  it('partitions get the owner of the table, no matter which role creates them', async () => {
    await store.pool.query('ALTER TABLE messages OWNER TO pg_monitor');
    await divide();
    await withClient(store.url, (client) => ensureMonths(client, addDays(60)));
    const owners = `SELECT DISTINCT tableowner FROM pg_tables WHERE tablename ~ '^messages(_before|_later|_2.*)?$'`;
    expect(await listTableNames()).toHaveLength(7);
    expect(await ask(owners)).toEqual([{ tableowner: 'pg_monitor' }]);
  });

  it('a divided table accepts IDs of any time, each once', async () => {
    await divide();
    for (const days of [-4000, 0, 10, 70, 4000]) {
      const [id] = await insertOldMessages(store, { from: addDays(days), count: 1 });
      await expect(
        insertOldMessages(store, { from: addDays(days), count: 1, ids: [id as string] }),
      ).rejects.toMatchObject({
        code: '23505',
      });
    }
    expect(await ask('SELECT tableoid::regclass::text AS name FROM messages ORDER BY id')).toEqual(
      ['messages_before', 'messages_before', 'messages_2026_12', 'messages_2027_02', 'messages_later'].map((name) => ({
        name,
      })),
    );
  });

  it('the table is complete after a kill in any step, and the next run continues', async () => {
    const ids = await insertOldMessages(store, { from: addDays(-60), count: 20 });
    for (let killCount = 1; ; killCount += 1) {
      let step = 0;
      const division = divide({
        report: () => {
          step += 1;
          if (step === killCount) throw new Error('killed');
        },
      });
      const outcome = await division.then(
        () => true,
        (error) => {
          expect(error.message).toBe('killed');
          return false;
        },
      );
      expect(await ask('SELECT id FROM messages ORDER BY id')).toEqual(ids.map((id) => ({ id })));
      if (outcome) break;
      expect(killCount).toBeLessThan(10);
    }
    expect(await listTableNames()).toHaveLength(5);
    expect(await ask(`SELECT FROM pg_constraint WHERE conname = 'messages_before_check'`)).toEqual([]);
  });

  it.each([
    ['reuses the border of an earlier run while it is at least two days ahead', 4, 'messages_2026_12'],
    ['sets a new border once the earlier one is nearer', 5, 'messages_2027_01'],
  ])('dividing after a kill %s', async (_, days, firstMonth) => {
    const failAtCheck = (sentence: string) => {
      if (sentence.startsWith('Checking')) throw new Error('killed');
    };
    await expect(divide({ report: failAtCheck })).rejects.toThrow('killed');
    expect(await readLayout(store.pool)).toMatchObject({ border: { id: lowestIdAt(new Date('2026-12-01')) } });
    await divide({ now: addDays(days) });
    expect(await listTableNames()).toContain(firstMonth);
    expect((await listTableNames()).includes('messages_2026_12')).toBe(days === 4);
  });

  it('dividing waits for readers no longer than allowed, and changes nothing if it is canceled', async () => {
    await withClient(store.url, async (reader) => {
      await reader.query('BEGIN; SELECT FROM messages');
      await expect(divide({ patienceMs: 0 })).rejects.toMatchObject({ code: '55P03' });
      const outcome = expect(divide()).rejects.toThrow(/terminat/);
      // The command waits for the lock for half a second at a time, so the statement that finds it waiting also terminates it.
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await waitFor('the command to wait for the lock', async () => (await ask(end)).length > 0);
      await outcome;
      expect(await listTableNames()).toEqual(['plain']);
      await reader.query('COMMIT');
    });
    expect(await divide()).toBeGreaterThan(0);
  });

  it.each([
    [
      'a trigger',
      'CREATE TRIGGER theirs BEFORE INSERT ON messages EXECUTE FUNCTION suppress_redundant_updates_trigger()',
    ],
    ['a view', 'CREATE VIEW theirs AS SELECT id FROM messages'],
    ['a foreign key', 'CREATE TABLE theirs (id uuid REFERENCES messages)'],
    ['a unique index', 'CREATE UNIQUE INDEX theirs ON messages (created_at)'],
    ['a publication', 'CREATE PUBLICATION theirs FOR TABLE messages'],
  ])('dividing is refused, naming the object, if somebody has added %s', async (_case, sql) => {
    await store.pool.query(sql);
    await expect(divide()).rejects.toThrow(/theirs.*Nothing was changed/s);
    expect(await readLayout(store.pool)).toEqual({ kind: 'plain', border: null });
  });

  it('dividing starts after the latest ID, and is refused if that comes from a wrong clock', async () => {
    await insertOldMessages(store, { from: addDays(40), count: 1 });
    await divide();
    expect(await listTableNames()).toEqual(['messages_before', 'messages_2027_02', 'messages_later']);
  });

  it('dividing is refused if an ID lies years ahead', async () => {
    await insertOldMessages(store, { from: addDays(4000), count: 1 });
    await expect(divide()).rejects.toThrow(/server's clock was wrong/);
  });
});

describe('monthly tables for the future', () => {
  it('monthly tables are created three months ahead, even after missed runs, and take over the rows of the table for later IDs', async () => {
    await divide();
    const ids = [
      ...(await insertOldMessages(store, { from: addDays(130), count: 2 })),
      ...(await insertOldMessages(store, { from: addDays(900), count: 2 })),
    ];
    const createdMonths = await withClient(store.url, (client) => ensureMonths(client, addDays(160)));
    expect(createdMonths).toEqual([
      'messages_2027_03',
      'messages_2027_04',
      'messages_2027_05',
      'messages_2027_06',
      'messages_2027_07',
      'messages_2027_08',
    ]);
    expect(await ask('SELECT id FROM messages ORDER BY id')).toEqual(ids.map((id) => ({ id })));
    expect(await ask('SELECT id FROM messages_2027_04 ORDER BY id')).toEqual(ids.slice(0, 2).map((id) => ({ id })));
    const layout = await readLayout(store.pool);
    expect(layout.kind === 'months' && monthsAhead(layout.partitions, addDays(160))).toBe(3);
    expect(await withClient(store.url, (client) => ensureMonths(client, addDays(160)))).toEqual([]);
    expect(await ask('SELECT FROM pg_index WHERE NOT indisvalid')).toEqual([]);
  });

  it('one run creates no further month once other statements have waited too long', async () => {
    await divide();
    const addMonths = () => withClient(store.url, (client) => keepWithin(client, addDays(100), 0));
    expect(await addMonths()).toEqual(['messages_2027_03']);
    expect(await addMonths()).toEqual(['messages_2027_04']);
  });

  describe('with many rows in the table for later IDs', () => {
    async function listTables(): Promise<string[]> {
      await divide();
      return await insertOldMessages(store, { from: addDays(130), count: 3_000 });
    }
    const addMonthsUntil = (days: number) => withClient(store.url, (client) => ensureMonths(client, addDays(days)));
    const readBorders = async (table: string) => {
      const layout = await readLayout(store.pool);
      const partition = layout.kind === 'months' ? layout.partitions.find(({ name }) => name === table) : undefined;
      return [partition?.from, partition?.to].map((id) => id && readIdTime(id).toISOString().slice(0, 10));
    };
    const readFileNode = (table: string) =>
      ask('SELECT relfilenode FROM pg_class WHERE oid = to_regclass($1)', [table]);
    const RULES_LEFT = `SELECT FROM pg_constraint WHERE conname = 'messages_later_check'`;

    it('a crowded table for later IDs becomes the table of these months, without moving rows', async () => {
      const ids = await listTables();
      const file = await readFileNode('messages_later');
      const rules = await ask(RULES);
      expect(await addMonthsUntil(160)).toEqual([
        'messages_2027_03',
        'messages_2027_06',
        'messages_2027_07',
        'messages_2027_08',
      ]);
      expect(await readBorders('messages_2027_03')).toEqual(['2027-03-01', '2027-06-01']);
      expect(await readFileNode('messages_2027_03')).toEqual(file);
      expect(await ask(RULES_LEFT)).toEqual([]);
      expect(await ask(RULES)).toEqual(rules);
      expect(await ask('SELECT id FROM messages ORDER BY id')).toEqual(ids.map((id) => ({ id })));
      expect(
        await ask(`SELECT indexrelid::regclass::text AS name FROM pg_index
                        WHERE indrelid = 'messages_2027_03'::regclass AND indisprimary`),
      ).toEqual([{ name: 'messages_2027_03_pkey' }]);
      await insertOldMessages(store, { from: addDays(400), count: 1 });
      expect(await ask('SELECT tableoid::regclass::text AS name FROM messages ORDER BY id DESC LIMIT 1')).toEqual([
        { name: 'messages_later' },
      ]);
    });

    it.each([
      ['reuses its border', 161, '2027-06-01'],
      ['sets a new border if that one is near by then', 188, '2027-07-01'],
    ])('after an interruption the next run %s', async (_, days, boundary) => {
      const ids = await listTables();
      await ask(`CREATE FUNCTION refuse_look() RETURNS event_trigger LANGUAGE plpgsql AS $$
        BEGIN IF position('VALIDATE' IN current_query()) > 0 THEN RAISE EXCEPTION 'killed'; END IF; END $$`);
      await ask('CREATE EVENT TRIGGER refuses_look ON ddl_command_end EXECUTE FUNCTION refuse_look()');
      await expect(addMonthsUntil(160)).rejects.toThrow('killed');
      await ask('DROP EVENT TRIGGER refuses_look');
      expect(await ask(RULES_LEFT)).toHaveLength(1);
      ids.push(...(await insertOldMessages(store, { from: addDays(160), count: 1 })));

      await addMonthsUntil(days);
      expect(await readBorders('messages_2027_03')).toEqual(['2027-03-01', boundary]);
      expect(await ask(RULES_LEFT)).toEqual([]);
      expect(await ask('SELECT id FROM messages ORDER BY id')).toEqual(ids.map((id) => ({ id })));
    });

    it('converting the table for later IDs changes nothing if an ID lies years ahead', async () => {
      await listTables();
      await insertOldMessages(store, { from: addDays(4_000), count: 1 });
      await expect(addMonthsUntil(160)).rejects.toThrow(/server's clock was wrong/);
      expect(await listTableNames()).toHaveLength(5);
    });
  });

  it('creating monthly tables gives up quickly if it cannot lock', async () => {
    await divide();
    await withClient(store.url, async (reader) => {
      await reader.query('BEGIN; SELECT FROM messages');
      const run = withClient(store.url, (client) => ensureMonths(client, addDays(160)));
      await expect(run).rejects.toMatchObject({ code: '55P03' });
      await reader.query('COMMIT');
    });
    expect(await listTableNames()).toHaveLength(5);
  });

  it('an undivided table gets no monthly tables, but an unused border is removed in time', async () => {
    const failReport = () => {
      throw new Error('killed');
    };
    let reports = 0;
    await expect(divide({ report: () => (reports++ === 1 ? failReport() : undefined) })).rejects.toThrow('killed');
    expect(await readLayout(store.pool)).toMatchObject({ kind: 'plain', border: { isValidated: false } });
    await expect(insertOldMessages(store, { from: addDays(10), count: 1 })).rejects.toMatchObject({ code: '23514' });
    await withClient(store.url, (client) => ensureMonths(client, addDays(1)));
    expect(await readLayout(store.pool)).toMatchObject({ border: { id: lowestIdAt(new Date('2026-12-01')) } });
    await withClient(store.url, (client) => ensureMonths(client, addDays(5)));
    expect(await readLayout(store.pool)).toEqual({ kind: 'plain', border: null });
    await insertOldMessages(store, { from: addDays(10), count: 1 });
  });
});
