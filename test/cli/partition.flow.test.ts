import { expect, it } from 'vitest';
import { divideByMonth } from '../../src/messages/partitions/divide-store.js';
import { createDatabaseForTest } from '../support/store/databases.js';
import { ensureMonths, withClient } from '../support/store/months.js';
import { insertOldMessages } from '../support/store/old-messages.js';
import { commandsOnTestStore, run } from './run.js';

const commands = commandsOnTestStore();

interface PartitionStatus {
  divided: boolean;
  monthsAhead: number;
  tables: { name: string; from: string | null; to: string | null; rows: number; bytes: number }[];
}
const readStatus = () => commands.json<PartitionStatus>('store', 'partition', '--status');
const findMonthsFinding = async () => {
  const { findings } = JSON.parse((await commands.cli('doctor', '--json')).stdout) as {
    findings: { check: string; severity: string; text: string }[];
  };
  return findings.find(({ check }) => check === 'store.months');
};

it('store partition partitions messages by month and writes an audit log entry', async () => {
  await insertOldMessages(commands.store, { from: new Date(), count: 5 });
  expect(await readStatus()).toEqual({ divided: false, tables: [] });
  expect(await findMonthsFinding()).toMatchObject({ severity: 'ok', text: 'Messages are in one table.' });

  const plan = await commands.json<{ months: string[] }>('store', 'partition', '--dry-run');
  expect(plan).toMatchObject({ divided: false, isPromised: false });
  expect(await commands.cli('store', 'partition')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nothing was changed. Add --yes'),
  });
  expect(await readStatus()).toEqual({ divided: false, tables: [] });

  await commands.store.pool.query(
    `CREATE FUNCTION refuse_line() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no line'; END $$;
     CREATE TRIGGER no_lines BEFORE INSERT ON audit_log EXECUTE FUNCTION refuse_line()`,
  );
  expect(await commands.cli('store', 'partition', '--yes')).toMatchObject({ code: 1 });
  expect(await readStatus()).toEqual({ divided: false, tables: [] });
  await commands.store.pool.query('DROP TRIGGER no_lines ON audit_log');

  const partitioned = await commands.json<PartitionStatus & { lockedMs: number }>('store', 'partition', '--yes');
  expect(partitioned.lockedMs).toBeGreaterThan(0);
  const { divided, tables, monthsAhead } = await readStatus();
  expect(divided).toBe(true);
  expect(tables.map(({ name }) => name)).toEqual(['messages_before', ...plan.months, 'messages_later']);
  expect(tables[0]).toMatchObject({ from: null, to: tables[1]?.from, rows: 5 });
  expect(tables.at(-1)).toMatchObject({ to: null, rows: 0 });
  expect(monthsAhead).toBeGreaterThanOrEqual(3);
  expect(await findMonthsFinding()).toMatchObject({ severity: 'ok' });
  const [line] = await commands.store.prisma.auditLine.findMany({ orderBy: { id: 'desc' }, take: 1 });
  const expectedTables = partitioned.tables.map(({ name }) => ({ name }));
  expect(line).toMatchObject({ action: 'store.partition', subject: 'messages', after: { tables: expectedTables } });

  const lines = await commands.store.prisma.auditLine.count();
  expect((await commands.json<PartitionStatus>('store', 'partition', '--yes')).tables).toHaveLength(tables.length);
  expect(await commands.store.prisma.auditLine.count()).toBe(lines);
  await withClient(commands.store.url, (client) => ensureMonths(client, new Date()));
  expect((await readStatus()).tables).toHaveLength(tables.length);
});

it('doctor warns when the next month has no table', async () => {
  const url = await createDatabaseForTest();
  const longAgo = new Date(Date.now() - 200 * 24 * 60 * 60 * 1000);
  await withClient(url, (client) => divideByMonth({ client, now: longAgo, report: () => undefined }));
  const { stdout } = await run({ DATABASE_URL: url }, 'doctor', '--json');
  const { findings } = JSON.parse(stdout) as { findings: { check: string; severity: string }[] };
  expect(findings).toContainEqual(expect.objectContaining({ check: 'store.months', severity: 'warning' }));
});
