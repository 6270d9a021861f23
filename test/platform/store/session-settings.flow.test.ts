import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { SteadyClient } from '../../../src/platform/store/connections/client.js';
import { openPool, openPrisma } from '../../../src/platform/store/connections/pool.js';
import { SESSION_SETTINGS } from '../../../src/platform/store/connections/session-settings.js';
import { createTestAccount } from '../../support/accounts.js';
import { accept } from '../../support/sends.js';
import { asAdmin, createTestDatabase, type TestDatabase } from '../../support/store/databases.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

/** Settings that an operator might choose for other programs, and that would break our statements or the driver. */
const HOSTILE = {
  jit: 'on',
  jit_above_cost: '0',
  default_transaction_isolation: "'repeatable read'",
  DateStyle: "'SQL, DMY'",
  IntervalStyle: "'sql_standard'",
  TimeZone: "'Pacific/Kiritimati'",
  bytea_output: "'escape'",
  extra_float_digits: '-10',
  array_nulls: 'off',
  standard_conforming_strings: 'off',
  statement_timeout: "'1ms'",
  lock_timeout: "'1ms'",
  idle_session_timeout: "'1ms'",
};
const log = pino({ level: 'silent' });

describe('a database with hostile default settings', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    for (const [name, value] of Object.entries(HOSTILE).reverse()) {
      // The settings are changed from another database, so that they do not apply to the connection that changes them.
      await asAdmin(inject('services').postgresUrl, `ALTER DATABASE ${database.name} SET ${name} = ${value}`);
    }
  });
  afterAll(() => database?.drop());

  const addOptions = (options: string): string => {
    const url = new URL(database.url);
    url.searchParams.set('options', options);
    return url.toString();
  };

  it('affects no connection', async () => {
    const client = new SteadyClient({ connectionString: addOptions('-c search_path=public,pg_temp') });
    await client.connect();
    onTestFinished(() => client.end());
    const { rows } = await client.query<{ name: string; setting: string }>(
      'SELECT name, setting FROM pg_settings WHERE name = ANY($1)',
      [[...Object.keys(SESSION_SETTINGS), 'search_path']],
    );
    const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    expect(settings).toEqual({ ...SESSION_SETTINGS, DateStyle: 'ISO, MDY', search_path: 'public,pg_temp' });
  });

  it.each([true, false])('affects no pool with byKeyOnly %s and options in its URL', async (byKeyOnly) => {
    const pool = openPool({ url: addOptions('-c work_mem=9MB'), size: 1, log, byKeyOnly });
    onTestFinished(() => pool.end());
    const { rows } = await pool.query(
      `SELECT current_setting('jit') AS jit, current_setting('work_mem') AS memory, current_setting('enable_seqscan') AS scans,
              current_setting('statement_timeout') AS timeout, '2026-11-28T01:00:00Z'::timestamptz AS at, interval '90 min' AS took`,
    );
    expect(rows).toEqual([
      {
        ...{ jit: 'off', memory: '9MB', scans: byKeyOnly ? 'off' : 'on', timeout: '1min' },
        ...{ at: new Date('2026-11-28T01:00:00Z'), took: expect.objectContaining({ hours: 1, minutes: 30 }) },
      },
    ]);
    expect(await openPrisma(pool).$queryRaw`SELECT current_setting('jit') AS jit`).toEqual([{ jit: 'off' }]);
  });

  it('delivers messages', async () => {
    const heliograph = await testApp({ settings: { DATABASE_URL: database.url } });
    onTestFinished(() => heliograph.close());
    const account = await createTestAccount(heliograph.deps);
    const ids = await accept(heliograph.deps, account, { to: ['15005550100', '15005550101'] });
    await waitFor('both to be delivered', async () => {
      const messages = await heliograph.deps.prisma.message.findMany({ where: { id: { in: ids } } });
      return messages.every(({ status }) => status === 'delivered');
    });
  });
});
